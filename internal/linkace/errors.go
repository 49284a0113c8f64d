package linkace

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// problem is an error that has its status and its sentence already.
type problem struct {
	status  int
	message string
}

func (p problem) Error() string { return p.message }

var errUnauthenticated = problem{http.StatusUnauthorized, "Unauthenticated."}

// retryAfter is how long a client should wait when the store cannot serve, in seconds.
const retryAfter = "5"

// handleError answers with an error: the one place where errors become statuses. What is
// nobody's but ours is logged here, once, and never sent.
func (a *API) handleError(w http.ResponseWriter, r *http.Request, err error) {
	var known problem
	var invalid *waymark.ValidationError
	switch {
	case errors.Is(err, httpx.ErrAborted):
		a.log.WarnContext(r.Context(), "response aborted", "error", err)
		panic(http.ErrAbortHandler) // the client must not take what it has for the whole
	case errors.As(err, &known):
		if known.status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		writeError(w, known.status, known.message)
	case errors.As(err, &invalid):
		writeValidationError(w, invalid)
	case errors.Is(err, waymark.ErrNotFound):
		writeError(w, http.StatusNotFound, "Not found.")
	case errors.Is(err, waymark.ErrForbidden):
		writeError(w, http.StatusForbidden, "This action is unauthorized.")
	case errors.Is(err, waymark.ErrUnavailable), ended(r.Context(), err):
		if r.Context().Err() == nil || errors.Is(context.Cause(r.Context()), context.DeadlineExceeded) {
			a.log.ErrorContext(r.Context(), "database unavailable", "error", err)
		}
		w.Header().Set("Retry-After", retryAfter)
		writeError(w, http.StatusServiceUnavailable, "The service is not available at the moment. Please try again soon.")
	default:
		a.log.ErrorContext(r.Context(), "request failed", "error", err)
		writeError(w, http.StatusInternalServerError, "Server Error")
	}
}

// ended tells whether err came from the end of the request's time, or from a
// client that went away.
func ended(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

func writeError(w http.ResponseWriter, status int, message string) {
	writeBody(w, status, append(appendString([]byte(`{"message":`), message), '}'))
}

// writeValidationError names every broken rule, field by field, in the order in which the
// contract lists the fields.
func writeValidationError(w http.ResponseWriter, invalid *waymark.ValidationError) {
	problems := slices.Clone(invalid.Problems)
	slices.SortStableFunc(problems, func(a, b waymark.Problem) int { return compareFields(a.Field, b.Field) })
	body := append([]byte(`{"message":`), appendString(nil, (&waymark.ValidationError{Problems: problems}).Error())...)
	body = append(body, `,"errors":{`...)
	last := ""
	for i, p := range problems {
		switch {
		case i > 0 && p.Field == last:
			body = append(body, ',')
		case i > 0:
			body = append(body, `],`...)
			fallthrough
		default:
			body = append(appendString(body, p.Field), `:[`...)
		}
		body = appendString(body, p.Sentence)
		last = p.Field
	}
	writeBody(w, http.StatusUnprocessableEntity, append(body, `]}}`...))
}

// fieldOrder is the order in which fields are named where several are wrong.
var fieldOrder = []string{
	"model", "type", "models", "id", "link_id", "url", "name", "note", "title", "description", "query", "only_lists", "only_tags", "broken_only",
	"lists", "lists_mode", "tags", "tags_mode", "visibility", "is_private", "check_disabled",
}

// compareFields orders "models.2.url" by its number, then by its field.
func compareFields(a, b string) int {
	numberA, fieldA := splitField(a)
	numberB, fieldB := splitField(b)
	return cmp.Or(cmp.Compare(numberA, numberB), cmp.Compare(slices.Index(fieldOrder, fieldA), slices.Index(fieldOrder, fieldB)), cmp.Compare(fieldA, fieldB))
}

func splitField(name string) (number int, field string) {
	rest, ok := strings.CutPrefix(name, "models.")
	if !ok {
		return -1, name
	}
	digits, field, _ := strings.Cut(rest, ".")
	number, err := strconv.Atoi(digits)
	if err != nil {
		return -1, name
	}
	return number, field
}
