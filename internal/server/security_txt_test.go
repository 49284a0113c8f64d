package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func getSecurityTxt(t *testing.T, rt *router, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	rt.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

func TestSecurityTxtHasTheFieldsOfRFC9116(t *testing.T) {
	rt := newRouter(t, "https://links.example.org")
	rt.contact = "mailto:security@example.org"
	got := getSecurityTxt(t, rt, http.MethodGet, "/.well-known/security.txt")
	if got.Code != http.StatusOK || got.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Fatalf("got %d and type %q, want 200 and text/plain", got.Code, got.Header().Get("Content-Type"))
	}
	fields := map[string]string{}
	for line := range strings.Lines(got.Body.String()) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		fields[name] = value
	}
	for name, want := range map[string]string{
		"Contact":   "mailto:security@example.org",
		"Canonical": "https://links.example.org/.well-known/security.txt",
	} {
		if fields[name] != want {
			t.Errorf("%s: got %q, want %q", name, fields[name], want)
		}
	}
	expires, err := time.Parse(time.RFC3339, fields["Expires"])
	if days := time.Until(expires).Hours() / 24; err != nil || days < 28 || days > 30 {
		t.Errorf("Expires: got %q, want a time in 29 to 30 days", fields["Expires"])
	}
	if got := getSecurityTxt(t, rt, http.MethodPost, "/.well-known/security.txt").Code; got != http.StatusMethodNotAllowed {
		t.Errorf("POST: got status %d, want 405", got)
	}
}

func TestNoSecurityTxtWithoutContact(t *testing.T) {
	got := getSecurityTxt(t, newRouter(t, ""), http.MethodGet, "/.well-known/security.txt")
	if want := "page /.well-known/security.txt"; got.Body.String() != want { // the pages have none
		t.Errorf("got %s, want %s", got.Body, want)
	}
}
