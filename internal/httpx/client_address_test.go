package httpx_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"waymark/internal/config"
	"waymark/internal/httpx"
)

func TestClientAddress(t *testing.T) {
	var trusted config.TrustedProxies
	check(t, trusted.UnmarshalText([]byte("10.0.0.0/8,::1")))
	for _, test := range []struct {
		name, remote string
		forwarded    []string
		want         string
	}{
		{"no proxy", "203.0.113.7:1234", nil, "203.0.113.7"},
		{"IPv4 in IPv6", "[::ffff:203.0.113.7]:1234", nil, "203.0.113.7"},
		{"an untrusted sender", "203.0.113.7:1234", []string{"198.51.100.1"}, "203.0.113.7"},
		{"a proxy", "10.0.0.1:1234", []string{"203.0.113.7"}, "203.0.113.7"},
		{"a proxy on IPv6", "[::1]:1234", []string{"2001:db8::7"}, "2001:db8::7"},
		{"a proxy that adds the port", "10.0.0.1:1234", []string{"203.0.113.7:5678"}, "203.0.113.7"},
		{"a proxy that adds brackets", "10.0.0.1:1234", []string{"[2001:db8::7]:5678"}, "2001:db8::7"},
		{"a client that wrote the header", "10.0.0.1:1234", []string{"198.51.100.1, 203.0.113.7"}, "203.0.113.7"},
		{"two proxies", "10.0.0.1:1234", []string{"198.51.100.1, 203.0.113.7, 10.0.0.2"}, "203.0.113.7"},
		{"two headers", "10.0.0.1:1234", []string{"198.51.100.1", "203.0.113.7,10.0.0.2"}, "203.0.113.7"},
		{"a proxy that adds nothing", "10.0.0.1:1234", nil, "10.0.0.1"},
		{"not an address", "10.0.0.1:1234", []string{"203.0.113.7, unknown"}, "10.0.0.1"},
		{"only proxies", "10.0.0.1:1234", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = test.remote
		r.Header["X-Forwarded-For"] = test.forwarded
		if got := httpx.ClientAddress(r, trusted).String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func TestForwardedAddressCountsOnlyFromTrustedProxies(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = "127.0.0.1:1234"
	r.Header.Set("X-Forwarded-For", "203.0.113.7")
	if got := httpx.ClientAddress(r, nil).String(); got != "127.0.0.1" {
		t.Errorf("without trusted proxies: got %s, want 127.0.0.1", got)
	}
}
