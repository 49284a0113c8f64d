// Package httpx has code that every HTTP interface uses: the public URL of a request, reading a
// body up to a limit, the memory of large bodies, writing a response in chunks, compression, static
// files, and recording responses. It has no routes, wire formats or entities.
package httpx

import (
	"errors"
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
	return readAll(LimitBody(w, r.Body, limit), r.ContentLength)
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

// readAll is io.ReadAll for a body with a known length, or -1. Its buffer grows with the bytes that
// have arrived, to at most one byte more than the body.
func readAll(body io.Reader, length int64) ([]byte, error) {
	if length < 0 {
		return io.ReadAll(body)
	}
	b := make([]byte, 0, min(length, smallBody)+1) // one more, to read the end of the body
	for {
		n, err := body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return b, err
		case len(b) == cap(b):
			b = append(make([]byte, 0, min(2*int64(cap(b)), length+1)), b...)
		}
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
