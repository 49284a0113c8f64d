package waymark

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// User is a person with an account.
type User struct {
	ID                UserID
	Name              string
	Admin             bool // may manage users in the pages
	Disabled          bool // API keys, password and sessions of a disabled user are rejected
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

// ValidateUserName returns an error, a ValidationError, if name is not a valid user name.
func ValidateUserName(name string) error {
	switch {
	case name == "":
		return InvalidInput(Problem{Field: FieldName, Rule: RuleRequired}, "the user name must not be empty")
	case utf8.RuneCountInString(name) > MaxName:
		return InvalidInput(Problem{Field: FieldName, Rule: RuleMaxLength, Limit: MaxName}, "the user name has %d characters: use at most %d", utf8.RuneCountInString(name), MaxName)
	case name == "." || name == "..": // browsers remove them from URLs
		return InvalidInput(Problem{Field: FieldName, Rule: RuleFormat}, "invalid user name %q: use letters or digits", name)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !isVisible(r) || !unicode.IsPrint(r) }):
		return InvalidInput(Problem{Field: FieldName, Rule: RuleFormat}, "invalid user name %q: do not use spaces or characters that cannot be seen", name)
	}
	return nil
}

// UserSummary describes a user for administrators.
type UserSummary struct {
	User
	Links      int  // without the trash
	LastSeenAt Time // in a session or with an API key; zero if unknown
	// PasswordReset is the one-time token with which they can set a new password, zero for none.
	PasswordReset PasswordReset
}
