package httpx

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// minCompressed is the smallest size of a body, in bytes, for which compression saves a packet.
const minCompressed = 1400

// Represent is middleware that compresses responses for clients that accept gzip, and adds an
// entity tag to responses to reads: a client gets 304 if it already has the response. Both apply
// only to texts with status 200, but not with Cache-Control: no-store, because such responses may
// contain secrets. The tag is a hash of the body. A response in chunks has no tag, because the
// header is sent before the body is complete.
func Represent(next http.Handler, compress bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rw := &representation{ResponseWriter: w, r: r, compress: compress}
		next.ServeHTTP(rw, r)
		rw.finish() // not after a panic: the client must notice that the body is incomplete
	})
}

// representation is the ResponseWriter of Represent. It holds back the header of a
// response with status 200 until the first Write, which shows whether the body is whole.
type representation struct {
	http.ResponseWriter
	r        *http.Request
	compress bool
	held     bool      // the status 200 is held back
	begun    bool      // the header is sent
	body     *gzipBody // of a response that is compressed in chunks
	discard  bool      // the response is 304, its body is not sent
}

// Unwrap is called by http.ResponseController.
func (w *representation) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader sends the header, or holds it back.
func (w *representation) WriteHeader(status int) {
	if status == http.StatusOK && !w.begun {
		w.held = true
		return
	}
	w.begun = w.begun || status >= http.StatusOK
	w.ResponseWriter.WriteHeader(status)
}

// Write sends b, compressed if the client accepts that.
func (w *representation) Write(b []byte) (int, error) {
	if !w.begun {
		h := w.Header()
		if whole := h["Content-Length"]; len(whole) == 1 && whole[0] == strconv.Itoa(len(b)) {
			return w.writeWhole(b)
		}
		w.beginChunks()
	}
	switch {
	case w.discard:
		return len(b), nil
	case w.body == nil:
		return w.ResponseWriter.Write(b)
	}
	if err := w.writeChunk(b, false); err != nil {
		return 0, err
	}
	return len(b), nil
}

// FlushError sends the buffered bytes. It is called by http.ResponseController.
func (w *representation) FlushError() error {
	if !w.begun {
		w.beginChunks()
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// writeWhole sends the whole body b.
func (w *representation) writeWhole(b []byte) (int, error) {
	h := w.Header()
	if !representable(h) {
		return w.send(b)
	}
	h["Vary"] = append(h["Vary"], "Accept-Encoding")
	if w.r.Method == http.MethodGet || w.r.Method == http.MethodHead {
		// The tag is weak because the compressed body has the same one.
		etag := `W/"` + strconv.FormatUint(xxhash.Sum64(b), 36) + `"`
		h["Etag"] = []string{etag}
		if notModified(w.r, etag) {
			h.Del("Content-Type")
			h.Del("Content-Length")
			w.begun, w.discard = true, true
			w.ResponseWriter.WriteHeader(http.StatusNotModified)
			return len(b), nil
		}
	}
	if w.compress && len(b) >= minCompressed && AcceptsGzip(w.r) {
		body := gzipBody{out: make([]byte, 0, len(b)/4)}
		compressed := body.compress(b, true)
		h["Content-Encoding"] = gzipEncoding
		h["Content-Length"] = []string{strconv.Itoa(len(compressed))}
		if _, err := w.send(compressed); err != nil {
			return 0, err
		}
		return len(b), nil
	}
	return w.send(b)
}

// beginChunks sends the header of a response whose length is not known.
func (w *representation) beginChunks() {
	h := w.Header()
	if representable(h) && h["Content-Length"] == nil {
		h["Vary"] = append(h["Vary"], "Accept-Encoding")
		if w.compress && AcceptsGzip(w.r) {
			h["Content-Encoding"] = gzipEncoding
			w.body = &gzipBody{}
		}
	}
	w.sendHeader()
}

// writeChunk sends a chunk of a compressed body at once, not when net/http's buffer is full:
// compressed chunks are small, and the client would get them late.
func (w *representation) writeChunk(b []byte, last bool) error {
	if _, err := w.ResponseWriter.Write(w.body.compress(b, last)); err != nil {
		return err
	}
	if last {
		return nil
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// finish sends the rest of the response after the handler has returned.
func (w *representation) finish() {
	if !w.begun && w.held {
		w.sendHeader()
	}
	if w.body != nil {
		w.writeChunk(nil, true) //nolint:errcheck // the client is gone
	}
}

func (w *representation) send(b []byte) (int, error) {
	w.sendHeader()
	return w.ResponseWriter.Write(b)
}

func (w *representation) sendHeader() {
	w.begun = true
	w.ResponseWriter.WriteHeader(http.StatusOK)
}

// gzipEncoding is a header value that responses share. It must not be modified.
var gzipEncoding = []string{"gzip"}

// representable reports whether a response with these headers is a text that may be stored
// and has no encoding and no tag of its own.
func representable(h http.Header) bool {
	if h["Content-Encoding"] != nil || h["Etag"] != nil {
		return false
	}
	if control := h["Cache-Control"]; len(control) > 0 && strings.Contains(control[0], "no-store") {
		return false
	}
	contentType, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return contentType == "application/json" || strings.HasPrefix(contentType, "text/") ||
		strings.HasSuffix(contentType, "+json") || strings.HasSuffix(contentType, "+xml")
}
