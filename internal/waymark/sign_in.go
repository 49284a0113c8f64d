package waymark

import (
	"time"
)

// MaxBrowser is the maximum length of Session.Browser, in bytes.
const MaxBrowser = 300

// MaxSessions is the number of sessions that a user can have. One more ends the session that was not used
// for the longest time.
const MaxSessions = 50

// ConfirmationLifetime is how long users are not asked again to prove who they are, after they have signed
// in or done that.
const ConfirmationLifetime = 10 * time.Minute

// Session is a browser in which a user is signed in. Its secret is in a cookie and is
// never stored.
type Session struct {
	ID         SessionID
	UserID     UserID
	Persistent bool // the user asked to stay signed in
	CreatedAt  Time
	LastSeenAt Time   // accurate to some minutes
	ExpiresAt  Time   // at the latest: it ends earlier if it is not used
	Browser    string // the User-Agent header, cut to MaxBrowser
	Address    string // the IP address from which the user signed in; "" if unknown

	ConfirmedAt Time // when the user last proved who they are
	Method      SignInMethod
	PasskeyID   PasskeyID // with which the user has signed in; 0 for none
	TrustID     TrustID   // of the user in the browser; 0 for none
	IDToken     string    // of the provider at which the user has signed in, to sign out there too; "" for none

	// Only in lists of sessions:
	Passkey      string // the name of the passkey
	TrustedUntil Time   // until when no code is asked in the browser
}

// SignInMethod is how a user has signed in.
type SignInMethod string

// The ways to sign in.
const (
	ByPassword        SignInMethod = "password" // also with an invitation or a URL for a new password
	ByPasswordAndCode SignInMethod = "code"     // a code of an authenticator app, a recovery code, or in a browser that the user trusts since then
	ByPasskey         SignInMethod = "passkey"
	ByProvider        SignInMethod = "provider" // another server that knows the user
	ByHeader          SignInMethod = "header"   // a proxy in front of this server knows the user
)

// Confirmed reports whether the user has proved at the time now, or not long before, who they are. Another
// person who uses the browser has not.
func (s *Session) Confirmed(now Time) bool { return now < s.ConfirmedAt.Add(ConfirmationLifetime) }

// SessionLimits say when a session ends. A session is persistent if the user asked to stay
// signed in.
type SessionLimits struct {
	Idle, PersistentIdle         time.Duration // after it was last seen
	Lifetime, PersistentLifetime time.Duration // after the user signed in
}

// Ended reports whether a session has ended at the time now.
func (l SessionLimits) Ended(session Session, now Time) bool {
	idle := l.Idle
	if session.Persistent {
		idle = l.PersistentIdle
	}
	return session.ExpiresAt <= now || session.LastSeenAt.Add(idle) <= now
}

// The limits of second factors.
const (
	RecoveryCodes = 10 // that a user gets at a time
	// FewRecoveryCodes is the number from which on users are told to make new ones.
	FewRecoveryCodes = 2
	// TrustLifetime is how long a browser that the user trusts is not asked for a code.
	TrustLifetime = 30 * 24 * time.Hour
	// MaxTrustedBrowsers is how many browsers a user can trust. One more ends the trust in the oldest.
	MaxTrustedBrowsers = 20
)

// Factors are what a user can prove with who they are.
type Factors struct {
	Password      bool
	AppSince      Time // when the authenticator app was set up; 0 for none
	RecoveryCodes int  // that are left
	Trusted       int  // browsers that are not asked for a code
	Passkeys      int
	Required      bool // administrators require a second factor of the user
}

// Second reports whether the user has a second factor.
func (f Factors) Second() bool { return f.App() || f.Passkeys > 0 }

// FactorRule says who must have a second factor.
type FactorRule string

// The rules. Who signs in at a provider, or through a proxy, needs none here.
const (
	FactorOptional          FactorRule = ""
	FactorForAdministrators FactorRule = "administrators"
	FactorForAll            FactorRule = "all"
)

// Valid reports whether r is one of the rules.
func (r FactorRule) Valid() bool {
	return r == FactorOptional || r == FactorForAdministrators || r == FactorForAll
}

// App reports whether the user has an authenticator app.
func (f Factors) App() bool { return f.AppSince != 0 }

// Authenticator is the secret that an authenticator app of a user shares with the server.
type Authenticator struct {
	Secret   string // as auth.NewTOTPSecret returns it
	UsedStep int64  // of the last code that was accepted: no code is accepted twice
}

// The limits of passkeys.
const (
	MaxPasskeys       = 20 // of a user
	MaxPasskeyName    = 100
	ChallengeLifetime = 15 * time.Minute // for the response of a passkey
)

// Passkey is a key pair on a device of a user, or in their password manager, with which they sign in. Only
// its public key is stored.
type Passkey struct {
	ID             PasskeyID
	UserID         UserID
	Credential     string // the id that the device has given it, as base64url
	Handle         string // 32 random bytes that stand for the user on their devices, as base64url
	PublicKey      string // as COSE key, as base64url
	SignCount      int64  // how often it was used, as the device counts, or 0
	BackupEligible bool   // it may be on several devices
	BackedUp       bool   // it is on several devices
	Transports     string // how browsers reach the device, with commas: a hint for them
	AAGUID         string // the kind of device, as base64url
	Host           string // the host of the server when it was made: it works for no other
	Name           string
	CreatedAt      Time
	LastUsedAt     Time
}

// PasskeyChallenge is a question to a passkey, which can be answered once.
type PasskeyChallenge struct {
	UserID UserID // who adds a passkey, zero for a question to any
	Data   string // what the answer is compared with, as JSON
}

// Identity is a user's account at a sign-in provider. Issuer and Subject identify it.
type Identity struct {
	Issuer     string // the URL of the provider
	Subject    string // the provider's name for the account, which never changes
	UserID     UserID
	Name       string // what the provider calls the person; it may change, and identifies nobody
	CreatedAt  Time
	LastSeenAt Time // when the user last signed in with it
}

// MaxSubject is the maximum length of Identity.Subject, in bytes. OpenID Connect allows no more.
const MaxSubject = 255

// MaxIdentityName is the length to which Identity.Name is cut, in characters.
const MaxIdentityName = 100

// ProviderPurpose is why a browser was sent to the provider.
type ProviderPurpose string

// The purposes of requests to the provider.
const (
	ToSignIn  ProviderPurpose = "sign-in"
	ToJoin    ProviderPurpose = "join"    // creates the account of an invitation
	ToConnect ProviderPurpose = "connect" // adds an identity to a user who is signed in
	ToConfirm ProviderPurpose = "confirm" // asks a user who is signed in to prove who they are
)

// ProviderRequestLifetime is how long people have to sign in at the provider.
const ProviderRequestLifetime = 15 * time.Minute

// ProviderRequest is a request to the provider until its response arrives.
type ProviderRequest struct {
	Purpose        ProviderPurpose
	Nonce          string // which the ID token must contain
	Verifier       string // of PKCE
	UserID         UserID // who is signed in, Guest if nobody is
	InvitationHash []byte // of the token, for ToJoin
	Persistent     bool   // the session is to be persistent
	Back           string // the path to go to afterwards
	ExpiresAt      Time
}

// SignInWays are the ways in which a user can sign in.
type SignInWays struct {
	Factors
	Issuers []string // of the providers at which the user has an account
}

// Purpose is what a one-time token is for.
type Purpose string

// The purposes of one-time tokens.
const (
	PurposeSetup      Purpose = "setup"      // create the first user, an administrator
	PurposeInvitation Purpose = "invitation" // create a user
	PurposePassword   Purpose = "password"   // set a new password
)

// OneTimeToken is what the holder of a one-time token may do, once.
type OneTimeToken struct {
	Purpose   Purpose
	Name      string // of the user; a suggestion if the user is yet to be created
	ExpiresAt Time   // zero for never
}

// Invitation is a one-time token that creates a user.
type Invitation struct {
	ID        InvitationID
	Name      string // a suggestion for the name of the user, or ""
	Admin     bool
	Setup     bool   // creates the first user: valid as long as there is none
	CreatedBy UserID // an administrator; zero for a setup
	CreatedAt Time
	ExpiresAt Time // zero for never
}

// PasswordReset is a one-time token with which a user sets a new password.
type PasswordReset struct {
	CreatedBy UserID // an administrator
	ExpiresAt Time
}
