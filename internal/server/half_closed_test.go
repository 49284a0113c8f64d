package server_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// halfClose sends a whole request as nc -N does: it closes the sending side of the
// connection and waits for the response. It returns the status.
func halfClose(t *testing.T, baseURL, request string) int {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(baseURL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprint(conn, request)
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%.40q: %v", request, err)
	}
	response.Body.Close()
	return response.StatusCode
}

func TestClientThatClosesItsSendingSideGetsItsResponse(t *testing.T) {
	s := settings(t)
	ready, stop := start(t, s)
	key := newKey(t, s)
	for i := range 20 {
		body := fmt.Sprintf(`{"url":"https://go.dev/%d"}`, i)
		for _, request := range []string{
			fmt.Sprintf("POST /api/v2/links HTTP/1.0\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", key, len(body), body),
			"GET /api/v2/links HTTP/1.0\r\nAuthorization: Bearer " + key + "\r\n\r\n",
			"GET /api/v2/search/links?query=go HTTP/1.0\r\nAuthorization: Bearer " + key + "\r\n\r\n",
			"GET /healthz HTTP/1.0\r\n\r\n",
		} {
			if got := halfClose(t, ready.URL, request); got != http.StatusOK {
				t.Errorf("%.30q: got %d, want 200", request, got)
			}
		}
	}
	if err := stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}
