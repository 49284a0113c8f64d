package api

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"waymark/internal/config"
	"waymark/internal/httpx"
)

func TestRequestsWithoutAValidKeyAreLimitedByAddress(t *testing.T) {
	limited := func(c *config.API) {
		check(t, c.GuestRateLimit.UnmarshalText([]byte("5/min")))
		check(t, c.TrustedProxies.UnmarshalText([]byte("127.0.0.0/8,::1")))
	}
	s := newTestServer(t, limited)
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
}

// deadlineRecorder is a response of a server that has read deadlines.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	read time.Time
}

func (d *deadlineRecorder) SetReadDeadline(deadline time.Time) error {
	d.read = deadline
	return nil
}

func TestBodyOfARefusedRequestMustArriveSoon(t *testing.T) {
	s := newTestServer(t)
	api := recorded(newHandler(s.service, s.crawler, nil, s.store, config.Default().API, slog.New(slog.DiscardHandler)))
	latest := time.Now().Add(httpx.GuestBodyTime)
	w := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
	api.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/"+s.version+"/links", strings.NewReader("{}")))
	if w.Code != http.StatusUnauthorized || w.read.Before(latest) || w.read.After(time.Now().Add(httpx.GuestBodyTime)) {
		t.Errorf("got status %d and the deadline %s, want 401 and %s from now", w.Code, w.read, httpx.GuestBodyTime)
	}
}
