package waymark

import "time"

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
