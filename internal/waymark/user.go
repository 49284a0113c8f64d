package waymark

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/secure/precis"
	"golang.org/x/text/unicode/norm"
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

// MayEdit reports whether a user may edit, delete and restore an entity with this owner: see User.MayWrite.
func (id UserID) MayEdit(owner UserID) bool {
	return User{ID: id}.MayWrite(Target{Owner: owner}) == nil
}

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
	case isMistakable(name):
		return InvalidInput(Problem{Field: FieldName, Rule: RuleFormat}, "invalid user name %q: use letters of one alphabet, digits and ASCII signs", name)
	}
	return nil
}

// alphabets have letters that look like those of another one.
var alphabets = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic}

// likeLatin are Cyrillic and Greek letters that look like Latin ones.
const likeLatin = "аеорсухіјѕһԛԝԁ" + "АВЕКМНОРСТУХІЈЅ" + "αικνορυχ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"

// isMistakable reports whether a name could be taken for another one: it mixes alphabets, consists of letters that look
// like Latin ones, or has characters that RFC 8265 keeps out of user names, such as letters of full width.
func isMistakable(name string) bool {
	of := map[*unicode.RangeTable]bool{}
	letters, similar := 0, 0
	for _, r := range name {
		for _, alphabet := range alphabets {
			if unicode.Is(alphabet, r) {
				of[alphabet] = true
				letters++
			}
		}
		if strings.ContainsRune(likeLatin, r) {
			similar++
		}
	}
	plain, err := precis.UsernameCasePreserved.String(name)
	return err != nil || plain != norm.NFC.String(name) || len(of) > 1 || letters > 0 && letters == similar
}

// UserSummary describes a user for administrators.
type UserSummary struct {
	User
	Links      int  // without the trash
	LastSeenAt Time // in a session or with an API key; zero if unknown
	// PasswordReset is the one-time token with which they can set a new password, zero for none.
	PasswordReset PasswordReset
}

// AuditEvent is a change of a user, an API key or a one-time token, for the log.
type AuditEvent struct {
	ID     int64
	At     Time
	Event  string // such as "API key added"
	User   string // the name of the user that was changed, who has the key, or who changed the invitation
	Key    string // the name of the key, "" for other events
	Detail string // "" for none
}

// UserPermit returns nil if a user may be changed or removed, and an error otherwise. others
// is the number of other enabled administrators.
type UserPermit func(user User, others int) error
