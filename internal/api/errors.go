package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

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
	var inQuery queryError
	var tooLarge *http.MaxBytesError
	var invalid *waymark.ValidationError
	switch {
	case errors.Is(err, httpx.ErrAborted):
		a.Log.WarnContext(r.Context(), "response aborted", "error", err)
		panic(http.ErrAbortHandler) // so that the client notices the incomplete response
	case errors.Is(err, httpx.ErrNoMemory):
		a.Log.WarnContext(r.Context(), "the memory for large request bodies is in use")
		writeUnavailable(w, unavailable)
	case errors.Is(err, waymark.ErrBusy):
		a.Log.WarnContext(r.Context(), "too many requests of this kind at the same time", "error", err)
		writeUnavailable(w, "Too many requests of this kind are running at the moment. Please try again soon.")
	case errors.As(err, &status):
		if status.status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		writeError(w, status.status, status.message)
	case errors.As(err, &tooLarge): // the body of the request
		writeError(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("The body must not be larger than %d bytes.", tooLarge.Limit))
	case errors.As(err, &invalid):
		writeFieldErrors(w, wordProblems(invalid, fieldPath), nil)
	case errors.As(err, &inQuery):
		writeFieldErrors(w, inQuery.fieldErrors, &inQuery.position)
	case errors.As(err, &fields):
		writeFieldErrors(w, fields, nil)
	case errors.Is(err, waymark.ErrNotFound):
		writeError(w, http.StatusNotFound, "Not found.")
	case errors.Is(err, waymark.ErrForbidden):
		writeError(w, http.StatusForbidden, "This action is unauthorized.")
	case errors.Is(err, waymark.ErrUnavailable), canceled(r.Context(), err):
		if r.Context().Err() == nil || errors.Is(context.Cause(r.Context()), context.DeadlineExceeded) {
			a.Log.ErrorContext(r.Context(), "database unavailable or time limit reached", "error", err)
		}
		writeUnavailable(w, unavailable)
	default:
		a.Log.ErrorContext(r.Context(), "request failed", "error", err)
		writeError(w, http.StatusInternalServerError, "Server Error")
	}
}

const unavailable = "The service is not available at the moment. Please try again soon."

func writeUnavailable(w http.ResponseWriter, message string) {
	w.Header().Set("Retry-After", httpx.RetryAfter)
	writeError(w, http.StatusServiceUnavailable, message)
}

// canceled reports whether err comes from the time limit or a client that disconnected.
func canceled(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// errorJSON is the response for an error.
type errorJSON struct {
	Message string       `json:"message"`
	Errors  httpx.Object `json:"errors,omitempty"` // the sentences of each invalid field

	Position *int `json:"position,omitempty"` // of what is wrong in the parameter q, in characters
}

func writeError(w http.ResponseWriter, status int, message string) {
	httpx.WriteJSON(w, status, errorJSON{Message: message}) //nolint:errcheck // texts can always be encoded
}

// fieldError is a sentence about a field, which is named by its path, such as models.0.url.
type fieldError struct {
	field   string
	message string
}

// fieldErrors are the errors of all fields of a request. Their response has status 422.
type fieldErrors []fieldError

func (e *fieldErrors) add(field, format string, args ...any) {
	*e = append(*e, fieldError{field, fmt.Sprintf(format, args...)})
}

// queryError is fieldErrors with one about the parameter q.
type queryError struct {
	fieldErrors
	position int // of what is wrong in q, in characters
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

// writeFieldErrors writes the response with status 422, sorted in the order of fieldOrder. position is where the
// parameter q is wrong, or nil.
func writeFieldErrors(w http.ResponseWriter, unsorted fieldErrors, position *int) {
	sorted := slices.Clone(unsorted)
	slices.SortStableFunc(sorted, func(a, b fieldError) int { return compareFields(a.field, b.field) })
	var sentences httpx.Object
	for first := 0; first < len(sorted); {
		var messages []string
		field := sorted[first].field
		for ; first < len(sorted) && sorted[first].field == field; first++ {
			messages = append(messages, sorted[first].message)
		}
		sentences = append(sentences, httpx.Member{Name: field, Value: messages})
	}
	httpx.WriteJSON(w, http.StatusUnprocessableEntity, errorJSON{sorted.Error(), sentences, position}) //nolint:errcheck // texts can always be encoded
}
