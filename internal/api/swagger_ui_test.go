package api

import (
	"net/http"
	"net/http/httptest"
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
