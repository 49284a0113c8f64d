package httpx

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// ErrAborted is the error of a response that failed after its first part was sent.
// The connection must be closed, because the client has a 200 and part of the body.
var ErrAborted = errors.New("response aborted")

// flushSize is the number of buffered bytes at which a StreamWriter sends a part.
const flushSize = 64 << 10

// bufPool holds the buffers of StreamWriters, as *[]byte.
var bufPool = sync.Pool{New: func() any { b := make([]byte, 0, flushSize+flushSize/4); return &b }}

// StreamWriter writes a response with status 200 in parts, so that a response of any
// length needs the same memory. A response that fits into one part is sent with its
// Content-Length. Each part has its own write deadline: a client that reads more
// slowly is disconnected.
//
// Like bufio.Writer it has AvailableBuffer, so that an encoder can append to it
// without a copy. The caller must call Close.
type StreamWriter struct {
	w           http.ResponseWriter
	contentType string
	timeout     time.Duration
	pooled      *[]byte
	buf         []byte
	sent        bool // the first part
	err         error
}

// NewStreamWriter returns a StreamWriter on w that allows timeout for each part.
func NewStreamWriter(w http.ResponseWriter, contentType string, timeout time.Duration) *StreamWriter {
	pooled := bufPool.Get().(*[]byte)
	return &StreamWriter{w: w, contentType: contentType, timeout: timeout, pooled: pooled, buf: (*pooled)[:0]}
}

// AvailableBuffer returns an empty slice to append to and pass to the next Write.
func (s *StreamWriter) AvailableBuffer() []byte { return s.buf[len(s.buf):] }

// Write buffers b. It first sends what is buffered if that is a part. Its error is
// ErrAborted.
func (s *StreamWriter) Write(b []byte) (int, error) {
	if len(s.buf) >= flushSize {
		s.flush()
	}
	if s.err != nil {
		return 0, s.err
	}
	s.buf = append(s.buf, b...)
	return len(b), nil
}

// Close sends the rest of the response, unless err is an error or a part could not be
// sent. It returns that error: ErrAborted if the response has begun, err itself if
// nothing was sent and the caller can still respond with an error.
func (s *StreamWriter) Close(err error) error {
	defer s.release()
	switch {
	case s.err != nil:
		return s.err
	case err != nil && s.sent:
		return fmt.Errorf("%w: %w", ErrAborted, err)
	case err != nil:
		return err
	case s.sent:
		s.flush()
		return s.err
	}
	WriteBody(s.w, http.StatusOK, s.contentType, s.buf)
	return nil
}

// flush sends the buffer as one part of several.
func (s *StreamWriter) flush() {
	if s.err != nil {
		return
	}
	if !s.sent {
		s.w.Header()["Content-Type"] = []string{s.contentType}
		s.sent = true
	}
	err := http.NewResponseController(s.w).SetWriteDeadline(time.Now().Add(s.timeout))
	if err == nil || errors.Is(err, http.ErrNotSupported) {
		_, err = s.w.Write(s.buf)
	}
	if err != nil {
		s.err = fmt.Errorf("%w: %w", ErrAborted, err)
	}
	s.buf = s.buf[:0]
}

// release returns the buffer to the pool, unless one large entity has made it huge.
func (s *StreamWriter) release() {
	if cap(s.buf) <= 4*flushSize {
		*s.pooled = s.buf
	}
	s.buf = nil
	bufPool.Put(s.pooled)
}
