package httpx_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/httpx"
)

func TestConnectionIsClosedAfterABodyThatIsTooLong(t *testing.T) {
	memory := httpx.NewMemory(2 << 20)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := memory.Body(r, 1)
		defer body.Release()
		r.Body = body
		_, err := httpx.ReadBody(w, r, 5)
		if err == nil {
			t.Error("the body was read")
		}
		http.Error(w, "too long", http.StatusRequestEntityTooLarge)
	}))
	t.Cleanup(server.Close)
	body := io.MultiReader(strings.NewReader("123456")) // of unknown length
	response, err := server.Client().Post(server.URL, "text/plain", body)
	check(t, err)
	response.Body.Close()
	if !response.Close {
		t.Error("the connection stays open")
	}
}

func TestBaseURL(t *testing.T) {
	var set config.BaseURL
	check(t, set.UnmarshalText([]byte("https://example.org/base")))
	var proxies config.TrustedProxies
	if err := proxies.UnmarshalText([]byte("192.0.2.0/24")); err != nil { // httptest's client
		t.Fatal(err)
	}
	for _, test := range []struct {
		name        string
		base        config.BaseURL
		trusted     config.TrustedProxies
		tls         bool
		proto, host string
		want        string
	}{
		{name: "from the request", want: "http://example.com"},
		{name: "from a TLS request", tls: true, want: "https://example.com"},
		{name: "configured", base: set, trusted: proxies, proto: "http", host: "b.example", want: "https://example.org/base"},
		{name: "untrusted proxy", proto: "https", host: "b.example", want: "http://example.com"},
		{name: "trusted proxy", trusted: proxies, proto: "https", host: "b.example", want: "https://b.example"},
		{name: "last of several proxies", trusted: proxies, proto: "http, https", host: "a.example, b.example:8443", want: "https://b.example:8443"},
		{name: "invalid values", trusted: proxies, proto: "gopher", host: "b.example/path", want: "http://example.com"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "http://example.com/", nil)
			if test.tls {
				r.TLS = &tls.ConnectionState{}
			}
			r.Header.Set("X-Forwarded-Proto", test.proto)
			r.Header.Set("X-Forwarded-Host", test.host)
			if got := httpx.BaseURL(r, test.base, test.trusted); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
