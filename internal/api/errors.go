package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// statusError is an error with the status and the message of its response.
type statusError struct {
	status  int
	message string
}

func (e statusError) Error() string { return e.message }

var (
	errUnauthenticated = statusError{http.StatusUnauthorized, "Unauthenticated."}
	errTooManyRequests = statusError{http.StatusTooManyRequests, "Too Many Attempts."}
)

// handleError writes the response for an error. It maps every error that a handler returns
// to a status. Internal errors are logged here, and their text is never sent.
func (a *API) handleError(w http.ResponseWriter, r *http.Request, err error) {
	var status statusError
	var fields fieldErrors
	var invalid *waymark.ValidationError
	switch {
	case errors.Is(err, httpx.ErrAborted):
		a.log.WarnContext(r.Context(), "response aborted", "error", err)
		panic(http.ErrAbortHandler) // so that the client notices that the response is incomplete
	case errors.Is(err, httpx.ErrNoMemory):
		a.log.WarnContext(r.Context(), "the memory for large request bodies is in use", "setting", "--request-memory")
		writeUnavailable(w)
	case errors.Is(err, waymark.ErrBusy):
		a.log.WarnContext(r.Context(), "too many requests of this kind at the same time", "error", err)
		writeUnavailableBecause(w, "Too many requests of this kind are running at the moment. Please try again soon.")
	case errors.As(err, &status):
		if status.status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		writeError(w, status.status, status.message)
	case errors.As(err, &invalid):
		writeFieldErrors(w, wordProblems(invalid, fieldPath))
	case errors.As(err, &fields):
		writeFieldErrors(w, fields)
	case errors.Is(err, waymark.ErrNotFound):
		writeError(w, http.StatusNotFound, "Not found.")
	case errors.Is(err, waymark.ErrForbidden):
		writeError(w, http.StatusForbidden, "This action is unauthorized.")
	case errors.Is(err, waymark.ErrUnavailable), canceled(r.Context(), err):
		if r.Context().Err() == nil || errors.Is(context.Cause(r.Context()), context.DeadlineExceeded) {
			a.log.ErrorContext(r.Context(), "database unavailable or time limit reached", "error", err)
		}
		writeUnavailable(w)
	default:
		a.log.ErrorContext(r.Context(), "request failed", "error", err)
		writeError(w, http.StatusInternalServerError, "Server Error")
	}
}

func writeUnavailable(w http.ResponseWriter) {
	writeUnavailableBecause(w, "The service is not available at the moment. Please try again soon.")
}

func writeUnavailableBecause(w http.ResponseWriter, message string) {
	w.Header().Set("Retry-After", httpx.RetryAfter)
	writeError(w, http.StatusServiceUnavailable, message)
}

// canceled reports whether err was caused by the time limit of the request or by a client
// that disconnected.
func canceled(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// errorJSON is the response for an error.
type errorJSON struct {
	Message string `json:"message"`
	Errors  object `json:"errors,omitempty"` // the sentences of each invalid field
}

func writeError(w http.ResponseWriter, status int, message string) {
	writeValue(w, status, errorJSON{Message: message}) //nolint:errcheck // texts can always be encoded
}

// fieldError is a sentence about a field of the request. The field is named by its path,
// such as models.0.url.
type fieldError struct {
	field   string
	message string
}

// fieldErrors are the errors of all fields of a request. Their response has status 422.
type fieldErrors []fieldError

func (e *fieldErrors) add(field, format string, args ...any) {
	*e = append(*e, fieldError{field, fmt.Sprintf(format, args...)})
}

// err returns e as an error, or nil if e is empty.
func (e fieldErrors) err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// Error returns the first sentence and the number of the others, as LinkAce does.
func (e fieldErrors) Error() string {
	switch len(e) {
	case 0:
		return ""
	case 1:
		return e[0].message
	case 2:
		return e[0].message + " (and 1 more error)"
	}
	return fmt.Sprintf("%s (and %d more errors)", e[0].message, len(e)-1)
}

// fieldNames are LinkAce's names of the fields.
var fieldNames = map[waymark.Field]string{
	waymark.FieldURL:         "url",
	waymark.FieldTitle:       "title",
	waymark.FieldDescription: "description",
	waymark.FieldName:        "name",
	waymark.FieldText:        "note",
	waymark.FieldLink:        "link_id",
	waymark.FieldLists:       "lists",
	waymark.FieldTags:        "tags",
	waymark.FieldVisibility:  "visibility",
	waymark.FieldEntities:    "models",
	waymark.FieldQuery:       "query",

	waymark.FieldSavedSearches: "name",

	waymark.FieldFolders:     "folders",
	waymark.FieldFolderNames: "folder_names",
	waymark.FieldOnDuplicate: "on_duplicate",

	waymark.FieldLanguage:     "language",
	waymark.FieldTimeZone:     "time_zone",
	waymark.FieldTheme:        "theme",
	waymark.FieldView:         "view",
	waymark.FieldSnapshots:    "snapshots",
	waymark.FieldLinksPerPage: "links_per_page",
}

// fieldPath and modelPath return the path of a field of a single entity, and of one of the
// models of a bulk request.
func fieldPath(_ int, field string) string     { return field }
func modelPath(index int, field string) string { return fmt.Sprintf("models.%d.%s", index, field) }

// wordProblems returns LinkAce's sentences for all errors in the input. A field or a model that
// could not be decoded has no other errors.
func wordProblems(invalid *waymark.ValidationError, path func(index int, field string) string) fieldErrors {
	var all fieldErrors
	notDecoded := map[string]bool{}
	for _, err := range invalid.DecodeErrs {
		fields, ok := errors.AsType[fieldErrors](err)
		if !ok {
			continue
		}
		for _, field := range fields {
			all = append(all, field)
			notDecoded[field.field] = true
		}
	}
	for _, p := range invalid.Problems {
		name := fieldNames[p.Field]
		field := path(p.Index, name)
		if p.Field == waymark.FieldEntities {
			field = name
		}
		if model := strings.TrimSuffix(path(p.Index, ""), "."); !notDecoded[field] && !notDecoded[model] {
			all.add(field, "%s", sentence(p, fieldLabel(name)))
		}
	}
	return all
}

// sentence returns LinkAce's sentence for a broken rule. Clients compare some of them.
func sentence(p waymark.Problem, label string) string {
	switch p.Rule {
	case waymark.RuleRequired:
		return fmt.Sprintf("The %s field is required.", label)
	case waymark.RuleFormat:
		return fmt.Sprintf("The %s format is invalid.", label)
	case waymark.RuleMaxLength:
		return fmt.Sprintf("The %s must not be greater than %d characters.", label, p.Limit)
	case waymark.RuleMaxBytes:
		return fmt.Sprintf("The %s must not be greater than %d bytes.", label, p.Limit)
	case waymark.RuleMaxControl:
		return fmt.Sprintf("The %s must not have more than %d control characters.", label, p.Limit)
	case waymark.RuleMaxCount:
		if p.Field == waymark.FieldSavedSearches {
			return fmt.Sprintf("You must not have more than %d saved searches.", p.Limit)
		}
		if p.Field == waymark.FieldEntities {
			return fmt.Sprintf("One request must not attach more than %d lists and tags, counted for each link.", p.Limit)
		}
		return fmt.Sprintf("A link must not have more than %d %s, including those in the trash and private ones of other users.", p.Limit, label)
	case waymark.RuleNoNUL:
		return fmt.Sprintf("The %s must not contain the character U+0000.", label)
	case waymark.RuleUnique:
		return fmt.Sprintf("The %s has already been taken.", label)
	case waymark.RuleExists:
		return fmt.Sprintf("The selected %s is invalid.", label)
	}
	return fmt.Sprintf("The %s is invalid.", label)
}

// fieldLabel returns the name of a field as it appears in sentences.
func fieldLabel(field string) string { return strings.ReplaceAll(field, "_", " ") }

// writeFieldErrors writes the response with status 422, sorted in the order of fieldOrder.
func writeFieldErrors(w http.ResponseWriter, unsorted fieldErrors) {
	sorted := slices.Clone(unsorted)
	slices.SortStableFunc(sorted, func(a, b fieldError) int { return compareFields(a.field, b.field) })
	var sentences object
	for first := 0; first < len(sorted); {
		var messages []string
		field := sorted[first].field
		for ; first < len(sorted) && sorted[first].field == field; first++ {
			messages = append(messages, sorted[first].message)
		}
		sentences = append(sentences, member{field, messages})
	}
	writeValue(w, http.StatusUnprocessableEntity, errorJSON{sorted.Error(), sentences}) //nolint:errcheck // texts can always be encoded
}

// fieldOrder is the order of the fields in a response with several errors.
var fieldOrder = []string{
	"model", "type", "models", "id", "link_id", "url", "name", "note", "title", "description", "query", "only_lists", "only_tags", "broken_only",
	"lists", "lists_mode", "tags", "tags_mode", "visibility", "is_private", "check_disabled",
}

// compareFields compares paths such as "models.2.url" by their number, then by their field.
func compareFields(a, b string) int {
	numberA, fieldA := splitPath(a)
	numberB, fieldB := splitPath(b)
	return cmp.Or(cmp.Compare(numberA, numberB), cmp.Compare(slices.Index(fieldOrder, fieldA), slices.Index(fieldOrder, fieldB)), cmp.Compare(fieldA, fieldB))
}

// splitPath splits models.2.url into 2 and url. The number of other paths is -1.
func splitPath(path string) (number int, field string) {
	rest, ok := strings.CutPrefix(path, "models.")
	if !ok {
		return -1, path
	}
	digits, field, _ := strings.Cut(rest, ".")
	number, err := strconv.Atoi(digits)
	if err != nil {
		return -1, path
	}
	return number, field
}
