package httpx

import (
	"context"
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
// Content-Length. In a longer one, a client that receives less than 64 KiB in each timeout
// is disconnected.
//
// Like bufio.Writer it has AvailableBuffer, so that an encoder can append to it
// without a copy. The caller must call Close.
type StreamWriter struct {
	w           http.ResponseWriter
	ctx         context.Context // of the request
	contentType string
	timeout     time.Duration
	permitted   func(context.Context) error
	watch       *streamWatch // of a response in parts, nil before the first
	pooled      *[]byte
	buf         []byte
	err         error
}

// NewStreamWriter returns a StreamWriter for the response to r that allows timeout for each
// part. It calls permitted, unless that is nil, about every second of a response in parts,
// also while a part is being sent. If permitted returns an error, the response is aborted.
func NewStreamWriter(w http.ResponseWriter, r *http.Request, contentType string, timeout time.Duration, permitted func(context.Context) error) *StreamWriter {
	pooled := bufPool.Get().(*[]byte)
	return &StreamWriter{w: w, ctx: r.Context(), contentType: contentType, timeout: timeout, permitted: permitted, pooled: pooled, buf: (*pooled)[:0]}
}

// AvailableBuffer returns an empty slice to append to and pass to the next Write.
func (s *StreamWriter) AvailableBuffer() []byte { return s.buf[len(s.buf):] }

// Write buffers b. If the buffer already contains a part, Write sends that first. Its error is
// ErrAborted, or ErrNoMemory if nothing was sent because the budget of w is used up.
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

// Close sends the rest of the response, unless err is not nil or a part could not be sent. Then it
// returns ErrAborted if the response has begun, or else err itself: the caller can still respond
// with an error.
func (s *StreamWriter) Close(err error) error {
	defer s.release()
	switch {
	case s.watch != nil:
		return s.closeParts(err)
	case err != nil:
		return err
	}
	WriteBody(s.w, http.StatusOK, s.contentType, s.buf)
	return nil
}

// closeParts sends the rest of a response in parts.
func (s *StreamWriter) closeParts(err error) error {
	if s.err == nil && err != nil {
		s.err = fmt.Errorf("%w: %w", ErrAborted, s.watch.cause(err))
	}
	s.flush()
	s.watch.stop()
	if s.err == nil {
		s.watch.afterWrites()
	}
	return s.err
}

// flush sends the buffer as one part of several.
func (s *StreamWriter) flush() {
	if s.err != nil {
		return
	}
	if s.watch == nil {
		s.w.Header()["Content-Type"] = []string{s.contentType}
		s.watch = watchStream(s.ctx, s.w, s.timeout, s.permitted)
	}
	err := s.watch.beforeWrite()
	if err == nil {
		_, err = s.w.Write(s.buf)
	}
	if err != nil {
		s.watch.conn.discardUnsent()
		s.err = fmt.Errorf("%w: %w", ErrAborted, s.watch.cause(err))
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
