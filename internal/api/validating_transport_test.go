package api

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestValidatingTransportReportsUndeclaredCalls(t *testing.T) {
	const tag = `{"id":1,"user_id":1,"name":"a","visibility":3,"is_private":true,"created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2020-03-09T19:33:23.000000Z","deleted_at":null}`
	const invalid = `{"message":"The name field is required.","errors":{"name":["The name field is required."]}}`
	const emptyPage = `{"current_page":1,"data":[],"first_page_url":"","from":0,"last_page":1,"last_page_url":"","links":[],"next_page_url":null,"path":"","per_page":"24","prev_page_url":null,"to":0,"total":0}`
	tests := []struct {
		name         string
		method, path string
		send         string
		status       int
		header       string
		response     string
		want         string // part of the problem, "" for none
	}{
		{name: "a full tag", method: "GET", path: "/tags/1", status: 200, response: tag},
		{name: "a slash at the end", method: "GET", path: "/tags/1/", status: 200, response: tag},
		{name: "a HEAD", method: "HEAD", path: "/tags/1", status: 200},
		{name: "additional key", method: "GET", path: "/tags/1", status: 200, response: strings.Replace(tag, `"id"`, `"x":1,"id"`, 1), want: "additional properties 'x'"},
		{name: "missing key", method: "GET", path: "/tags/1", status: 200, response: strings.Replace(tag, `"user_id":1,`, ``, 1), want: "missing property 'user_id'"},
		{name: "null where not allowed", method: "GET", path: "/tags/1", status: 200, response: strings.Replace(tag, `"a"`, `null`, 1), want: "got null, want string"},
		{name: "a time without microseconds", method: "GET", path: "/tags/1", status: 200, response: strings.Replace(tag, `.000000Z`, `Z`, 1), want: "does not match pattern"},
		{name: "invalid date", method: "GET", path: "/tags/1", status: 200, response: strings.Replace(tag, `2020-03-09`, `2020-02-30`, 1), want: "not valid date-time"},
		{name: "error in a nested value", method: "GET", path: "/trash/tags", status: 200, response: `[` + strings.Replace(tag, `"visibility":3`, `"visibility":4`, 1) + `]`, want: "/0/visibility"},
		{name: "another version", method: "GET", path: "/version", status: 200, response: `{"version":"v1","waymark":"1.0.0"}`, want: "value must be 'v2'"},
		{name: "not JSON", method: "GET", path: "/tags/1", status: 200, response: `<p>`, want: "invalid character"},
		{name: "invalid UTF-8", method: "GET", path: "/tags/1", status: 200, response: strings.Replace(tag, `"a"`, "\"\xff\"", 1), want: "UTF-8"},
		{name: "another type", method: "GET", path: "/tags/1", status: 200, header: "Content-Type: text/plain", response: tag, want: "Content-Type"},
		{name: "undeclared status", method: "POST", path: "/tags", send: `{"name":"a"}`, status: 201, response: tag, want: "not declared"},
		{name: "a redirect", method: "GET", path: "/tags/", status: 301, response: `{}`, want: "not declared"},
		{name: "a 401 with its header", method: "GET", path: "/tags", status: 401, header: "WWW-Authenticate: Bearer", response: `{"message":"Unauthenticated."}`},
		{name: "a 401 without its header", method: "GET", path: "/tags", status: 401, response: `{"message":"Unauthenticated."}`, want: "WWW-Authenticate"},
		{name: "a 429 without its headers", method: "GET", path: "/tags", status: 429, response: `{"message":"Too Many Attempts."}`, want: "header"},
		{name: "a 422", method: "POST", path: "/tags", send: `{}`, status: 422, response: invalid},
		{name: "undeclared 422", method: "GET", path: "/tags", status: 422, response: invalid, want: "not declared"},
		{name: "a 422 without errors", method: "POST", path: "/tags", send: `{}`, status: 422, response: `{"message":"no"}`, want: "missing property 'errors'"},
		{name: "declared request", method: "POST", path: "/tags", send: `{"name":"a","is_private":"0","visibility":"2"}`, status: 200, response: tag},
		{name: "undeclared body", method: "POST", path: "/tags", send: `{"name":7}`, status: 200, response: tag, want: "request body"},
		{name: "undeclared empty body", method: "POST", path: "/tags", status: 200, response: tag, want: "request body"},
		{name: "undeclared id", method: "GET", path: "/tags/a", status: 200, response: tag, want: "parameter id"},
		{name: "undeclared parameter value", method: "GET", path: "/search/links?visibility=4", status: 200, response: emptyPage, want: "parameter visibility"},
		{name: "parameter with any value", method: "GET", path: "/search/tags?per_page=many", status: 200, response: `{"3":"a"}`},
		{name: "invalid id as key", method: "GET", path: "/search/tags", status: 200, response: `{"a":"3"}`, want: "invalid propertyName 'a'"},
		{name: "unknown path", method: "GET", path: "/nothing", status: 404, response: `{"message":"Not found."}`},
		{name: "undeclared path", method: "GET", path: "/nothing", status: 200, response: `{}`, want: "not declared"},
		{name: "unsupported method", method: "GET", path: "/notes", status: 405, header: "Allow: POST", response: `{"message":"no"}`},
		{name: "a 405 without Allow", method: "GET", path: "/notes", status: 405, response: `{"message":"no"}`, want: "Allow"},
		{name: "a preflight", method: "OPTIONS", path: "/tags", status: 204},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json; charset=utf-8")
				if name, value, ok := strings.Cut(test.header, ": "); ok {
					w.Header().Set(name, value)
				}
				w.WriteHeader(test.status)
				fmt.Fprint(w, test.response) //nolint:errcheck // the test would fail
			}))
			t.Cleanup(server.Close)
			problems := &listener{TB: t}
			client := &http.Client{Transport: validating(problems, server.Client().Transport), CheckRedirect: followNone}
			body, err := callOnce(t, client, test.method, server.URL+"/api/v2"+test.path, test.send)
			if err != nil || body != test.response && test.method != http.MethodHead {
				t.Errorf("the caller got %q, %v, want %q", body, err, test.response)
			}
			switch got := problems.String(); {
			case test.want == "" && got != "":
				t.Errorf("got a problem:\n%s", got)
			case !strings.Contains(got, test.want):
				t.Errorf("got %q, want a problem with %q", got, test.want)
			}
		})
	}
}

// callOnce makes a call and returns the body as far as it was received.
func callOnce(t *testing.T, client *http.Client, method, url, send string) (string, error) {
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(send))
	if err != nil {
		return "", err
	}
	resp, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

func followNone(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// listener records the problems instead of failing the test.
type listener struct {
	testing.TB
	bytes.Buffer
}

func (l *listener) Errorf(format string, args ...any) { fmt.Fprintf(&l.Buffer, format, args...) }
