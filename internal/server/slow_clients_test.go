package server

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// testTimeout is far longer than the limits under test.
const testTimeout = 10 * time.Second

// serveHTTP serves handler with the server that limit has changed, and returns a connection to it. A
// test sets the limit that it is about.
func serveHTTP(t *testing.T, limit func(*http.Server), handler http.HandlerFunc) net.Conn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	server := newHTTPServer(handler, slog.New(slog.DiscardHandler))
	limit(server)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Close()
		<-done
	})
	conn, err := net.Dial("tcp", listener.Addr().String())
	check(t, err)
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(testTimeout))
	return conn
}

// writeSlowly sends text one byte at a time until the server closes the connection.
func writeSlowly(conn net.Conn, text string) {
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for i := range len(text) {
		if _, err := conn.Write([]byte{text[i]}); err != nil {
			return
		}
		<-ticker.C
	}
}

// readAll reads until the server closes the connection.
func readAll(t *testing.T, conn net.Conn) string {
	t.Helper()
	all, err := io.ReadAll(conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the connection is still open")
	}
	return string(all)
}

func TestSlowHeaderClosesTheConnection(t *testing.T) {
	conn := serveHTTP(t, func(s *http.Server) { s.ReadHeaderTimeout = 100 * time.Millisecond }, func(http.ResponseWriter, *http.Request) { t.Error("an incomplete header reached the handler") })
	go writeSlowly(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "+strings.Repeat("a", 900))
	readAll(t, conn)
}

func TestSilentConnectionIsClosed(t *testing.T) {
	conn := serveHTTP(t, func(s *http.Server) { s.ReadHeaderTimeout = 100 * time.Millisecond }, func(http.ResponseWriter, *http.Request) {})
	readAll(t, conn)
}

func TestSlowBodyTimesOut(t *testing.T) {
	read := make(chan error, 1)
	conn := serveHTTP(t, func(s *http.Server) { s.ReadTimeout = 200 * time.Millisecond }, func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		read <- err
	})
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
	go writeSlowly(conn, strings.Repeat("a", 1000))
	readAll(t, conn)
	if err := <-read; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got error %v, want os.ErrDeadlineExceeded", err)
	}
}

func TestClientThatDoesNotReadTimesOut(t *testing.T) {
	written := make(chan error, 1)
	conn := serveHTTP(t, func(s *http.Server) { s.WriteTimeout = 300 * time.Millisecond }, func(w http.ResponseWriter, r *http.Request) {
		block := make([]byte, 1<<20)
		for {
			if _, err := w.Write(block); err != nil {
				written <- err
				return
			}
		}
	})
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	select {
	case <-written:
	case <-time.After(testTimeout):
		t.Error("the response is still being written")
	}
}

func TestHeaderSizeIsLimited(t *testing.T) {
	conn := serveHTTP(t, func(s *http.Server) { s.MaxHeaderBytes = 1 << 10 }, func(http.ResponseWriter, *http.Request) { t.Error("a large header reached the handler") })
	go io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Huge: "+strings.Repeat("a", 1<<16)+"\r\n\r\n")
	if got := readAll(t, conn); !strings.HasPrefix(got, "HTTP/1.1 431 ") {
		t.Errorf("got %.40q, want 431", got)
	}
}
