package karakeep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// statusError is an error with the status of its response, and Karakeep's code for it.
type statusError struct {
	status        int
	code, message string
}

func (e statusError) Error() string { return e.message }

var (
	errUnauthorized    = statusError{http.StatusUnauthorized, "Unauthorized", "The header Authorization has no valid API key. It should be \"Bearer KEY\"."}
	errTooManyRequests = statusError{http.StatusTooManyRequests, "TooManyRequests", "Too many requests. Please try again later."}
)

func badRequest(message string) statusError {
	return statusError{http.StatusBadRequest, "BadRequest", message}
}

// handleError writes the response for an error. It maps every error that a handler returns to a status.
// Internal errors are logged here, and their text is never sent.
func (a *API) handleError(w http.ResponseWriter, r *http.Request, err error) {
	var status statusError
	var invalid *waymark.ValidationError
	switch {
	case errors.Is(err, httpx.ErrAborted):
		a.Log.WarnContext(r.Context(), "response aborted", "error", err)
		panic(http.ErrAbortHandler) // so that the client notices the incomplete response
	case errors.As(err, &status):
	case errors.As(err, &invalid):
		status = badRequest(invalid.Error())
	case errors.Is(err, waymark.ErrNotFound):
		status = statusError{http.StatusNotFound, "NotFound", "There is no such list or bookmark."}
	case errors.Is(err, waymark.ErrForbidden):
		status = statusError{http.StatusForbidden, "Forbidden", "The API key does not permit this, or the list or bookmark is another user's."}
	case errors.Is(err, waymark.ErrBusy), errors.Is(err, waymark.ErrUnavailable), errors.Is(err, httpx.ErrNoMemory), r.Context().Err() != nil,
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		a.Log.WarnContext(r.Context(), "request not served", "error", err)
		w.Header().Set("Retry-After", httpx.RetryAfter)
		status = statusError{http.StatusServiceUnavailable, "Unavailable", "The service is not available at the moment. Please try again soon."}
	default:
		a.Log.ErrorContext(r.Context(), "request failed", "error", err)
		status = statusError{http.StatusInternalServerError, "InternalError", "The server had an error. Its log says more."}
	}
	httpx.WriteJSON(w, status.status, map[string]string{"code": status.code, "message": status.message}) //nolint:errcheck // texts can always be encoded
}

// writeDone writes the response to a change that has no other one. Karakeep responds with 204 and no body, but
// floccus's app fails if there is no JSON.
func writeDone(w http.ResponseWriter) error { return httpx.WriteJSON(w, http.StatusOK, struct{}{}) }

// readJSON decodes the body of a request, a JSON object. Unknown fields are ignored.
func (a *API) readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	body, err := httpx.ReadBody(w, r, int64(a.Settings.BodyLimit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return statusError{http.StatusRequestEntityTooLarge, "TooLarge", fmt.Sprintf("The body must not be larger than %d bytes.", tooLarge.Limit)}
	case errors.Is(err, httpx.ErrNoMemory):
		return err
	case err != nil:
		return badRequest("The body could not be read to its end.")
	}
	if err := json.Unmarshal(body, into); err != nil {
		return badRequest("The body is not the JSON object that is expected: " + err.Error())
	}
	return nil
}
