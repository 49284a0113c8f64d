package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// oddBodies are the seeds for fuzzing bodies.
var oddBodies = []string{
	`{"url":"https://go.dev/","title":"Go","description":null,"lists":"a,b","tags":[1,"x",{"id":2},{"name":"y"}],"visibility":2,"is_private":false,"check_disabled":"1","status":3}`,
	`{"name":" a,b ","description":5,"visibility":"3"}`, `{"link_id":"7","note":"n"}`, `{"model":"links","id":1.5}`, `{"models":[1,"2",null]}`, `{"models":[{"url":""},7]}`,
	`{"type":"tags","models":{}}`, `{"tags":[],"tags_mode":"append","lists":null,"lists_mode":"replace"}`,
	``, `{}`, ` {} `, `[]`, `null`, `7`, `"a"`, `{"a":1}{}`, `{"a":`, "{\"a\":\"\xff\"}", `{"a":"\ud800","a":"\u0000"}`, `{"visibility":18446744073709551617}`, `{"url":{"url":[]}}`,
	strings.Repeat(`{"a":[`, 40) + strings.Repeat(`]}`, 40), strings.Repeat("[", 1000), `{"is_private":"\u0031","status":"\u0032"}`, `{"a":"[[[[{{{{\\\"["}`,
}

// FuzzRequests sends requests to the operations and to other paths.
func FuzzRequests(f *testing.F) {
	for i, r := range routes {
		body := oddBodies[i%len(oddBodies)]
		f.Add(byte(i), "", "1", "page=1&query=a", []byte(body), "application/json")
		f.Add(byte(i), "OPTIONS", "0", "only_lists=1,a&per_page=-1", []byte(`{"models":[1],"model":"link","type":"lists","id":1,"name":"n`+strconv.Itoa(i)+`","url":"https://`+r.Path+`"}`), "")
	}
	f.Add(byte(255), "GET", "/api/v1/links/%2F..", "api_token=x", []byte("{"), "text/plain")
	f.Add(byte(254), "PATCH", "/api/version/", "", []byte{}, "")

	s := newTestServer(f)
	key := s.addUser(f, "ann").key
	f.Fuzz(func(t *testing.T, which byte, method, path, query string, body []byte, contentType string) {
		version := []string{v1, v2}[len(body)%2]
		if int(which) < len(routes) {
			chosen := routes[which]
			path = "/api/" + version + strings.ReplaceAll(chosen.Path, "{id}", url.PathEscape(path))
			if method == "" || len(method) > 9 {
				method = chosen.Method
			}
		}
		requestURL, err := url.Parse(s.baseURL + path + "?" + query)
		if err != nil || "http://"+requestURL.Host != s.baseURL {
			t.Skip("not a valid URL for the server")
		}
		r, err := http.NewRequestWithContext(t.Context(), method, requestURL.String(), bytes.NewReader(body))
		if err != nil || method == http.MethodConnect {
			t.Skip("not a valid request")
		}
		r.Header["Authorization"] = []string{"Bearer " + key}
		r.Header["Content-Type"] = []string{contentType}
		resp, err := validating(t, http.DefaultTransport).RoundTrip(r)
		if err != nil {
			t.Skip("not a valid header")
		}
		defer resp.Body.Close()
		var text bytes.Buffer
		if _, err := text.ReadFrom(resp.Body); err != nil {
			t.Fatal(err)
		}
		switch {
		case resp.StatusCode >= 500:
			t.Fatalf("%s %s: got %d %s", method, requestURL, resp.StatusCode, &text)
		case resp.StatusCode >= 300 && resp.StatusCode < 400 && !strings.HasPrefix(path, "/api/docs"):
			t.Fatalf("%s %s: got %d to %s", method, requestURL, resp.StatusCode, resp.Header.Get("Location"))
		case method == http.MethodOptions || method == http.MethodHead || strings.HasPrefix(path, "/api/docs"):
		case !json.Valid(text.Bytes()) || !utf8.Valid(text.Bytes()):
			t.Fatalf("%s %s: got %d with %q, want JSON", method, requestURL, resp.StatusCode, &text)
		case bytes.Contains(text.Bytes(), []byte(key)):
			t.Fatalf("%s %s: the response contains the API key: %s", method, requestURL, &text)
		}
	})
}
