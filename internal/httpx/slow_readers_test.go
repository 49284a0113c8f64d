package httpx_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"waymark/internal/httpx"
)

// serveStream serves a stream of 4 MiB with a timeout, and returns a connection on which it was
// requested. The error of the stream is sent to ended.
func serveStream(t *testing.T, timeout time.Duration, ended chan<- error) net.Conn {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s := httpx.NewStreamWriter(w, "text/plain")
		s.Timeout = timeout
		_, err := io.Copy(s, io.LimitReader(endless{}, 4<<20))
		ended <- s.Close(err)
	}))
	server.Config.ConnContext = httpx.ConnContext
	server.Start()
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
	check(t, err)
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return conn
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestSilentReaderIsCutOff(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	serveStream(t, 200*time.Millisecond, ended)
	select {
	case err := <-ended:
		if !errors.Is(err, httpx.ErrAborted) {
			t.Errorf("got error %v, want ErrAborted", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the stream of a client that reads nothing did not end")
	}
}

// The client reads 4 MiB in 64 steps, so that the whole stream takes several times the timeout.
func TestSteadyReaderIsNotCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads for two seconds")
	}
	t.Parallel()
	ended := make(chan error, 1)
	conn := serveStream(t, 500*time.Millisecond, ended)
	ticker := time.NewTicker(30 * time.Millisecond)
	defer ticker.Stop()
	var read int64
	for {
		n, err := io.CopyN(io.Discard, conn, 64<<10)
		read += n
		if err != nil {
			break
		}
		<-ticker.C
	}
	if err := <-ended; err != nil || read < 4<<20 {
		t.Errorf("got %d bytes, error %v, want the whole stream", read, err)
	}
}
