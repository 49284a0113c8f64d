package httpx

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"
)

// minCompressed is the smallest size of a body, in bytes, for which compression saves a packet.
const minCompressed = 1400

// compressors holds *gzip.Writers, each of 800 KB. Higher levels cost too much processor time for what they
// save: docs/decisions/0011-compression.md.
var compressors = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is valid
	}
	return w
}}

// newCompressor returns a writer that compresses to another one. The caller puts it back.
func newCompressor(to io.Writer) *gzip.Writer {
	w := compressors.Get().(*gzip.Writer)
	w.Reset(to)
	return w
}

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
	held     bool         // the status 200 is held back
	begun    bool         // the header is sent
	chunks   *gzip.Writer // of a response that is compressed in chunks
	discard  bool         // the response is 304, its body is not sent
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
	case w.chunks == nil:
		return w.ResponseWriter.Write(b)
	}
	// At once, not when net/http's buffer is full: compressed chunks are small, and the client would get them late.
	n, err := w.chunks.Write(b)
	if err == nil {
		err = w.FlushError()
	}
	return n, err
}

// FlushError sends the buffered bytes. It is called by http.ResponseController.
func (w *representation) FlushError() error {
	if !w.begun {
		w.beginChunks()
	}
	if w.chunks != nil {
		if err := w.chunks.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// writeWhole sends the whole body b.
func (w *representation) writeWhole(b []byte) (int, error) {
	h := w.Header()
	if !representable(h) {
		return w.send(b)
	}
	AddVary(h, "Accept-Encoding")
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
	if w.compress && len(b) >= minCompressed && acceptsGzip(w.r) {
		var compressed bytes.Buffer
		compressor := newCompressor(&compressed)
		compressor.Write(b) //nolint:errcheck // a buffer returns no errors
		compressor.Close()  //nolint:errcheck // as above
		compressors.Put(compressor)
		h["Content-Encoding"] = gzipEncoding
		h["Content-Length"] = []string{strconv.Itoa(compressed.Len())}
		if _, err := w.send(compressed.Bytes()); err != nil {
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
		AddVary(h, "Accept-Encoding")
		if w.compress && acceptsGzip(w.r) {
			h["Content-Encoding"] = gzipEncoding
			w.chunks = newCompressor(w.ResponseWriter)
		}
	}
	w.sendHeader()
}

// finish sends the rest of the response after the handler has returned.
func (w *representation) finish() {
	if !w.begun && w.held {
		w.sendHeader()
	}
	if w.chunks != nil {
		w.chunks.Close() //nolint:errcheck // the client is gone
		compressors.Put(w.chunks)
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
