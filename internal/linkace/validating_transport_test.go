package linkace

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

func TestValidatingTransportNoticesWhatTheDocumentDoesNotSay(t *testing.T) {
	const tag = `{"id":1,"user_id":1,"name":"a","visibility":3,"is_private":true,"created_at":"2020-03-09T19:33:23.000000Z","updated_at":"2020-03-09T19:33:23.000000Z","deleted_at":null}`
	const invalid = `{"message":"The name field is required.","errors":{"name":["The name field is required."]}}`
	const emptyPage = `{"current_page":1,"data":[],"first_page_url":"","from":0,"last_page":1,"last_page_url":"","links":[],"next_page_url":null,"path":"","per_page":"24","prev_page_url":null,"to":0,"total":0}`
	tests := []struct {
		name         string
		method, path string
		send         string
		status       int
		header       string
		answer       string
		want         string // a part of the complaint, "" for none
	}{
		{name: "a full tag", method: "GET", path: "/tags/1", status: 200, answer: tag},
		{name: "a slash at the end", method: "GET", path: "/tags/1/", status: 200, answer: tag},
		{name: "a HEAD", method: "HEAD", path: "/tags/1", status: 200},
		{name: "a key too many", method: "GET", path: "/tags/1", status: 200, answer: strings.Replace(tag, `"id"`, `"x":1,"id"`, 1), want: "additional properties 'x'"},
		{name: "a key too few", method: "GET", path: "/tags/1", status: 200, answer: strings.Replace(tag, `"user_id":1,`, ``, 1), want: "missing property 'user_id'"},
		{name: "null where there is none", method: "GET", path: "/tags/1", status: 200, answer: strings.Replace(tag, `"a"`, `null`, 1), want: "got null, want string"},
		{name: "a time without microseconds", method: "GET", path: "/tags/1", status: 200, answer: strings.Replace(tag, `.000000Z`, `Z`, 1), want: "does not match pattern"},
		{name: "a day that is none", method: "GET", path: "/tags/1", status: 200, answer: strings.Replace(tag, `2020-03-09`, `2020-02-30`, 1), want: "not valid date-time"},
		{name: "a deeper mistake", method: "GET", path: "/trash/tags", status: 200, answer: `[` + strings.Replace(tag, `"visibility":3`, `"visibility":4`, 1) + `]`, want: "/0/visibility"},
		{name: "another version", method: "GET", path: "/version", status: 200, answer: `{"version":"v1"}`, want: "value must be 'v2'"},
		{name: "no JSON", method: "GET", path: "/tags/1", status: 200, answer: `<p>`, want: "invalid character"},
		{name: "invalid UTF-8", method: "GET", path: "/tags/1", status: 200, answer: strings.Replace(tag, `"a"`, "\"\xff\"", 1), want: "UTF-8"},
		{name: "another type", method: "GET", path: "/tags/1", status: 200, header: "Content-Type: text/plain", answer: tag, want: "Content-Type"},
		{name: "a status that is not declared", method: "POST", path: "/tags", send: `{"name":"a"}`, status: 201, answer: tag, want: "not declared"},
		{name: "a redirect", method: "GET", path: "/tags/", status: 301, answer: `{}`, want: "not declared"},
		{name: "a 401 with its header", method: "GET", path: "/tags", status: 401, header: "WWW-Authenticate: Bearer", answer: `{"message":"Unauthenticated."}`},
		{name: "a 401 without its header", method: "GET", path: "/tags", status: 401, answer: `{"message":"Unauthenticated."}`, want: "WWW-Authenticate"},
		{name: "a 429 without its headers", method: "GET", path: "/tags", status: 429, answer: `{"message":"Too Many Attempts."}`, want: "header"},
		{name: "a 422", method: "POST", path: "/tags", send: `{}`, status: 422, answer: invalid},
		{name: "a 422 where the request breaks no rule of form", method: "GET", path: "/tags", status: 422, answer: invalid, want: "not declared"},
		{name: "a 422 without errors", method: "POST", path: "/tags", send: `{}`, status: 422, answer: `{"message":"no"}`, want: "missing property 'errors'"},
		{name: "a request that is declared", method: "POST", path: "/tags", send: `{"name":"a","is_private":"0","visibility":"2"}`, status: 200, answer: tag},
		{name: "a body that the document refuses", method: "POST", path: "/tags", send: `{"name":7}`, status: 200, answer: tag, want: "request body"},
		{name: "an empty body that the document refuses", method: "POST", path: "/tags", status: 200, answer: tag, want: "request body"},
		{name: "an id that the document refuses", method: "GET", path: "/tags/a", status: 200, answer: tag, want: "parameter id"},
		{name: "a parameter that the document refuses", method: "GET", path: "/search/links?visibility=4", status: 200, answer: emptyPage, want: "parameter visibility"},
		{name: "a parameter that may have any value", method: "GET", path: "/search/tags?per_page=many", status: 200, answer: `{"3":"a"}`},
		{name: "names by what is no id", method: "GET", path: "/search/tags", status: 200, answer: `{"a":"3"}`, want: "invalid propertyName 'a'"},
		{name: "a path that is not there", method: "GET", path: "/nothing", status: 404, answer: `{"message":"Not found."}`},
		{name: "a path that should not be there", method: "GET", path: "/nothing", status: 200, answer: `{}`, want: "not declared"},
		{name: "a method that is not there", method: "GET", path: "/notes", status: 405, header: "Allow: POST", answer: `{"message":"no"}`},
		{name: "a 405 without Allow", method: "GET", path: "/notes", status: 405, answer: `{"message":"no"}`, want: "Allow"},
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
				fmt.Fprint(w, test.answer) //nolint:errcheck // the test sees it
			}))
			t.Cleanup(server.Close)
			complaints := &listener{TB: t}
			client := &http.Client{Transport: validating(complaints, server.Client().Transport), CheckRedirect: followNone}
			body, err := callOnce(t, client, test.method, server.URL+"/api/v2"+test.path, test.send)
			if err != nil || body != test.answer && test.method != http.MethodHead {
				t.Errorf("the caller got %q, %v, want %q", body, err, test.answer)
			}
			switch got := complaints.String(); {
			case test.want == "" && got != "":
				t.Errorf("got a complaint:\n%s", got)
			case !strings.Contains(got, test.want):
				t.Errorf("got %q, want a complaint with %q", got, test.want)
			}
		})
	}
}

func TestValidatingTransportHandsOnAnAnswerThatBreaksOff(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"data":[`)            //nolint:errcheck // the test sees it
		http.NewResponseController(w).Flush() //nolint:errcheck // the test sees it
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: validating(t, server.Client().Transport)}
	body, err := callOnce(t, client, "GET", server.URL+"/api/v2/links", "")
	if err == nil || body != `{"data":[` {
		t.Errorf("got %q, %v, want what was sent and an error", body, err)
	}
}

func TestValidatingTransportServesManyAtOnce(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"3":"a"}`) //nolint:errcheck // the test sees it
	}))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: validating(t, server.Client().Transport)}
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			if _, err := callOnce(t, client, "GET", server.URL+"/api/v1/search/tags", ""); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
}

// callOnce makes a call and returns what came back of the body.
func callOnce(t *testing.T, client *http.Client, method, address, send string) (string, error) {
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(send))
	if err != nil {
		return "", err
	}
	resp, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() //nolint:errcheck // it has been read
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

func followNone(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// listener keeps the complaints that would fail the test.
type listener struct {
	testing.TB
	bytes.Buffer
}

func (l *listener) Errorf(format string, args ...any) { fmt.Fprintf(&l.Buffer, format, args...) }
