// Package httpx holds what every HTTP interface shares: the public URL of a
// request, reading a body up to a limit, a memory budget, writing a response in parts, compression,
// static files, and recording what was sent. It knows no routes, no wire formats and
// no entities.
package httpx

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// ReadBody reads the body of a request. If the body is larger than limit bytes, the
// error is an *http.MaxBytesError and the connection is closed after the response.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		w.Header().Set("Connection", "close")
		return nil, &http.MaxBytesError{Limit: limit}
	}
	return io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
}

// WriteBody sends a response with a complete body. It returns no error because
// nothing can be done about one: the client is gone.
func WriteBody(w http.ResponseWriter, status int, contentType string, body []byte) {
	h := w.Header()
	h["Content-Type"] = []string{contentType}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // see above
}

// WithPath returns a shallow copy of r whose URL has another path. rawPath is the
// escaped form of path, or "" for the default one, as in url.URL.
func WithPath(r *http.Request, path, rawPath string) *http.Request {
	changed := *r
	changed.URL = new(url.URL)
	*changed.URL = *r.URL
	changed.URL.Path, changed.URL.RawPath = path, rawPath
	return &changed
}
