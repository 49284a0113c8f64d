package waymark

import "time"

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
