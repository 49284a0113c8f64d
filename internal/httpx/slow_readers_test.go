package httpx_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"waymark/internal/httpx"
)

// oneConn is a listener with one connection, which is in memory, so that a test can use a clock of its own.
type oneConn struct{ conn chan net.Conn }

func (l oneConn) Accept() (net.Conn, error) {
	if conn, ok := <-l.conn; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (l oneConn) Close() error { return nil }

func (l oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// streamTimeout is the timeout of the streams of these tests.
const streamTimeout = time.Second

// readStream runs a test with a connection on which a stream of 4 MiB was requested. The error of the stream is sent to
// ended.
func readStream(t *testing.T, test func(t *testing.T, conn net.Conn, ended <-chan error)) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			s := httpx.NewStreamWriter(w, "text/plain")
			s.Timeout = streamTimeout
			_, err := io.Copy(s, io.LimitReader(endless{}, 4<<20))
			ended <- s.Close(err)
		})}
		listener := oneConn{make(chan net.Conn, 1)}
		near, far := net.Pipe()
		listener.conn <- far
		go server.Serve(listener) //nolint:errcheck // it ends with the listener
		_, err := io.WriteString(near, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		check(t, err)
		test(t, near, ended)
		near.Close()
		close(listener.conn)
	})
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestSilentReaderIsCutOff(t *testing.T) {
	readStream(t, func(t *testing.T, _ net.Conn, ended <-chan error) {
		began := time.Now()
		if err := <-ended; !errors.Is(err, httpx.ErrAborted) || time.Since(began) > 2*streamTimeout {
			t.Errorf("got error %v after %s, want ErrAborted after %s", err, time.Since(began), streamTimeout)
		}
	})
}

// The client reads 4 MiB in 64 steps, so that the whole stream takes several times the timeout.
func TestSteadyReaderIsNotCutOff(t *testing.T) {
	readStream(t, func(t *testing.T, conn net.Conn, ended <-chan error) {
		var read int64
		for {
			n, err := io.CopyN(io.Discard, conn, 64<<10)
			if read += n; err != nil {
				break
			}
			time.Sleep(streamTimeout / 10)
		}
		if err := <-ended; err != nil || read < 4<<20 {
			t.Errorf("got %d bytes, error %v, want the whole stream", read, err)
		}
	})
}
