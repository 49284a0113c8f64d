package api

import (
	"testing"

	"waymark/internal/config"
)

func TestURLsHaveHostFromTrustedProxy(t *testing.T) {
	trusting := func(c *config.API) {
		check(t, c.TrustedProxies.UnmarshalText([]byte("127.0.0.0/8, ::1")))
	}
	s := newTestServer(t, trusting)
	ann := s.addUser(t, "ann")
	for _, test := range []struct {
		name    string
		headers []string
		want    string
	}{
		{"both", []string{"X-Forwarded-Proto: https", "X-Forwarded-Host: links.example.org"}, "https://links.example.org"},
		{"with a port", []string{"X-Forwarded-Proto: https", "X-Forwarded-Host: links.example.org:8443"}, "https://links.example.org:8443"},
		{"only the scheme", []string{"X-Forwarded-Proto: https", "Host: a.example"}, "https://a.example"},
		{"only the host", []string{"X-Forwarded-Host: links.example.org"}, "http://links.example.org"},
		{"values of several proxies", []string{"X-Forwarded-Proto: http, https", "X-Forwarded-Host: evil.example", "X-Forwarded-Host: links.example.org"}, "https://links.example.org"},
		{"an invalid scheme", []string{"X-Forwarded-Proto: javascript", "X-Forwarded-Host: links.example.org"}, "http://links.example.org"},
		{"an invalid host", []string{"X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example/x?", "Host: a.example"}, "https://a.example"},
		{"neither", []string{"Host: a.example"}, "http://a.example"},
	} {
		if got, want := ann.call(t, "GET", "/tags", "", test.headers...).ok(t).value(t, "path"), `"`+test.want+`/api/`+s.version+`/tags"`; got != want {
			t.Errorf("%s: got path %s, want %s", test.name, got, want)
		}
	}
}
