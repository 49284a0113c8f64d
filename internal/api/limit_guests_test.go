package api

import (
	"testing"

	"waymark/internal/config"
)

func TestRequestsWithoutAValidKeyAreLimitedByAddress(t *testing.T) {
	limited := func(c *config.API) {
		if err := c.GuestRateLimit.UnmarshalText([]byte("5/min")); err != nil {
			t.Fatal(err)
		}
		if err := c.TrustedProxies.UnmarshalText([]byte("127.0.0.0/8,::1")); err != nil {
			t.Fatal(err)
		}
	}
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann, wrong := s.addUser(t, "ann"), &testClient{testServer: s, key: "wrong"}
		from := func(client *testClient, address, method, path string) response {
			return client.call(t, method, path, "", "X-Forwarded-For: "+address)
		}
		const near, sameNetwork, far = "2001:db8::1", "2001:db8::ffff:2", "2001:db8:0:1::1"
		for _, got := range []response{
			from(s.withoutKey(), near, "GET", "/links"),
			from(wrong, sameNetwork, "GET", "/links"),
			from(wrong, near, "GET", "/openapi.json"),
			from(wrong, near, "GET", "/unknown"),
			from(wrong, near, "PUT", "/links"),
		} {
			if got.status == 429 || got.header.Get("X-RateLimit-Limit") != "5" {
				t.Errorf("%s: got %d, limit %q, want another status, and 5", got.call, got.status, got.header.Get("X-RateLimit-Limit"))
			}
		}
		for _, path := range []string{"/links", "/openapi.json", "/unknown"} {
			from(wrong, sameNetwork, "GET", path).wantError(t, 429, "Too Many Attempts.")
		}
		from(s.withoutKey(), near, "OPTIONS", "/links").wantStatus(t, 204)
		from(ann, near, "GET", "/links").ok(t)
		from(wrong, far, "GET", "/links").wantStatus(t, 401)
		from(wrong, "192.0.2.1", "GET", "/links").wantStatus(t, 401)
	}, limited)
}
