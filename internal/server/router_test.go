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
)

// newDoors returns doors that tell, in place of the API, which path came in.
func newDoors(t *testing.T, base string) *router {
	t.Helper()
	var parsed config.BaseURL
	if err := parsed.UnmarshalText([]byte(base)); err != nil {
		t.Fatal(err)
	}
	return &router{
		api:      http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.EscapedPath()) }),
		ping:     func(context.Context) error { return nil },
		base:     parsed,
		urlLimit: 100,
	}
}

func TestRequestsFindTheirDoor(t *testing.T) {
	for _, test := range []struct {
		name, base, method, target string
		status                     int
		want                       string
	}{
		{"the API", "", "GET", "/api/v2/links", 200, "/api/v2/links"},
		{"the API, without a slash", "", "GET", "/api", 200, "/api"},
		{"two slashes are not redirected", "", "POST", "/api/v2//links", 200, "/api/v2//links"},
		{"not the API", "", "GET", "/apix", 404, "Not found."},
		{"anything else", "", "GET", "/favicon.ico", 404, "Not found."},
		{"the start leads to the documentation", "", "GET", "/", 303, "/api/docs"},
		{"below a base", "https://example.org/way", "GET", "/", 303, "https://example.org/way/api/docs"},
		{"a proxy that keeps the base's path", "https://example.org/way", "GET", "/way/api/v2/tags/a%2Fb", 200, "/api/v2/tags/a%2Fb"},
		{"a proxy that takes it off", "https://example.org/way", "GET", "/api/v2/tags", 200, "/api/v2/tags"},
		{"what only begins like the base", "https://example.org/way", "GET", "/wayfarer", 404, "Not found."},
		{"the base itself", "https://example.org/way", "GET", "/way", 303, "https://example.org/way/api/docs"},
		{"health", "", "GET", "/healthz", 200, `{"status":"ok"}`},
		{"health by HEAD", "", "HEAD", "/healthz", 200, ""},
		{"health is not to be changed", "", "DELETE", "/healthz", 405, "GET"},
		{"as long as may be", "", "GET", "/api/" + strings.Repeat("a", 95), 200, "/api/"},
		{"too long", "", "GET", "/api/" + strings.Repeat("a", 96), 414, "100 bytes"},
		{"too long by its query", "", "GET", "/api?" + strings.Repeat("a", 96), 414, "100 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			newDoors(t, test.base).ServeHTTP(w, httptest.NewRequest(test.method, test.target, nil))
			got := w.Body.String() + w.Header().Get("Location")
			if w.Code != test.status || !strings.Contains(got, test.want) {
				t.Errorf("got %d %s, want %d %s", w.Code, got, test.status, test.want)
			}
		})
	}
}

func TestErrorsOfTheAPIAreForAnyOrigin(t *testing.T) {
	for target, want := range map[string]string{"/api/" + strings.Repeat("a", 100): "*", "/nowhere": ""} {
		w := httptest.NewRecorder()
		newDoors(t, "").ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%.20s: got origin %q, want %q", target, got, want)
		}
	}
}

func TestHealthIsThatOfTheStore(t *testing.T) {
	d := newDoors(t, "")
	d.ping = func(context.Context) error { return errors.New("secret of the store") }
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("got %d, Retry-After %q, want 503 and when to come back", w.Code, w.Header().Get("Retry-After"))
	}
	if strings.Contains(w.Body.String(), "secret") {
		t.Errorf("got %s, want no cause", w.Body)
	}
}
