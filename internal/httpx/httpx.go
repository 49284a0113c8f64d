// Package httpx has code that every HTTP interface uses: the public URL of a request, reading a
// body up to a limit, the memory of large bodies, writing a response in chunks, compression, static
// files, and recording responses. It has no routes, wire formats or entities.
package httpx

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// RetryAfter is the value of the header Retry-After while the database is not available: the
// seconds after which a client should try again.
const RetryAfter = "5"

// ReadBody reads the body of a request. If the body is larger than limit bytes, the
// error is an *http.MaxBytesError and the connection is closed after the response.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		w.Header().Set("Connection", "close")
		return nil, &http.MaxBytesError{Limit: limit}
	}
	return io.ReadAll(LimitBody(w, r.Body, limit))
}

// LimitBody is http.MaxBytesReader for a writer that wraps the server's writer. Only with the
// latter can http.MaxBytesReader close the connection after the response.
func LimitBody(w http.ResponseWriter, body io.ReadCloser, limit int64) io.ReadCloser {
	for {
		wrapped, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return http.MaxBytesReader(w, body, limit)
		}
		w = wrapped.Unwrap()
	}
}

// WriteBody sends a complete body. An error means that the client has disconnected.
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

// WithoutSlash removes the slash at the end of the path, so that /links/ becomes /links.
func WithoutSlash(r *http.Request) *http.Request {
	path, found := strings.CutSuffix(r.URL.Path, "/")
	if !found {
		return r
	}
	return WithPath(r, path, strings.TrimSuffix(r.URL.RawPath, "/"))
}
