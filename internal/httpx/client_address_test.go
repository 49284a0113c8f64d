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
		{"a proxy that is not trusted", "127.0.0.1:1234", []string{"203.0.113.7"}, "127.0.0.1"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = test.remote
		r.Header["X-Forwarded-For"] = test.forwarded
		if got := httpx.ClientAddress(r, trusted).String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func TestOnlyOneHeaderOfAProxyNamesAUser(t *testing.T) {
	var trusted config.TrustedProxies
	check(t, trusted.UnmarshalText([]byte("10.0.0.0/8")))
	for name, test := range map[string]struct {
		peer    string
		values  []string
		want    string
		refused bool
	}{
		"proxy":              {"10.0.0.1:1", []string{"ada"}, "ada", false},
		"proxy over IPv6":    {"[::ffff:10.0.0.1]:1", []string{"ada"}, "ada", false},
		"nobody":             {"10.0.0.1:1", []string{""}, "", false},
		"no header":          {"192.0.2.1:1", nil, "", false},
		"stranger":           {"192.0.2.1:1", []string{"ada"}, "", true},
		"client and proxy":   {"10.0.0.1:1", []string{"ada", "ben"}, "", true},
		"without an address": {"@", []string{"ada"}, "", true},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = test.peer
		r.Header["Remote-User"] = test.values
		r.Header.Set("X-Forwarded-For", "10.0.0.1")
		if got, refused := httpx.ProxyUser(r, "remote-user", trusted); got != test.want || refused != test.refused {
			t.Errorf("%s: got %q, refused %t, want %q, %t", name, got, refused, test.want, test.refused)
		}
	}
}
