package server_test

import (
	"cmp"
	"encoding/json"
	"io"
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
	for _, test := range []struct {
		response           string // its name in the document
		method, path, send string
		contentType        string
		change             func(*config.Serve)
		withoutKey, repeat bool
	}{
		{response: "Malformed", method: "POST", path: "/links", send: `{url: "https://go.dev/"}`},
		{response: "Unauthenticated", method: "GET", path: "/links", withoutKey: true},
		{response: "NotFound", method: "GET", path: "/links/9"},
		{response: "MethodNotAllowed", method: "POST", path: "/links/5"},
		{response: "TooLarge", method: "POST", path: "/links", send: strings.Repeat(" ", 1<<20+1)},
		{response: "URLTooLong", method: "GET", path: "/links?x=" + strings.Repeat("x", 32<<10)},
		{response: "WrongType", method: "POST", path: "/links", send: `{}`, contentType: "text/plain"},
		{response: "Invalid", method: "POST", path: "/links", send: `{"description":7}`},
		{response: "TooManyRequests", method: "GET", path: "/links", repeat: true, change: func(s *config.Serve) {
			s.API.RateLimit = config.Rate{Count: 1, Per: time.Hour}
		}},
	} {
		t.Run(test.response, func(t *testing.T) {
			s := settings(t)
			if test.change != nil {
				test.change(&s)
			}
			ready, stop := start(t, s)
			t.Cleanup(func() { stop() })
			key := newKey(t, s)
			call := func(method, path, body string) map[string]any {
				t.Helper()
				r, err := http.NewRequestWithContext(t.Context(), method, ready.URL+"/api/v2"+path, strings.NewReader(body))
				check(t, err)
				r.Header.Set("Content-Type", cmp.Or(test.contentType, "application/json"))
				if !test.withoutKey {
					r.Header.Set("Authorization", "Bearer "+key)
				}
				response, err := http.DefaultClient.Do(r)
				check(t, err)
				defer response.Body.Close()
				text, err := io.ReadAll(response.Body)
				var value map[string]any
				if err != nil || json.Unmarshal(text, &value) != nil {
					t.Fatalf("%s %.100s: got %q, %v, want JSON", method, path, text, err)
				}
				return value
			}
			if test.repeat {
				call(test.method, test.path, test.send)
			}
			got := call(test.method, test.path, test.send)
			if want := example(t, ready.URL, test.response); !reflect.DeepEqual(got, want) {
				t.Errorf("%s %.100s: got %v, want the example of the document: %v", test.method, test.path, got, want)
			}
		})
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
