package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/server"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// settings returns the default settings with a temporary directory and a free port.
func settings(t *testing.T) config.Serve {
	t.Helper()
	s := config.Default()
	s.Listen = "127.0.0.1:0"
	s.Fetch.Metadata.Metadata, s.Fetch.Check = "off", "off"
	s.Store = config.Store{Data: t.TempDir()}
	return s
}

// start runs a server. stop stops it and returns the error of Run.
func start(t *testing.T, s config.Serve) (ready server.Ready, stop func() error) {
	t.Helper()
	return startWithLog(t, s, io.Discard)
}

// startWithLog is start for a server with a log.
func startWithLog(t *testing.T, s config.Serve, log io.Writer) (ready server.Ready, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	started := make(chan server.Ready, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- server.Run(ctx, "v1.2.3", s, slog.New(slog.NewTextHandler(log, nil)), func(r server.Ready) { started <- r })
	}()
	stop = func() error {
		cancel()
		return <-ended
	}
	select {
	case ready = <-started:
	case err := <-ended:
		t.Fatalf("the server did not start: %v", err)
	}
	return ready, stop
}

func TestServerStartsAndStops(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	s := settings(t)
	for range 2 { // the second start needs the lock of the directory
		ready, stop := start(t, s)
		response, err := http.Get(ready.URL + "/healthz")
		check(t, err)
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("got %s from a ready server", response.Status)
		}
		if !strings.HasPrefix(ready.Setup, ready.URL+"/setup/") {
			t.Errorf("got setup URL %q for a new database", ready.Setup)
		}
		http.DefaultClient.CloseIdleConnections()
		if err := stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
		if _, err := http.Get(ready.URL + "/healthz"); err == nil {
			t.Error("a stopped server responds")
		}
	}
	goleak.VerifyNone(t, leaks)
}

// newKey creates a user with an API key, also while a server is running.
func newKey(t *testing.T, s config.Serve) string {
	t.Helper()
	st, err := store.Open(t.Context(), store.Options{Dir: s.Store.Data, Database: s.Store.Database})
	check(t, err)
	defer st.Close()
	users := accounts.New(st, accounts.Options{})
	if _, err := users.AddUser(t.Context(), "ann", ""); err != nil {
		t.Fatal(err)
	}
	secret, _, err := users.AddAPIKey(t.Context(), "ann", "test", waymark.AccessFull, 0)
	check(t, err)
	return secret
}

func TestStoppingFinishesRunningRequests(t *testing.T) {
	s := settings(t)
	ready, stop := start(t, s)
	key := newKey(t, s)
	conn, err := net.Dial("tcp", strings.TrimPrefix(ready.URL, "http://"))
	check(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	const body = `{"url":"https://go.dev/","title":"Go"}`
	fmt.Fprintf(conn, "POST /api/v2/links HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
		"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n", key, len(body))
	responses := bufio.NewReader(conn)
	// The server sends 100 Continue when the handler reads the body: the request is running.
	if line, err := responses.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("got %q, %v, want 100 Continue", line, err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	for { // until the listener is closed
		other, err := net.Dial("tcp", conn.RemoteAddr().String())
		if err != nil {
			break
		}
		other.Close()
	}
	io.WriteString(conn, body)
	got, err := io.ReadAll(responses)
	if err != nil || !strings.Contains(string(got), "HTTP/1.1 200 OK") || !strings.Contains(string(got), `"https://go.dev/"`) {
		t.Errorf("got %q, %v, want the whole response", got, err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestStoppingAServerThatStartsIsNoError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := server.Run(ctx, "v1.2.3", settings(t), slog.New(slog.DiscardHandler), func(server.Ready) { t.Error("the server is ready") })
	if err != nil {
		t.Errorf("got error %v", err)
	}
}
