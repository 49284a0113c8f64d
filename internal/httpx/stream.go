package httpx

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// ErrAborted is the error of a response that failed after its first chunk was sent.
// The connection must be closed, because the client has a 200 and part of the body.
var ErrAborted = errors.New("response aborted")

// flushSize is the number of bytes at which a StreamWriter sends a chunk, of at most maxChunk bytes.
const (
	flushSize = 64 << 10
	maxChunk  = flushSize + flushSize/4
)

// StreamTimeout is how long a client may take to receive one chunk of a response. Together with the
// send buffer, a client that receives 4 KB in each second needs less.
const StreamTimeout = time.Minute

// sendBuffer limits the bytes that the system buffers for a client. By default these are megabytes: a
// write would wait until the client has received a large part of them.
const sendBuffer = 128 << 10

// ConnContext is the ConnContext of an http.Server. It limits the send buffer of a connection, so that
// StreamTimeout is enough for a slow client.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetWriteBuffer(sendBuffer) //nolint:errcheck // the default size remains
	}
	return ctx
}

// bufPool holds the buffers of StreamWriters, as *[]byte.
var bufPool = sync.Pool{New: func() any { b := make([]byte, 0, maxChunk); return &b }}

// StreamWriter writes a response with status 200 in chunks, so that a response of any
// length needs the same memory. A response that fits into one chunk is sent with its
// Content-Length. In a longer one, a client that does not receive a chunk within Timeout is
// disconnected.
// The caller must call Close.
type StreamWriter struct {
	Timeout time.Duration // see StreamTimeout

	w           http.ResponseWriter
	contentType string
	begun       bool // a chunk was sent
	pooled      *[]byte
	buf         []byte
	err         error
}

// NewStreamWriter returns a StreamWriter for the response to a request, with StreamTimeout.
func NewStreamWriter(w http.ResponseWriter, contentType string) *StreamWriter {
	pooled := bufPool.Get().(*[]byte)
	return &StreamWriter{Timeout: StreamTimeout, w: w, contentType: contentType, pooled: pooled, buf: (*pooled)[:0]}
}

// Write buffers b. It first sends what is buffered if that is a chunk. Its error is ErrAborted.
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

// Close sends the rest of the response, unless err is not nil or a chunk could not be sent. Then it
// returns ErrAborted if the response has begun, or else err itself: the caller can still respond
// with an error.
func (s *StreamWriter) Close(err error) error {
	defer s.release()
	switch {
	case s.begun:
		if s.err == nil && err != nil {
			s.err = fmt.Errorf("%w: %w", ErrAborted, err)
		}
		s.flush()
		return s.err
	case err != nil:
		return err
	}
	WriteBody(s.w, http.StatusOK, s.contentType, s.buf)
	return nil
}

// flush sends the buffer as one of several chunks, or as several ones if it is large.
func (s *StreamWriter) flush() {
	if s.err != nil {
		return
	}
	if !s.begun {
		s.w.Header()["Content-Type"] = []string{s.contentType}
		s.begun = true
	}
	for chunk := range slices.Chunk(s.buf, maxChunk) {
		if err := s.send(chunk); err != nil {
			s.err = fmt.Errorf("%w: %w", ErrAborted, err)
			break
		}
	}
	s.buf = s.buf[:0]
}

func (s *StreamWriter) send(chunk []byte) error {
	deadline := time.Now().Add(s.Timeout)
	if err := http.NewResponseController(s.w).SetWriteDeadline(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	_, err := s.w.Write(chunk)
	return err
}

// release returns the buffer to the pool, unless one large entity has made it huge.
func (s *StreamWriter) release() {
	if cap(s.buf) <= 4*flushSize {
		*s.pooled = s.buf
	}
	s.buf = nil
	bufPool.Put(s.pooled)
}
