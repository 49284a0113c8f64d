package server_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"waymark/internal/config"
)

// TestDocumentShowsTheErrorsThatTheServerSends compares the examples of the API document
// with real responses. TestDocumentShowsTheErrorsOfHandlers in api has the others.
func TestDocumentShowsTheErrorsThatTheServerSends(t *testing.T) {
	s := settings(t)
	s.API.RateLimit = config.Rate{Count: 8, Per: time.Hour} // of the requests below, one has no key
	ready, stop := start(t, s)
	t.Cleanup(func() { stop() })
	key := newKey(t, s)
	for _, test := range []struct {
		response           string // its name in the document
		method, path, send string
		contentType, key   string
	}{
		{"Malformed", "POST", "/links", `{url: "https://go.dev/"}`, "", key},
		{"Unauthenticated", "GET", "/links", "", "", "none"},
		{"NotFound", "GET", "/links/9", "", "", key},
		{"MethodNotAllowed", "POST", "/links/5", "", "", key},
		{"TooLarge", "POST", "/links", strings.Repeat(" ", 1<<20+1), "", key},
		{"URLTooLong", "GET", "/links?x=" + strings.Repeat("x", 32<<10), "", "", key},
		{"WrongType", "POST", "/links", `{}`, "text/plain", key},
		{"Invalid", "POST", "/links", `{"description":7}`, "", key},
		{"", "GET", "/links", "", "", key},
		{"", "GET", "/links", "", "", key},
		{"", "GET", "/links", "", "", key},
		{"TooManyRequests", "GET", "/links", "", "", key},
	} {
		r, err := http.NewRequestWithContext(t.Context(), test.method, ready.URL+"/api/v2"+test.path, strings.NewReader(test.send))
		check(t, err)
		r.Header.Set("Content-Type", cmp.Or(test.contentType, "application/json"))
		r.Header.Set("Authorization", "Bearer "+test.key)
		response, err := http.DefaultClient.Do(r)
		check(t, err)
		var got map[string]any
		check(t, json.NewDecoder(response.Body).Decode(&got))
		response.Body.Close()
		if want := example(t, ready.URL, test.response); test.response != "" && !reflect.DeepEqual(got, want) {
			t.Errorf("%s %.100s: got %v, want the example of the document: %v", test.method, test.path, got, want)
		}
	}
}

// example returns the example of a response in the API document.
func example(t *testing.T, serverURL, response string) map[string]any {
	t.Helper()
	got, err := http.Get(serverURL + "/api/v2/openapi.json")
	check(t, err)
	defer got.Body.Close()
	var document struct {
		Components struct {
			Responses map[string]struct {
				Content map[string]struct{ Example map[string]any }
			}
		}
	}
	check(t, json.NewDecoder(got.Body).Decode(&document))
	return document.Components.Responses[response].Content["application/json"].Example
}
