package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"waymark/internal/config"
)

// A user who sends large bodies slowly uses all memory for them. Requests with small bodies go on.
func TestLargeBodiesBeyondTheMemoryAre503(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		conn := s.dial(t)
		defer conn.Close()
		fmt.Fprintf(conn, "POST /api/v2/bulk/links HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 2000000\r\n\r\n%s", ann.key, strings.Repeat(" ", 1_900_000))
		body := func(size int) string { return `{"name":"` + s.uniqueName() + `"}` + strings.Repeat(" ", size) }
		wantSoon(t, 503, func() response { return ben.post(t, "/tags", body(500_000)) })
		refused := ben.post(t, "/tags", body(500_000)).wantError(t, 503, "The service is not available at the moment. Please try again soon.")
		if got := refused.header.Get("Retry-After"); got != "5" {
			t.Errorf("got Retry-After %q, want 5", got)
		}
		ben.post(t, "/tags", body(50_000)).ok(t)
		ben.get(t, "/tags").ok(t)
		conn.Close()
		wantSoon(t, 200, func() response { return ben.post(t, "/tags", body(500_000)) })
	}, func(c *config.API) { c.RequestMemory = 2 << 20 })
}

// wantSoon repeats a call until it has this status.
func wantSoon(t *testing.T, status int, call func() response) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; {
		got := call()
		if got.status == status {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("got %d, want %d: %s", got.status, status, got.body)
		}
	}
}
