package waymark

import "time"

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
