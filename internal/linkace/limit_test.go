package linkace

import (
	"strconv"
	"testing"
	"time"

	"waymark/internal/config"
	"waymark/internal/waymark"
)

func TestEachUserMaySendSoManyRequests(t *testing.T) {
	few := func(c *config.API) {
		if err := c.RateLimit.UnmarshalText([]byte("5/min")); err != nil {
			t.Fatal(err)
		}
	}
	onSite(t, func(t *testing.T, s *site) {
		ann, ben := s.person(t, "ann"), s.person(t, "ben")
		phone := s.keyOf(t, "ann", "phone", waymark.AccessFull, 0)
		for i := range 5 {
			who := []*person{ann, phone}[i%2] // all keys of a user count together
			got := who.get(t, []string{"/links", "/links/99", "/lists", "/version", "/nothing"}[i])
			if i == 4 {
				continue // a path that is none asks for no key
			}
			limit, left := got.header.Get("X-RateLimit-Limit"), got.header.Get("X-RateLimit-Remaining")
			if limit != "5" || left != strconv.Itoa(4-i) {
				t.Errorf("call %d: got limit %s and %s left, want 5 and %d", i, limit, left, 4-i)
			}
		}
		ann.post(t, "/links", `{`).is(t, 400) // the fifth
		for _, got := range []reply{ann.get(t, "/links"), phone.post(t, "/links", `{"url":"https://go.dev/"}`), ann.get(t, "/links/99")} {
			got.refuses(t, 429, "Too Many Attempts.")
			limit, left := got.header.Get("X-RateLimit-Limit"), got.header.Get("X-RateLimit-Remaining")
			if limit != "5" || left != "0" {
				t.Errorf("got limit %s and %s left, want 5 and 0", limit, left)
			}
			if wait, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
				t.Errorf("got Retry-After %q, want seconds up to a minute", got.header.Get("Retry-After"))
			}
			if got.header.Get("Access-Control-Allow-Origin") != "*" {
				t.Error("scripts of other sites cannot read the answer")
			}
		}
		// Others are not concerned, and who is nobody is not counted.
		ben.get(t, "/links").has(t, "total", "0")
		s.nobody().get(t, "/links").refuses(t, 401, "Unauthenticated.")
		s.nobody().call(t, "OPTIONS", "/links", "").is(t, 204)
		s.nobody().get(t, "/openapi.json").ok(t)
	}, few)
}

func TestWithoutALimitThereAreNoHeadersOfOne(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		got := s.person(t, "ann").get(t, "/links").ok(t)
		if limit := got.header.Get("X-RateLimit-Limit"); limit != "" {
			t.Errorf("got X-RateLimit-Limit %s, want none", limit)
		}
	})
}

func TestLimitsRunOutAgain(t *testing.T) {
	short := func(c *config.API) { c.RateLimit = config.Rate{Count: 1, Per: time.Millisecond} }
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		deadline := time.Now().Add(10 * time.Second)
		for let := 0; let < 3; {
			if ann.get(t, "/version").status == 200 {
				let++
			}
			if time.Now().After(deadline) {
				t.Fatal("nothing is let in again")
			}
		}
	}, short)
}
