package linkace

import (
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/waymark"
)

func askDocs(t *testing.T, method, path string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	return askDocsBelow(t, "", method, path, header)
}

func askDocsBelow(t *testing.T, base, method, path string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	r.Header = header
	w := httptest.NewRecorder()
	docsBelow(base).ServeHTTP(w, r)
	return w
}

// docsBelow is an API with neither library nor store, which the docs do without,
// for a server that people reach below a path.
func docsBelow(base string) http.Handler {
	var settings config.API
	if err := settings.BaseURL.UnmarshalText([]byte("https://links.example.org" + base)); err != nil {
		panic(err)
	}
	return New(nil, nil, settings, slog.New(slog.DiscardHandler), func(context.Context, string, waymark.User) {})
}

func TestDocsAreThereWithoutAKey(t *testing.T) {
	tests := []struct{ path, contentType, has string }{
		{"/api/v1/openapi.json", "application/json", `"openapi":"3.1.0"`},
		{"/api/v2/openapi.json", "application/json", `"openapi":"3.1.0"`},
		{"/api/docs", "text/html; charset=utf-8", `src="/api/docs/init.js"`},
		{"/api/docs/", "text/html; charset=utf-8", `src="/api/docs/init.js"`},
		{"/api/docs/init.js", "text/javascript; charset=utf-8", "SwaggerUIBundle("},
		{"/api/docs/docs.css", "text/css; charset=utf-8", "header"},
		{"/api/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8", "SwaggerUIBundle"},
		{"/api/docs/swagger-ui.css", "text/css; charset=utf-8", ".swagger-ui"},
		{"/api/docs/swagger-ui.LICENSE.txt", "text/plain; charset=utf-8", "Apache License"},
	}
	for _, test := range tests {
		resp := askDocs(t, "GET", test.path, nil)
		if resp.Code != http.StatusOK {
			t.Errorf("%s: got status %d, want 200", test.path, resp.Code)
		}
		if got := resp.Header().Get("Content-Type"); got != test.contentType {
			t.Errorf("%s: got type %q, want %q", test.path, got, test.contentType)
		}
		if got := resp.Header().Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s: got X-Content-Type-Options %q, want nosniff", test.path, got)
		}
		if !strings.Contains(resp.Body.String(), test.has) {
			t.Errorf("%s: the answer lacks %q", test.path, test.has)
		}
	}
}

func TestDocsAllowNoForeignAndNoInlineScript(t *testing.T) {
	resp := askDocs(t, "GET", "/api/docs", nil)
	policy := resp.Header().Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'self'; ") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") {
		t.Errorf("got policy %q, want default-src 'self' and nothing unsafe", policy)
	}
}

func TestDocsAreSentPackedToThoseWhoCanUnpack(t *testing.T) {
	const path = "/api/docs/swagger-ui.css"
	packed := askDocs(t, "GET", path, http.Header{"Accept-Encoding": {"deflate, gzip, br"}})
	if got := packed.Header().Get("Content-Encoding"); got != "gzip" {
		t.Fatalf("got Content-Encoding %q, want gzip", got)
	}
	unpacked, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	first, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	for _, encodings := range []string{"", "br", "gzip;q=0"} {
		plain := askDocs(t, "GET", path, http.Header{"Accept-Encoding": {encodings}})
		if plain.Header().Get("Content-Encoding") != "" || string(first) != plain.Body.String() {
			t.Errorf("Accept-Encoding %q: got something other than the plain file", encodings)
		}
		if plain.Header().Get("ETag") == packed.Header().Get("ETag") {
			t.Errorf("Accept-Encoding %q: packed and plain have the same ETag", encodings)
		}
		if got := plain.Header().Get("Vary"); got != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: got Vary %q", encodings, got)
		}
	}
}

func TestDocsAreSentOnce(t *testing.T) {
	for _, path := range []string{"/api/docs", "/api/docs/swagger-ui-bundle.js", "/api/v2/openapi.json"} {
		header := http.Header{"Accept-Encoding": {"gzip"}}
		header.Set("If-None-Match", askDocs(t, "GET", path, header).Header().Get("ETag"))
		if got := askDocs(t, "GET", path, header).Code; got != http.StatusNotModified {
			t.Errorf("%s: got status %d for what the browser has, want 304", path, got)
		}
	}
}

func TestDocsAreOnlyRead(t *testing.T) {
	for _, path := range []string{"/api/docs", "/api/docs/init.js", "/api/v1/openapi.json"} {
		resp := askDocs(t, "POST", path, nil)
		if resp.Code != http.StatusMethodNotAllowed || resp.Header().Get("Allow") != "GET, HEAD" || !strings.HasPrefix(resp.Body.String(), `{"message":"`) {
			t.Errorf("POST %s: got %d, Allow %q, %s", path, resp.Code, resp.Header().Get("Allow"), resp.Body)
		}
		if got := askDocs(t, "HEAD", path, nil).Code; got != http.StatusOK {
			t.Errorf("HEAD %s: got status %d, want 200", path, got)
		}
	}
}

func TestDocsHaveNoOtherFiles(t *testing.T) {
	for _, path := range []string{"/api/docs/README.md", "/api/docs/..%2fdocs.go", "/api/docs/swagger-ui.css.gz.gz"} {
		if got := askDocs(t, "GET", path, nil).Code; got != http.StatusNotFound {
			t.Errorf("%s: got status %d, want 404", path, got)
		}
	}
}

func TestDocsPageAsksBelowTheBase(t *testing.T) {
	page := askDocsBelow(t, "/book&marks", "GET", "/api/docs", nil).Body.String()
	if strings.Contains(page, `="/api`) || !strings.Contains(page, `src="/book&amp;marks/api/docs/init.js"`) {
		t.Errorf("got addresses outside of the base:\n%s", page)
	}
}
