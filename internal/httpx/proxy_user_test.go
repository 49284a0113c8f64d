package httpx_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"waymark/internal/config"
	"waymark/internal/httpx"
)

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
