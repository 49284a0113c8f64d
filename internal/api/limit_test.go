package api

import (
	"strconv"
	"testing"

	"waymark/internal/config"
	"waymark/internal/waymark"
)

func TestRequestsOfEachUserAreLimited(t *testing.T) {
	limited := func(c *config.API) {
		check(t, c.RateLimit.UnmarshalText([]byte("5/min")))
	}
	s := newTestServer(t, limited)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	phone := s.addKey(t, "ann", "phone", waymark.AccessFull, 0)
	for i := range 5 {
		who := []*testClient{ann, phone}[i%2] // the keys of a user share the limit
		got := who.get(t, []string{"/links", "/links/99", "/lists", "/version", "/nothing"}[i])
		if i == 4 {
			continue // unknown paths do not count
		}
		limit, left := got.header.Get("X-RateLimit-Limit"), got.header.Get("X-RateLimit-Remaining")
		if limit != "5" || left != strconv.Itoa(4-i) {
			t.Errorf("call %d: got limit %s and %s remaining, want 5 and %d", i, limit, left, 4-i)
		}
	}
	ann.post(t, "/links", `{`).wantStatus(t, 400) // the fifth request that counts
	for _, got := range []response{ann.get(t, "/links"), phone.post(t, "/links", `{"url":"https://go.dev/"}`), ann.get(t, "/links/99")} {
		got.wantError(t, 429, "Too Many Attempts.")
		limit, left := got.header.Get("X-RateLimit-Limit"), got.header.Get("X-RateLimit-Remaining")
		if limit != "5" || left != "0" {
			t.Errorf("got limit %s and %s remaining, want 5 and 0", limit, left)
		}
		if wait, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
			t.Errorf("got Retry-After %q, want 1 to 60", got.header.Get("Retry-After"))
		}
		if got.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Error("the response has no Access-Control-Allow-Origin")
		}
	}
	// Other users and unauthenticated requests are not limited.
	ben.get(t, "/links").wantValue(t, "total", "0")
	s.withoutKey().get(t, "/links").wantError(t, 401, "Unauthenticated.")
	s.withoutKey().call(t, "OPTIONS", "/links", "").wantStatus(t, 204)
	s.withoutKey().get(t, "/openapi.json").ok(t)
}
