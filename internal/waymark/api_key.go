package waymark

// Access is the access level of an API key.
type Access string

// The access levels.
const (
	AccessFull Access = "full" // everything that its owner may do
	AccessRead Access = "read" // read only
	AccessAdd  Access = "add"  // create entities only
)

// Permits reports whether a key with access a may call an operation that needs the level
// need.
func (a Access) Permits(need Access) bool { return a == AccessFull || a == need }

// APIKey authenticates one client of its owner. The secret is shown once and never
// stored.
type APIKey struct {
	ID         APIKeyID
	Owner      UserID
	Name       string // unique among the owner's keys
	Access     Access
	CreatedAt  Time
	LastUsedAt Time // accurate to a minute; zero if never used
	ExpiresAt  Time // zero for never
}

// Expired reports whether the key has expired at the time now.
func (k APIKey) Expired(now Time) bool { return k.ExpiresAt != 0 && k.ExpiresAt <= now }
