package waymark

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
)

// The kinds of errors that a caller may act on. All other errors are internal errors.
var (
	// ErrNotFound means that the entity does not exist or is in the trash.
	ErrNotFound = errors.New("not found")
	// ErrForbidden means that the entity exists, but the user may not access it.
	ErrForbidden = errors.New("not allowed")
	// ErrConflict means that a value that must be unique exists already.
	ErrConflict = errors.New("already exists")
	// ErrUnavailable means that the server cannot do this at the moment: the database does not
	// respond or cannot be written, or other requests have all permits or the memory. A later
	// attempt may succeed.
	ErrUnavailable = errors.New("not available at the moment")
	// ErrBusy is an ErrUnavailable: other requests have all permits; the database works.
	ErrBusy = fmt.Errorf("%w: too busy", ErrUnavailable)
	// ErrWrongPassword means that there is no enabled user with this name and password.
	ErrWrongPassword = errors.New("wrong user name or password")
	// ErrWrongCode means that a code is not the one of the user's authenticator app, or was used before, or
	// is none of their recovery codes.
	ErrWrongCode = errors.New("wrong code")
	// ErrUnknownPasskey means that a response of a passkey does not fit, or that the passkey was removed.
	ErrUnknownPasskey = errors.New("unknown passkey")
	// ErrLastAdministrator means that the change would leave no administrator.
	ErrLastAdministrator = errors.New("the last administrator")
)

// TooManyAttempts means that a client has to wait before it may try again to sign in.
type TooManyAttempts struct{ Wait time.Duration }

func (e *TooManyAttempts) Error() string {
	return fmt.Sprintf("too many attempts: try again in %s", e.Wait.Round(time.Second))
}

// Seconds returns Wait in seconds, rounded up.
func (e *TooManyAttempts) Seconds() int { return int((e.Wait + time.Second - 1) / time.Second) }

// ConflictError is an ErrConflict that identifies the entities which cause it.
type ConflictError struct {
	Indexes []int // positions in the request, from 0
}

func (e *ConflictError) Error() string { return fmt.Sprintf("%v: entities %v", ErrConflict, e.Indexes) }

// Is makes errors.Is(e, ErrConflict) true.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// Field is a field of an input, by its name for operators. Interfaces have their own.
type Field string

// The fields that rules are about.
const (
	FieldURL         Field = "url"
	FieldTitle       Field = "title"
	FieldDescription Field = "description"
	FieldName        Field = "name"
	FieldText        Field = "text"
	FieldQuery       Field = "query"
	FieldLink        Field = "link"
	FieldLinks       Field = "links"
	FieldLists       Field = "lists"
	FieldTags        Field = "tags"
	FieldVisibility  Field = "visibility"
	FieldEntities    Field = "entities" // all entities of a request together
	FieldParent      Field = "parent"   // of a list
	FieldPosition    Field = "position" // of a list
	FieldMerge       Field = "merge"    // the links of a merge
	FieldWho         Field = "who"      // the editors of a list
	FieldUsers       Field = "users"    // who are named as editors
	FieldBefore      Field = "before"   // the list before which another one is to stand
	FieldExact       Field = "exact"    // of a passage
	FieldPrefix      Field = "prefix"   // of a passage
	FieldSuffix      Field = "suffix"   // of a passage

	FieldSavedSearches Field = "saved searches" // all of a user
	FieldAPIKeys       Field = "api keys"       // all of a user
	FieldPassages      Field = "passages"       // all of a user on a link
	FieldBundles       Field = "bundles"        // all of a user
	FieldPasskeys      Field = "passkeys"       // all of a user

	FieldImageURL    Field = "image_url"
	FieldDate        Field = "date"
	FieldRow         Field = "row"    // a row of a file that is imported
	FieldLine        Field = "line"   // a line of an archive
	FieldColumn      Field = "column" // a column of a table, or a key of JSON
	FieldMarkup      Field = "markup" // of a file of HTML or XML
	FieldFolders     Field = "folders"
	FieldFolderNames Field = "folder names"
	FieldOnDuplicate Field = "on duplicate"

	FieldPassword     Field = "password"
	FieldLanguage     Field = "language"
	FieldTimeZone     Field = "time zone"
	FieldTheme        Field = "theme"
	FieldView         Field = "view"
	FieldSnapshots    Field = "snapshots"
	FieldAttachments  Field = "attachments" // all of a link
	FieldLinksPerPage Field = "links per page"
)

// Rule is a rule that the value of a field can break.
type Rule int

// The rules. The problems of an import are stored with these numbers, so new rules go to the end.
const (
	RuleRequired   Rule = iota + 1 // the value is missing
	RuleFormat                     // the value is malformed
	RuleMaxLength                  // the value has more than Limit characters
	RuleMaxBytes                   // the value has more than Limit bytes
	RuleMaxControl                 // the value has more than Limit control characters
	RuleMaxCount                   // there are more than Limit of them
	RuleNoNUL                      // the value contains U+0000
	RuleUnique                     // another entity of the user has the value
	RuleExists                     // the value selects something that does not exist
	RuleMinLength                  // the value has fewer than Limit characters
	RuleNotFuture                  // the value is a time after now
	RuleUnchanged                  // the entity was changed after the editor has read it
	RuleNotCommon                  // the password is used by many people
	RuleNotName                    // the password is little more than the user's name
	RuleMaxDepth                   // lists would stand in each other more than Limit deep
	RuleNotInside                  // the list would stand in itself or in one of its own, or a query would contain itself
	RuleNotPrivate                 // a list that only its owner sees cannot have it
)

// Problem is one broken rule.
type Problem struct {
	Field Field
	Index int // position of the input in a request with several inputs, else 0
	Rule  Rule
	Limit int // of the rules that have one

	UpdatedAt Time // of RuleUnchanged: when the entity was changed
}

// ruleTexts describe the rules for operators, with the limit.
var ruleTexts = map[Rule]string{
	RuleRequired: "is required", RuleFormat: "is malformed", RuleMaxLength: "has more than %d characters", RuleMinLength: "has fewer than %d characters",
	RuleMaxBytes: "has more than %d bytes", RuleMaxControl: "has more than %d control characters", RuleMaxCount: "are more than %d",
	RuleNoNUL: "contains U+0000", RuleUnique: "already exists", RuleExists: "does not exist", RuleNotFuture: "is in the future",
	RuleUnchanged: "was changed by another edit", RuleNotCommon: "is used by many people", RuleNotName: "is little more than a name",
	RuleMaxDepth: "is more than %d lists deep", RuleNotInside: "is inside the list", RuleNotPrivate: "is not possible for a private list",
}

// String describes the problem for operators.
func (p Problem) String() string {
	text := cmp.Or(ruleTexts[p.Rule], "is invalid")
	if strings.Contains(text, "%d") {
		text = fmt.Sprintf(text, p.Limit)
	}
	if p.Index > 0 {
		return fmt.Sprintf("%s of input %d %s", p.Field, p.Index, text)
	}
	return string(p.Field) + " " + text
}

// ValidationError lists all that is wrong with inputs. Interfaces word it for their clients.
type ValidationError struct {
	Problems []Problem // in the order in which the rules were checked
}

// Invalid returns a ValidationError with a single problem.
func Invalid(field Field, rule Rule) *ValidationError {
	return &ValidationError{Problems: []Problem{{Field: field, Rule: rule}}}
}

func (e *ValidationError) add(field Field, rule Rule) {
	e.Problems = append(e.Problems, Problem{Field: field, Rule: rule})
}

func (e *ValidationError) addLimit(field Field, rule Rule, limit int) {
	e.Problems = append(e.Problems, Problem{Field: field, Rule: rule, Limit: limit})
}

// Merge adds err, the result of validating the input at this position of the request. It
// returns err if it is not a ValidationError.
func (e *ValidationError) Merge(index int, err error) error {
	other, ok := errors.AsType[*ValidationError](err)
	if !ok {
		return err
	}
	for _, p := range other.Problems {
		p.Index = index
		e.Problems = append(e.Problems, p)
	}
	return nil
}

// JoinInvalid returns a ValidationError with the problems of all errs, or nil if all are nil. If some
// are no ValidationErrors, it returns the first of them.
func JoinInvalid(errs ...error) error {
	var joined ValidationError
	for _, err := range errs {
		if err == nil {
			continue
		}
		invalid, ok := errors.AsType[*ValidationError](err)
		if !ok {
			return err
		}
		joined.Problems = append(joined.Problems, invalid.Problems...)
	}
	return joined.Err()
}

// Err returns e, or nil if nothing is wrong.
func (e *ValidationError) Err() error {
	if len(e.Problems) == 0 {
		return nil
	}
	return e
}

// Error lists all problems, for operators.
func (e *ValidationError) Error() string {
	var all []string
	for _, p := range e.Problems {
		all = append(all, p.String())
	}
	return "invalid input: " + strings.Join(all, "; ")
}

// InvalidInput returns a ValidationError with one problem and a text for operators.
func InvalidInput(p Problem, format string, values ...any) error {
	return &inputError{fmt.Sprintf(format, values...), &ValidationError{Problems: []Problem{p}}}
}

type inputError struct {
	text    string
	problem *ValidationError
}

func (e *inputError) Error() string { return e.text }
func (e *inputError) Unwrap() error { return e.problem }
