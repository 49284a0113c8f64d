package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/rest"
)

// newRouter returns a router whose APIs respond with the path of the request.
func newRouter(t *testing.T, base string) *router {
	t.Helper()
	var parsed config.BaseURL
	check(t, parsed.UnmarshalText([]byte(base)))
	return &router{
		api:      http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.EscapedPath()) }),
		linkding: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "linkding "+r.URL.EscapedPath()) }),
		pages:    http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "page "+r.URL.EscapedPath()) }),
		showError: func(w http.ResponseWriter, r *http.Request, status int) {
			w.WriteHeader(status)
			io.WriteString(w, "error page")
		},
		ping: func(context.Context) error { return nil },
		base: parsed,
	}
}

func TestRouting(t *testing.T) {
	for _, test := range []struct {
		name, base, method, target string
		status                     int
		want                       string
	}{
		{"the API", "", "GET", "/api/v2/links", 200, "/api/v2/links"},
		{"linkding's API", "", "POST", "/api/bookmarks/7/archive/", 200, "linkding /api/bookmarks/7/archive/"},
		{"linkding's API, without a slash", "https://example.org/base", "GET", "/base/api/tags", 200, "linkding /api/tags"},
		{"linkding's API, root", "", "GET", "/api/", 200, "linkding /api/"},
		{"linkding's API, health", "", "GET", "/health", 200, "linkding /health"},
		{"linkding's API, feed", "", "GET", "/feeds/a/all", 200, "linkding /feeds/a/all"},
		{"prefix of linkding's API only", "", "GET", "/api/tagsx", 200, "/api/tagsx"},
		{"page of linkding", "", "GET", "/bookmarks", 200, "page /bookmarks"},
		{"two slashes without a redirect", "", "POST", "/api/v2//links", 200, "/api/v2/links"},
		{"two slashes at the beginning", "", "POST", "//api/bookmarks/", 200, "linkding /api/bookmarks/"},
		{"the API of linkding's clients", "", "GET", "/api/bookmarks/", 200, "linkding /api/bookmarks/"},
		{"the API of linkding's clients below a base path", "https://example.org/base", "PATCH", "/base/api/bookmarks/7", 200, "linkding /api/bookmarks/7"},
		{"prefix of the API only", "", "GET", "/apix", 200, "page /apix"},
		{"page", "", "GET", "/lists/7", 200, "page /lists/7"},
		{"page below a base path", "https://example.org/base", "GET", "/base/lists/7", 200, "page /lists/7"},
		{"proxy that keeps the base path", "https://example.org/base", "GET", "/base/api/v2/tags/a%2Fb", 200, "/api/v2/tags/a%2Fb"},
		{"proxy that removes the base path", "https://example.org/base", "GET", "/api/v2/tags", 200, "/api/v2/tags"},
		{"two slashes before the base path", "https://example.org/base", "POST", "//base/api/bookmarks/", 200, "linkding /api/bookmarks/"},
		{"two slashes after the base path", "https://example.org/base", "POST", "/base//api/bookmarks/", 200, "linkding /api/bookmarks/"},
		{"prefix of the base path only", "https://example.org/base", "GET", "/based", 200, "page /based"},
		{"base path", "https://example.org/base", "GET", "/base", 200, "page /"},
		{"health", "", "GET", "/healthz", 200, `{"status":"ok"}`},
		{"health with HEAD", "", "HEAD", "/healthz", 200, ""},
		{"health with DELETE", "", "DELETE", "/healthz", 405, "GET"},
		{"longest URL", "", "GET", "/api/" + strings.Repeat("a", maxURL-5), 200, "/api/"},
		{"URL too long", "", "GET", "/api/" + strings.Repeat("a", maxURL-4), 414, "32768 bytes"},
		{"URL of a page too long", "", "GET", "/" + strings.Repeat("a", maxURL), 414, "error page"},
		{"URL of the API below a base path too long", "https://example.org/base", "GET", "/base/api/" + strings.Repeat("a", maxURL), 414, "32768 bytes"},
		{"query too long", "", "GET", "/api?" + strings.Repeat("a", maxURL-4), 414, "32768 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			newRouter(t, test.base).ServeHTTP(w, httptest.NewRequest(test.method, test.target, nil))
			got := w.Body.String() + w.Header().Get("Location")
			if w.Code != test.status || !strings.Contains(got, test.want) {
				t.Errorf("got %d %s, want %d %s", w.Code, got, test.status, test.want)
			}
		})
	}
}

func TestAPIErrorsHaveTheHeadersOfTheAPI(t *testing.T) {
	want := http.Header{}
	rest.SetHeaders(want)
	for target, isAPI := range map[string]bool{"/api/" + strings.Repeat("a", maxURL): true, "/nowhere": false} {
		w := httptest.NewRecorder()
		newRouter(t, "").ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		for name := range want {
			if got := w.Header().Get(name); (got == want.Get(name)) != isAPI {
				t.Errorf("%.20s: got %s %q, and the API has %q", target, name, got, want.Get(name))
			}
		}
	}
}

func TestHealthReportsAnUnavailableDatabase(t *testing.T) {
	rt := newRouter(t, "")
	rt.ping = func(context.Context) error { return errors.New("secret") }
	w := httptest.NewRecorder()
	rt.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("got %d, Retry-After %q, want 503 with Retry-After", w.Code, w.Header().Get("Retry-After"))
	}
	if strings.Contains(w.Body.String(), "secret") {
		t.Errorf("got %s, want no details", w.Body)
	}
}

func TestOnlyHTTPSServersRequireHTTPS(t *testing.T) {
	for base, want := range map[string]string{"": "", "http://links.example.org": "", "https://links.example.org/w": "max-age=31536000"} {
		for _, path := range []string{"/links", "/api/v2/links", "/healthz", "/" + strings.Repeat("x", maxURL)} {
			w := httptest.NewRecorder()
			newRouter(t, base).ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			if got := w.Header().Get("Strict-Transport-Security"); got != want {
				t.Errorf("base %q, %.20s: got %q, want %q", base, path, got, want)
			}
		}
	}
}
