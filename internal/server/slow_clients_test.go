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

	"waymark/internal/config"
)

// patience is how long a test waits for what must happen much sooner.
const patience = 10 * time.Second

// serveHTTP serves handler with short limits, and returns a connection to it.
func serveHTTP(t *testing.T, handler http.HandlerFunc) net.Conn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := newHTTPServer(handler, config.HTTP{
		ReadHeaderTimeout: 100 * time.Millisecond,
		ReadTimeout:       200 * time.Millisecond,
		WriteTimeout:      300 * time.Millisecond,
		IdleTimeout:       100 * time.Millisecond,
		HeaderLimit:       1 << 10,
	}, slog.New(slog.DiscardHandler))
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Close()
		<-done
	})
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	return conn
}

// dribble sends text one byte at a time until the peer has had enough.
func dribble(conn net.Conn, text string) {
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	for i := range len(text) {
		if _, err := conn.Write([]byte{text[i]}); err != nil {
			return
		}
		<-pause.C
	}
}

// readAll reads until the peer ends the connection, which it must do before long.
func readAll(t *testing.T, conn net.Conn) string {
	t.Helper()
	all, err := io.ReadAll(conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the connection is still open")
	}
	return string(all)
}

func TestDribbledHeadEndsTheConnection(t *testing.T) {
	conn := serveHTTP(t, func(http.ResponseWriter, *http.Request) { t.Error("half a head reached the handler") })
	go dribble(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "+strings.Repeat("a", 900))
	readAll(t, conn)
}

func TestSilentPeerIsLeft(t *testing.T) {
	conn := serveHTTP(t, func(http.ResponseWriter, *http.Request) {})
	readAll(t, conn)
}

func TestIdleConnectionEnds(t *testing.T) {
	conn := serveHTTP(t, func(http.ResponseWriter, *http.Request) {})
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if got := readAll(t, conn); !strings.HasPrefix(got, "HTTP/1.1 200 ") {
		t.Errorf("got %q, want an answer before the end", got)
	}
}

func TestDribbledBodyEndsTheRequest(t *testing.T) {
	read := make(chan error, 1)
	conn := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		read <- err
	})
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
	go dribble(conn, strings.Repeat("a", 1000))
	readAll(t, conn)
	if err := <-read; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got error %v, want the body's time to be over", err)
	}
}

func TestPeerThatDoesNotReadEndsTheAnswer(t *testing.T) {
	written := make(chan error, 1)
	conn := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		part := make([]byte, 1<<20)
		for {
			if _, err := w.Write(part); err != nil {
				written <- err
				return
			}
		}
	})
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	select {
	case <-written:
	case <-time.After(patience):
		t.Error("the answer is still being written")
	}
}

func TestHeadHasALimit(t *testing.T) {
	conn := serveHTTP(t, func(http.ResponseWriter, *http.Request) { t.Error("a huge head reached the handler") })
	go io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Huge: "+strings.Repeat("a", 1<<16)+"\r\n\r\n")
	if got := readAll(t, conn); !strings.HasPrefix(got, "HTTP/1.1 431 ") {
		t.Errorf("got %.40q, want 431", got)
	}
}
