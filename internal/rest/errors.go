package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"unicode/utf8"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// Error is an error with the status and the sentence of its response.
type Error struct {
	Status   int
	Sentence string
}

func (e Error) Error() string { return e.Sentence }

// ErrIncomplete means that the client sent less than the whole body, or took too long.
var ErrIncomplete = Error{http.StatusBadRequest, "The body could not be read to its end."}

// Dialect are the words of an API: where it expects the API key, and how it sends errors.
type Dialect struct {
	APIKey func(*http.Request) string // "" if the request has none
	Scheme string                     // of the header WWW-Authenticate

	// The sentences of errors.
	NoKey, UnknownKey, Forbidden, NotFound, TooMany, Internal string
	WrongMethod                                               func(method, allow string) string

	// Body returns the JSON of an error.
	Body func(Error) any
	// OwnError returns the status and the JSON for errors that only this API has, nil for others.
	OwnError func(error) (status int, body any)

	Log *slog.Logger
}

// WriteError writes the response for an error. It maps every error that a handler returns to a status.
// Internal errors are logged here, and their text is never sent.
func (d *Dialect) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, httpx.ErrAborted) {
		d.Log.WarnContext(r.Context(), "response aborted", "error", err)
		panic(http.ErrAbortHandler) // so that the client notices the incomplete response
	}
	status, body := d.OwnError(err)
	if body == nil {
		known := d.errorOf(r, err)
		status, body = known.Status, d.Body(known)
	}
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", d.Scheme)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", httpx.RetryAfter)
	}
	httpx.WriteJSON(w, status, body) //nolint:errcheck // texts can always be encoded
}

const unavailable = "The service is not available at the moment. Please try again soon."

// errorOf returns the status and the sentence for an error that all APIs have.
func (d *Dialect) errorOf(r *http.Request, err error) Error {
	var known Error
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &tooLarge): // the body of the request
		return Error{http.StatusRequestEntityTooLarge, fmt.Sprintf("The body must not be larger than %d bytes.", tooLarge.Limit)}
	case errors.Is(err, waymark.ErrNotFound):
		return Error{http.StatusNotFound, d.NotFound}
	case errors.Is(err, waymark.ErrForbidden):
		return Error{http.StatusForbidden, d.Forbidden}
	case errors.Is(err, httpx.ErrNoMemory):
		d.Log.WarnContext(r.Context(), "the memory for large request bodies is in use")
		return Error{http.StatusServiceUnavailable, unavailable}
	case errors.Is(err, waymark.ErrBusy):
		d.Log.WarnContext(r.Context(), "too many requests of this kind at the same time", "error", err)
		return Error{http.StatusServiceUnavailable, "Too many requests of this kind are running at the moment. Please try again soon."}
	case errors.Is(err, waymark.ErrUnavailable), canceled(r.Context(), err):
		if r.Context().Err() == nil || errors.Is(context.Cause(r.Context()), context.DeadlineExceeded) {
			d.Log.ErrorContext(r.Context(), "database unavailable or time limit reached", "error", err)
		}
		return Error{http.StatusServiceUnavailable, unavailable}
	}
	d.Log.ErrorContext(r.Context(), "request failed", "error", err)
	return Error{http.StatusInternalServerError, d.Internal}
}

// canceled reports whether err comes from the time limit or a client that disconnected.
func canceled(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// Excerpt shortens a value that a client sent, for use in an error message.
func Excerpt(s string) string {
	const maxLength = 60
	if utf8.RuneCountInString(s) <= maxLength {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return string([]rune(s)[:maxLength]) + "…"
}
