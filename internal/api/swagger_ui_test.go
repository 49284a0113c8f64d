package api

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"waymark/internal/config"
)

// docsBelow returns an API without service and store, which the documentation does not
// need. The base path is the prefix of all public URLs of the server, or "".
func docsBelow(base string) http.Handler {
	var settings config.API
	if err := settings.BaseURL.UnmarshalText([]byte("https://links.example.org" + base)); err != nil {
		panic(err)
	}
	return newHandler(nil, nil, nil, nil, settings, nil)
}

// docsClient requests the documentation, with the headers "Name: value".
func docsClient(t *testing.T, base string) func(method, path string, headers ...string) *httptest.ResponseRecorder {
	handler := docsBelow(base)
	return func(method, path string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
}

func TestDocsNeedNoAPIKey(t *testing.T) {
	tests := []struct{ path, contentType, has string }{
		{"/api/v1/openapi.json", "application/json", `"openapi":"3.1.0"`},
		{"/api/v2/openapi.json", "application/json", `"openapi":"3.1.0"`},
		{"/api/docs", "text/html; charset=utf-8", `src="/api/docs/init-`},
		{"/api/docs/", "text/html; charset=utf-8", `src="/api/docs/init-`},
		{"/api/docs/init.js", "text/javascript; charset=utf-8", "SwaggerUIBundle("},
		{"/api/docs/docs.css", "text/css; charset=utf-8", "header"},
		{"/api/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8", "SwaggerUIBundle"},
		{"/api/docs/swagger-ui.css", "text/css; charset=utf-8", ".swagger-ui"},
		{"/api/docs/swagger-ui.LICENSE.txt", "text/plain; charset=utf-8", "Apache License"},
	}
	docs := docsClient(t, "")
	for _, test := range tests {
		resp := docs("GET", test.path)
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
			t.Errorf("%s: the response does not contain %q", test.path, test.has)
		}
	}
}

func TestDocsAreCompressedIfAccepted(t *testing.T) {
	docs := docsClient(t, "")
	const path = "/api/docs/swagger-ui.css"
	compressed := docs("GET", path, "Accept-Encoding: deflate, gzip, br")
	if got := compressed.Header().Get("Content-Encoding"); got != "gzip" {
		t.Fatalf("got Content-Encoding %q, want gzip", got)
	}
	uncompressed, err := gzip.NewReader(compressed.Body)
	check(t, err)
	first, err := io.ReadAll(uncompressed)
	check(t, err)
	for _, encodings := range []string{"", "br", "gzip;q=0"} {
		plain := docs("GET", path, "Accept-Encoding: "+encodings)
		if plain.Header().Get("Content-Encoding") != "" || string(first) != plain.Body.String() {
			t.Errorf("Accept-Encoding %q: got a body other than the uncompressed file", encodings)
		}
		if plain.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: got headers %v", encodings, plain.Header())
		}
	}
}

func TestDocsPageRefersToImmutableFiles(t *testing.T) {
	docs := docsClient(t, "")
	page := docs("GET", "/api/docs")
	if policy := page.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'self'; ") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") {
		t.Errorf("got policy %q, want default-src 'self' and nothing unsafe", policy)
	}
	files := regexp.MustCompile(`(?:src|href)="(/api/docs/[^"]+)"`).FindAllStringSubmatch(page.Body.String(), -1)
	if len(files) != 4 {
		t.Fatalf("got files %q, want 2 scripts and 2 style sheets", files)
	}
	for _, file := range files {
		if got := docs("GET", file[1]); got.Code != http.StatusOK || !strings.Contains(got.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: got %d with headers %v, want 200 and immutable", file[1], got.Code, got.Header())
		}
	}
	below := docsClient(t, "/a&b")("GET", "/api/docs").Body.String()
	if strings.Contains(below, `="/api`) || !strings.Contains(below, `src="/a&amp;b/api/docs/init-`) {
		t.Errorf("got URLs without the base path:\n%s", below)
	}
}

func TestDocsAreReadOnlyAndCacheable(t *testing.T) {
	docs := docsClient(t, "")
	for _, path := range []string{"/api/docs", "/api/docs/init.js", "/api/v1/openapi.json"} {
		posted := docs("POST", path)
		if posted.Code != http.StatusMethodNotAllowed || posted.Header().Get("Allow") != "GET, HEAD" || !strings.HasPrefix(posted.Body.String(), `{"message":"`) {
			t.Errorf("POST %s: got %d, Allow %q, %s", path, posted.Code, posted.Header().Get("Allow"), posted.Body)
		}
		known := docs("HEAD", path).Header().Get("ETag")
		if got := docs("GET", path, "If-None-Match: "+known).Code; got != http.StatusNotModified {
			t.Errorf("%s: got status %d for a cached file, want 304", path, got)
		}
	}
	for _, path := range []string{"/api/docs/README.md", "/api/docs/..%2fdocs.go", "/api/docs/swagger-ui.css.gz.gz"} {
		if got := docs("GET", path).Code; got != http.StatusNotFound {
			t.Errorf("%s: got status %d, want 404", path, got)
		}
	}
}
