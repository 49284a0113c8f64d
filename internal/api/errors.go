package api

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"waymark/internal/crawl"
	"waymark/internal/httpx"
	"waymark/internal/query"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/waymark"
)

// dialect are LinkAce's words for errors.
func dialect(log *slog.Logger) rest.Dialect {
	return rest.Dialect{
		APIKey: apiKey, Scheme: "Bearer",
		NoKey: "Unauthenticated.", UnknownKey: "Unauthenticated.", Forbidden: "This action is unauthorized.", NotFound: "Not found.",
		TooMany: "Too Many Attempts.", Internal: "Server Error",
		WrongMethod: func(method, allow string) string {
			return "The method " + method + " is not supported here. Supported: " + allow + "."
		},
		Body:     func(e rest.Error) any { return errorJSON{Message: e.Sentence} },
		OwnError: fieldsError,
		Log:      log,
	}
}

// fieldsError returns the response for an error about fields, nil for others.
func fieldsError(err error) (status int, body any) {
	var fields fieldErrors
	var invalid *waymark.ValidationError
	switch {
	case errors.As(err, &invalid):
		body = newFieldErrorsJSON(wordProblems(invalid, fieldPath, nil))
	case errors.As(err, &fields):
		body = newFieldErrorsJSON(fields)
	}
	return http.StatusUnprocessableEntity, body
}

// errorJSON is the response for an error.
type errorJSON struct {
	Message string       `json:"message"`
	Errors  httpx.Object `json:"errors,omitempty"` // the sentences of each invalid field

	Position *int `json:"position,omitempty"` // of what is wrong in a query, in characters
}

// addProblem adds a problem of the query in a field.
func (e *fieldErrors) addProblem(field string, problem query.Problem) {
	*e = append(*e, fieldError{field, fmt.Sprintf("The %s is invalid: %s.", field, problem.Error()), &problem.Position})
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

// newFieldErrorsJSON returns the response for errors, sorted in the order of fieldOrder.
func newFieldErrorsJSON(unsorted fieldErrors) errorJSON {
	sorted := slices.Clone(unsorted)
	slices.SortStableFunc(sorted, func(a, b fieldError) int { return compareFields(a.field, b.field) })
	var sentences httpx.Object
	var position *int
	for first := 0; first < len(sorted); {
		var messages []string
		field := sorted[first].field
		for ; first < len(sorted) && sorted[first].field == field; first++ {
			messages = append(messages, sorted[first].message)
			position = cmp.Or(position, sorted[first].position)
		}
		sentences = append(sentences, httpx.Member{Name: field, Value: messages})
	}
	return errorJSON{sorted.Error(), sentences, position}
}

// actionErrors are the messages for fetches, checks and moves that are not possible.
var actionErrors = map[error]string{
	crawl.ErrNoPages:    "This server does not fetch pages.",
	crawl.ErrNoChecks:   "This server does not check links.",
	crawl.ErrNotChecked: "This link is not checked: its check_disabled is set.",
	crawl.ErrChecksOff:  "You have turned off that links are checked.",
	service.ErrNotMoved: "No new URL of this link is known.",
}

// actionError returns the statusError for an error in actionErrors, and other errors unchanged.
func actionError(err error) error {
	for known, message := range actionErrors {
		if errors.Is(err, known) {
			return rest.Error{Status: http.StatusConflict, Sentence: message}
		}
	}
	return err
}
