package api

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"waymark/internal/config"
)

func requestDocs(t *testing.T, method, path string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	return requestDocsBelow(t, "", method, path, header)
}

func requestDocsBelow(t *testing.T, base, method, path string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	r.Header = header
	w := httptest.NewRecorder()
	docsBelow(base).ServeHTTP(w, r)
	return w
}

// docsBelow returns an API without service and store, which the documentation does not
// need. The base path is the prefix of all public URLs of the server.
func docsBelow(base string) http.Handler {
	var settings config.API
	if err := settings.BaseURL.UnmarshalText([]byte("https://links.example.org" + base)); err != nil {
		panic(err)
	}
	return newHandler(nil, nil, nil, nil, settings, nil)
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
	for _, test := range tests {
		resp := requestDocs(t, "GET", test.path, nil)
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

func TestDocsForbidForeignAndInlineScripts(t *testing.T) {
	resp := requestDocs(t, "GET", "/api/docs", nil)
	policy := resp.Header().Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'self'; ") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") {
		t.Errorf("got policy %q, want default-src 'self' and nothing unsafe", policy)
	}
}

func TestDocsAreCompressedIfAccepted(t *testing.T) {
	const path = "/api/docs/swagger-ui.css"
	compressed := requestDocs(t, "GET", path, http.Header{"Accept-Encoding": {"deflate, gzip, br"}})
	if got := compressed.Header().Get("Content-Encoding"); got != "gzip" {
		t.Fatalf("got Content-Encoding %q, want gzip", got)
	}
	uncompressed, err := gzip.NewReader(compressed.Body)
	check(t, err)
	first, err := io.ReadAll(uncompressed)
	check(t, err)
	for _, encodings := range []string{"", "br", "gzip;q=0"} {
		plain := requestDocs(t, "GET", path, http.Header{"Accept-Encoding": {encodings}})
		if plain.Header().Get("Content-Encoding") != "" || string(first) != plain.Body.String() {
			t.Errorf("Accept-Encoding %q: got a body other than the uncompressed file", encodings)
		}
		if plain.Header().Get("ETag") == compressed.Header().Get("ETag") {
			t.Errorf("Accept-Encoding %q: compressed and uncompressed files have the same ETag", encodings)
		}
		if got := plain.Header().Get("Vary"); got != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: got Vary %q", encodings, got)
		}
	}
}

func TestDocsAreCacheable(t *testing.T) {
	for _, path := range []string{"/api/docs", "/api/docs/swagger-ui-bundle.js", "/api/v2/openapi.json"} {
		header := http.Header{"Accept-Encoding": {"gzip"}}
		header.Set("If-None-Match", requestDocs(t, "GET", path, header).Header().Get("ETag"))
		if got := requestDocs(t, "GET", path, header).Code; got != http.StatusNotModified {
			t.Errorf("%s: got status %d for a cached file, want 304", path, got)
		}
	}
}

func TestDocsPageRefersToImmutableFiles(t *testing.T) {
	page := requestDocs(t, "GET", "/api/docs", nil).Body.String()
	files := regexp.MustCompile(`(?:src|href)="(/api/docs/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(files) != 4 {
		t.Fatalf("got files %q, want 2 scripts and 2 style sheets", files)
	}
	for _, file := range files {
		resp := requestDocs(t, "GET", file[1], nil)
		if got := resp.Header().Get("Cache-Control"); resp.Code != http.StatusOK || !strings.Contains(got, "immutable") {
			t.Errorf("%s: got %d with Cache-Control %q, want 200 and immutable", file[1], resp.Code, got)
		}
	}
}

// TestDocsAreUnpackedOnce measures what requests without an API key cost: unpacking or
// hashing the script takes megabytes and milliseconds.
func TestDocsAreUnpackedOnce(t *testing.T) {
	handler := docsBelow("")
	for _, encoding := range []string{"", "gzip"} {
		for _, path := range []string{"/api/docs/swagger-ui-bundle.js", "/api/docs/swagger-ui.css", "/api/docs", "/api/v2/openapi.json"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Header.Set("Accept-Encoding", encoding)
			w := &discardResponse{header: http.Header{}}
			handler.ServeHTTP(w, r) // unpacks
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			const requests = 20
			for range requests {
				clear(w.header)
				handler.ServeHTTP(w, r)
			}
			runtime.ReadMemStats(&after)
			if got := (after.TotalAlloc - before.TotalAlloc) / requests; got > 16<<10 {
				t.Errorf("%s with encoding %q: allocates %d bytes a request, want at most 16 KiB", path, encoding, got)
			}
		}
	}
}

// discardResponse is a ResponseWriter that discards the body.
type discardResponse struct{ header http.Header }

func (d *discardResponse) Header() http.Header       { return d.header }
func (*discardResponse) Write(b []byte) (int, error) { return len(b), nil }
func (*discardResponse) WriteHeader(int)             {}

func TestDocsAreReadOnly(t *testing.T) {
	for _, path := range []string{"/api/docs", "/api/docs/init.js", "/api/v1/openapi.json"} {
		resp := requestDocs(t, "POST", path, nil)
		if resp.Code != http.StatusMethodNotAllowed || resp.Header().Get("Allow") != "GET, HEAD" || !strings.HasPrefix(resp.Body.String(), `{"message":"`) {
			t.Errorf("POST %s: got %d, Allow %q, %s", path, resp.Code, resp.Header().Get("Allow"), resp.Body)
		}
		if got := requestDocs(t, "HEAD", path, nil).Code; got != http.StatusOK {
			t.Errorf("HEAD %s: got status %d, want 200", path, got)
		}
	}
}

func TestDocsHaveNoOtherFiles(t *testing.T) {
	for _, path := range []string{"/api/docs/README.md", "/api/docs/..%2fdocs.go", "/api/docs/swagger-ui.css.gz.gz"} {
		if got := requestDocs(t, "GET", path, nil).Code; got != http.StatusNotFound {
			t.Errorf("%s: got status %d, want 404", path, got)
		}
	}
}

func TestDocsPageUsesBasePath(t *testing.T) {
	page := requestDocsBelow(t, "/a&b", "GET", "/api/docs", nil).Body.String()
	if strings.Contains(page, `="/api`) || !strings.Contains(page, `src="/a&amp;b/api/docs/init-`) {
		t.Errorf("got URLs without the base path:\n%s", page)
	}
}
