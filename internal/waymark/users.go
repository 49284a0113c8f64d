package waymark

import (
	"fmt"
	"unicode/utf8"
)

// User is a person with an account.
type User struct {
	ID         UserID
	Name       string
	Admin      bool
	Disabled   bool       // a disabled user's keys and password open nothing
	Visibility Visibility // what new entries get where the request does not say
	CreatedAt  Time
}

// Guest is the viewer who is not signed in. It is no user's id.
const Guest UserID = 0

// MaySee reports whether the user, or a guest, may read an entity of that owner and
// visibility.
func (id UserID) MaySee(owner UserID, v Visibility) bool {
	switch v {
	case Public:
		return true
	case Internal:
		return id != Guest
	}
	return owner == id && id != Guest
}

// MayEdit tells whether a user may change, trash, restore or erase an entry of that owner.
func (id UserID) MayEdit(owner UserID) bool { return owner == id }

// ValidateUserName returns an error that says what is wrong with a user's name.
func ValidateUserName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("a user needs a name")
	case utf8.RuneCountInString(name) > MaxName:
		return fmt.Errorf("the name has %d characters: at most %d are allowed", utf8.RuneCountInString(name), MaxName)
	case !utf8.ValidString(name) || hasSpaceOrControl(name):
		return fmt.Errorf("the name %q has a space or a control character in it", name)
	}
	return nil
}

// Access is what a key may do.
type Access string

// The levels of access.
const (
	AccessFull Access = "full" // everything that its owner may do
	AccessRead Access = "read" // look, and change nothing
	AccessAdd  Access = "add"  // create entries, and neither look nor change
)

// ParseAccess understands full, read and add.
func ParseAccess(word string) (Access, error) {
	switch a := Access(word); a {
	case AccessFull, AccessRead, AccessAdd:
		return a, nil
	}
	return "", fmt.Errorf("access %q is not known: use full, read or add", word)
}

// Permits tells whether a key with access a may do what needs that level.
func (a Access) Permits(need Access) bool { return a == AccessFull || a == need }

// APIKey opens the API to one program in its owner's name. The secret itself is
// shown once and never kept.
type APIKey struct {
	ID         APIKeyID
	Owner      UserID
	Name       string // tells an owner's keys apart
	Access     Access
	CreatedAt  Time
	LastUsedAt Time // to the minute; zero before the first use
	ExpiresAt  Time // zero for never
}

// Expired tells whether the key has ended by now.
func (k APIKey) Expired(now Time) bool { return k.ExpiresAt != 0 && k.ExpiresAt <= now }
