package server

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are in memory, so that a test can use a clock of its own.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn, ok := <-p; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// Clients that send or read nothing are cut off.
func TestSilentClientsAreCutOff(t *testing.T) {
	const request = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
	for name, test := range map[string]struct {
		sent   string // by the client
		silent bool   // it reads nothing
		want   time.Duration
	}{
		"no header":        {"", false, readHeaderTimeout},
		"a part of it":     {request[:20], false, readHeaderTimeout},
		"a part of a body": {request + "a", false, readTimeout},
		"does not read":    {request + strings.Repeat("a", 1000), true, writeTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				listener := make(pipes, 1)
				server := newHTTPServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if _, err := io.Copy(io.Discard, r.Body); err == nil {
						for err == nil { // until the client is cut off
							_, err = w.Write(make([]byte, 1<<20))
						}
					}
					panic(http.ErrAbortHandler)
				}), slog.New(slog.DiscardHandler))
				closed := make(chan struct{})
				server.ConnState = func(_ net.Conn, state http.ConnState) {
					if state == http.StateClosed {
						close(closed)
					}
				}
				ended := make(chan error, 1)
				go func() { ended <- server.Serve(listener) }()
				near, far := net.Pipe()
				listener <- far
				began := time.Now()
				io.WriteString(near, test.sent)
				if !test.silent {
					go io.Copy(io.Discard, near)
				}
				<-closed
				if got := time.Since(began); got < test.want || got > test.want+2*time.Second {
					t.Errorf("got an end after %s, want %s", got, test.want)
				}
				close(listener)
				<-ended
			})
		})
	}
}
