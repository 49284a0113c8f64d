package waymark

import (
	"fmt"
	"unicode/utf8"
)

// User is a person with an account.
type User struct {
	ID                UserID
	Name              string
	Admin             bool // without effect until there is a web interface
	Disabled          bool // API keys and password of a disabled user are rejected
	DefaultVisibility DefaultVisibility
	CreatedAt         Time
}

// Guest is the viewer who is not signed in. It is the id of no user.
const Guest UserID = 0

// MaySee reports whether a user, or a guest, may read an entity with this owner and
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

// MayEdit reports whether a user may edit, delete and restore an entity with this owner.
func (id UserID) MayEdit(owner UserID) bool { return owner == id }

// ValidateUserName returns an error if name is not a valid user name.
func ValidateUserName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("the user name must not be empty")
	case utf8.RuneCountInString(name) > MaxName:
		return fmt.Errorf("the user name has %d characters: use at most %d", utf8.RuneCountInString(name), MaxName)
	case !utf8.ValidString(name) || hasSpaceOrControl(name):
		return fmt.Errorf("invalid user name %q: do not use spaces or control characters", name)
	}
	return nil
}
