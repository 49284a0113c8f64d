package linkding

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// statusError is an error with the status and the sentence of its response.
type statusError struct {
	status int
	detail string
}

func (e statusError) Error() string { return e.detail }

var (
	errNotFound        = statusError{http.StatusNotFound, "Not found."}
	errNoBookmark      = statusError{http.StatusNotFound, "No Bookmark matches the given query."}
	errNoBundle        = statusError{http.StatusNotFound, "No BookmarkBundle matches the given query."}
	errNoAssetLink     = statusError{http.StatusNotFound, "Bookmark does not exist"}
	errNoAsset         = statusError{http.StatusNotFound, "No BookmarkAsset matches the given query."}
	errNoTag           = statusError{http.StatusNotFound, "No Tag matches the given query."}
	errTooManyRequests = statusError{http.StatusTooManyRequests, "Request was throttled."}
)

func unauthorized(detail string) statusError { return statusError{http.StatusUnauthorized, detail} }

func badRequest(detail string) statusError { return statusError{http.StatusBadRequest, detail} }

// fieldErrors are the errors of the fields of a request, in the order of the fields. A value is a list of
// sentences, or an object with one for each invalid element of a list.
type fieldErrors httpx.Object

func (e *fieldErrors) add(field string, sentences ...string) {
	*e = append(*e, httpx.Member{Name: field, Value: sentences})
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

// handleError writes the response for an error. It maps every error that a handler returns to a status.
// Internal errors are logged here, and their text is never sent.
func (a *API) handleError(w http.ResponseWriter, r *http.Request, err error) {
	var status statusError
	var asset assetError
	var fields fieldErrors
	var invalid *waymark.ValidationError
	switch {
	case errors.Is(err, httpx.ErrAborted):
		a.Log.WarnContext(r.Context(), "response aborted", "error", err)
		panic(http.ErrAbortHandler) // so that the client notices the incomplete response
	case errors.As(err, &status):
		if status.status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", "Token")
		}
		writeDetail(w, status.status, status.detail)
	case errors.As(err, &asset):
		httpx.WriteJSON(w, asset.status, map[string]string{"error": asset.sentence}) //nolint:errcheck // texts can always be encoded
	case errors.As(err, &fields):
		httpx.WriteJSON(w, http.StatusBadRequest, httpx.Object(fields)) //nolint:errcheck // texts can always be encoded
	case errors.As(err, &invalid):
		httpx.WriteJSON(w, http.StatusBadRequest, httpx.Object(wordProblems(invalid))) //nolint:errcheck // texts can always be encoded
	case errors.Is(err, waymark.ErrNotFound):
		writeDetail(w, http.StatusNotFound, errNotFound.detail)
	case errors.Is(err, waymark.ErrForbidden):
		writeDetail(w, http.StatusForbidden, "You do not have permission to perform this action.")
	case errors.Is(err, waymark.ErrBusy), errors.Is(err, waymark.ErrUnavailable), r.Context().Err() != nil,
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		a.Log.WarnContext(r.Context(), "request not served", "error", err)
		w.Header().Set("Retry-After", httpx.RetryAfter)
		writeDetail(w, http.StatusServiceUnavailable, "The service is not available at the moment. Please try again soon.")
	default:
		a.Log.ErrorContext(r.Context(), "request failed", "error", err)
		writeDetail(w, http.StatusInternalServerError, "Server Error")
	}
}

func writeDetail(w http.ResponseWriter, status int, detail string) {
	httpx.WriteJSON(w, status, map[string]string{"detail": detail}) //nolint:errcheck // texts can always be encoded
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
