package api

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"waymark/internal/config"
)

func TestURLsHaveHostOfRequest(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.list(t, `{"name":"a"}`)
	ann.get(t, "/lists/1").wantValue(t, "links", `"`+s.baseURL+`/api/`+s.version+`/lists/1/links"`)
	// X-Forwarded headers are only trusted from trusted proxies.
	got := ann.call(t, "GET", "/lists", "", "Host: links.example.org", "X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example")
	got.wantValue(t, "path data.0.links", `["http://links.example.org/api/`+s.version+`/lists","http://links.example.org/api/`+s.version+`/lists/1/links"]`)
}

// A request of HTTP/1.0 need not name a host.
func TestURLsHaveIPAddressOfServerWithoutHost(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	conn := s.dial(t)
	defer conn.Close()
	fmt.Fprintf(conn, "GET /api/%s/tags HTTP/1.0\r\nAuthorization: Bearer %s\r\n\r\n", s.version, ann.key)
	got, err := io.ReadAll(conn)
	if want := `"path":"` + s.baseURL + `/api/` + s.version + `/tags"`; err != nil || !strings.Contains(string(got), want) {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

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

func TestURLsHaveConfiguredBaseURL(t *testing.T) {
	withBaseURL := func(c *config.API) {
		check(t, c.BaseURL.UnmarshalText([]byte("https://example.org/bookmarks")))
	}
	s := newTestServer(t, withBaseURL)
	ann := s.addUser(t, "ann")
	base := "https://example.org/bookmarks/api/" + s.version
	ann.list(t, `{"name":"a"}`)
	ann.link(t, `{"url":"https://go.dev/","lists":[1]}`)
	got := ann.call(t, "GET", "/lists?per_page=1", "", "Host: a.example", "X-Forwarded-Host: evil.example").ok(t)
	got.wantValue(t, "path data.0.links", `["`+base+`/lists","`+base+`/lists/1/links"]`)
	got.wantValue(t, "first_page_url", `"`+base+`/lists?per_page=1&page=1"`)
	ann.get(t, "/links/1").wantValue(t, "lists.0.links", `"`+base+`/lists/1/links"`)
}
