package waymark

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Access is the access level of an API key.
type Access string

// The access levels.
const (
	AccessFull Access = "full" // everything that its owner may do
	AccessRead Access = "read" // read only
	AccessAdd  Access = "add"  // create entities only
)

// Permits reports whether a key with access a may call an operation that needs another.
func (a Access) Permits(need Access) bool { return a == AccessFull || a == need }

// MaxAPIKeys is the number of API keys that a user can have, with those that have expired.
const MaxAPIKeys = 50

// APIKey authenticates one client of its owner. The secret is shown once, and not stored.
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

// ValidateKeyName returns an error, a ValidationError, if name is not a valid name of an API key.
func ValidateKeyName(name string) error {
	switch {
	case !hasVisible(name):
		return InvalidInput(Problem{Field: FieldName, Rule: RuleRequired}, "the API key name must not be empty: use at least one visible character")
	case name != strings.TrimSpace(name):
		return InvalidInput(Problem{Field: FieldName, Rule: RuleFormat}, "invalid API key name %q: remove the space at the beginning or end", name)
	case utf8.RuneCountInString(name) > MaxName:
		return InvalidInput(Problem{Field: FieldName, Rule: RuleMaxLength, Limit: MaxName}, "the API key name has %d characters: use at most %d", utf8.RuneCountInString(name), MaxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return InvalidInput(Problem{Field: FieldName, Rule: RuleFormat}, "invalid API key name %q: do not use control characters", name)
	}
	return nil
}
