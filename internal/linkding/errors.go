package linkding

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/waymark"
)

var (
	errNotFound    = notFound("Not found.")
	errNoBookmark  = notFound("No Bookmark matches the given query.")
	errNoBundle    = notFound("No BookmarkBundle matches the given query.")
	errNoAssetLink = notFound("Bookmark does not exist")
	errNoAsset     = notFound("No BookmarkAsset matches the given query.")
	errNoTag       = notFound("No Tag matches the given query.")
)

func notFound(detail string) rest.Error {
	return rest.Error{Status: http.StatusNotFound, Sentence: detail}
}

func badRequest(detail string) rest.Error {
	return rest.Error{Status: http.StatusBadRequest, Sentence: detail}
}

// fieldErrors are the errors of the fields of a request, in the order of the fields. A value is a list of
// sentences, or an object with one for each invalid element of a list.
type fieldErrors httpx.Object

func (e *fieldErrors) add(field string, sentences ...string) {
	*e = append(*e, httpx.Member{Name: field, Value: sentences})
}

// has reports whether a field has an error.
func (e fieldErrors) has(field string) bool {
	return slices.ContainsFunc(e, func(m httpx.Member) bool { return m.Name == field })
}

// err returns e as an error, or nil if e is empty.
func (e fieldErrors) err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// Error lists the fields.
func (e fieldErrors) Error() string {
	text := "invalid fields:"
	for _, f := range e {
		text += " " + f.Name
	}
	return text
}

// dialect are linkding's words for errors.
func dialect(log *slog.Logger) rest.Dialect {
	return rest.Dialect{
		APIKey: func(r *http.Request) string { return rest.Secret(r, "Token", "Bearer") }, Scheme: "Token",
		NoKey: "Authentication credentials were not provided.", UnknownKey: "Invalid token.",
		Forbidden: "You do not have permission to perform this action.", NotFound: errNotFound.Sentence,
		TooMany: "Request was throttled.", Internal: "Server Error",
		WrongMethod: func(method, _ string) string { return `Method "` + method + `" not allowed.` },
		Body:        func(e rest.Error) any { return map[string]string{"detail": e.Sentence} },
		OwnError:    ownError,
		Log:         log,
	}
}

// ownError returns the response for an error of an upload or about fields, nil for others.
func ownError(err error) (status int, body any) {
	var asset assetError
	var fields fieldErrors
	var invalid *waymark.ValidationError
	switch {
	case errors.As(err, &asset):
		return asset.status, map[string]string{"error": asset.sentence}
	case errors.As(err, &fields):
		body = httpx.Object(fields)
	case errors.As(err, &invalid):
		body = httpx.Object(wordProblems(invalid))
	}
	return http.StatusBadRequest, body
}

// wordProblems returns the sentences for rules of Waymark that a request has broken.
func wordProblems(invalid *waymark.ValidationError) (fields fieldErrors) {
	for _, p := range invalid.Problems {
		field, sentence := string(p.Field), "Invalid input."
		switch p.Field {
		case waymark.FieldTags:
			field = "tag_names"
		case waymark.FieldText:
			field = "notes"
		case waymark.FieldBundles:
			field = nonField
		}
		switch p.Rule {
		case waymark.RuleRequired:
			sentence = blank
		case waymark.RuleFormat:
			sentence = invalidURL
		case waymark.RuleMaxLength, waymark.RuleMaxBytes:
			sentence = tooLong(p.Limit)
		case waymark.RuleMaxCount:
			sentence = fmt.Sprintf("Ensure this field has no more than %d elements.", p.Limit)
		case waymark.RuleNoNUL:
			sentence = noNUL
		case waymark.RuleMaxControl:
			sentence = fmt.Sprintf("Ensure this field has no more than %d control characters.", p.Limit)
		case waymark.RuleUnique:
			sentence = "A bookmark with this URL already exists."
		}
		fields.add(field, sentence)
	}
	return fields
}

// assetError is an error of an upload, with the status and the sentence of its response.
type assetError struct {
	status   int
	sentence string
}

func (e assetError) Error() string { return e.sentence }

// nonField is the field of errors that are not about a field.
const nonField = "non_field_errors"

// The sentences of errors.
const (
	required    = "This field is required."
	null        = "This field may not be null."
	blank       = "This field may not be blank."
	invalidText = "Not a valid string."
	invalidBool = "Must be a valid boolean."
	invalidInt  = "A valid integer is required."
	invalidTime = "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."
	invalidURL  = "Enter a valid URL."
	farTime     = "Datetime value out of range."
	noNUL       = "Null characters are not allowed."
)

func tooLong(limit int) string {
	return fmt.Sprintf("Ensure this field has no more than %d characters.", limit)
}

// The media types of bodies.
const (
	jsonType      = httpx.JSONType
	formType      = "application/x-www-form-urlencoded"
	multipartType = "multipart/form-data"
)

// writeNothing writes a response with status 204, or returns the error of the operation.
func writeNothing(w http.ResponseWriter, err error) error {
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// timeText returns a time as linkding writes it: in UTC, with six decimals, or none if they are zero.
func timeText(t waymark.Time) string {
	return strings.Replace(t.String(), ".000000Z", "Z", 1)
}

// optional returns nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
