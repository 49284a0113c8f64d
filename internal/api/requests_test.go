package api

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestHeadReturnsHeadersOfGet(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.link(t, `{"url":"https://go.dev/","lists":"a","tags":"a"}`)
	for _, r := range routes {
		if r.Method != http.MethodGet {
			continue
		}
		path := strings.ReplaceAll(r.Path, "{id}", "1")
		get, head := ann.get(t, path), ann.call(t, "HEAD", path, "")
		if head.status != get.status || head.body != "" {
			t.Errorf("HEAD %s: got %d with %d bytes, want %d and none", path, head.status, len(head.body), get.status)
		}
		for _, name := range []string{"Content-Type", "Content-Length", "Cache-Control"} {
			if got, want := head.header.Get(name), get.header.Get(name); got != want {
				t.Errorf("HEAD %s: got %s %q, want %q", path, name, got, want)
			}
		}
	}
	ann.call(t, "HEAD", "/links/99", "").wantStatus(t, 404)
	ann.call(t, "HEAD", "/notes", "").wantStatus(t, 405)
}

func TestTrailingSlashIsIgnored(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.post(t, "/links/", `{"url":"https://go.dev/"}`).ok(t)
	ann.get(t, "/links/?page=1").wantValue(t, "total path", `[1,"`+s.baseURL+`/api/`+s.version+`/links"]`)
	ann.get(t, "/links/1/").wantValue(t, "id", "1")
	ann.get(t, "/links/check/?url=https://go.dev/").wantValue(t, "linksFound", "true")
	ann.get(t, "/links/1/notes/").wantValue(t, "total", "0")
	ann.patch(t, "/links/1/", `{"url":"https://go.dev/"}`).ok(t)
	ann.delete(t, "/links/1/", "").ok(t)
	ann.callURL(t, "GET", s.baseURL+"/api/version/", "").wantValue(t, "version", `"v2"`)
	for _, path := range []string{"/links//", "//links", "/links//1", "/links/%2F", "/links/../links", "/links/%2e%2e/links", "/./links", "/"} {
		ann.get(t, path).wantError(t, 404, "Not found.")
	}
}

func TestInvalidPathIDIsNotFound(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.link(t, `{"url":"https://go.dev/","lists":"a","tags":"a"}`)
	ann.note(t, `{"link_id":1,"note":"a"}`)
	ids := []string{"0", "-1", "99", "a", "1a", "1.0", "1e0", "0x1", "+1", "%2B1", "%201", "1%20", "1%00", "%FF", "9223372036854775808", "99999999999999999999999", "null", "１", "1,2"}
	for _, r := range routes {
		if !strings.Contains(r.Path, "{id}") {
			continue
		}
		for _, id := range ids {
			path := strings.NewReplacer("{id}", id, "{link_id}", "1").Replace(r.Path)
			ann.call(t, r.Method, path, "").wantError(t, 404, "Not found.")
			path = strings.NewReplacer("{id}", "1", "{link_id}", id).Replace(r.Path)
			if path != strings.ReplaceAll(r.Path, "{id}", "1") {
				ann.call(t, r.Method, path, "").wantError(t, 404, "Not found.")
			}
		}
	}
	ann.get(t, "/links/9223372036854775807").wantError(t, 404, "Not found.")
	ann.get(t, "/links/1").ok(t)
}

func TestOrderOfChecks(t *testing.T) {
	s := newTestServer(t)
	ann, ben, anonymous := s.addUser(t, "ann"), s.addUser(t, "ben"), s.withoutKey()
	public := ann.link(t, `{"url":"https://go.dev/","visibility":1}`)
	ann.list(t, `{"name":"a","visibility":1}`)
	ann.tag(t, `{"name":"a","visibility":1}`)
	ann.note(t, `{"link_id":1,"note":"a","visibility":1}`)
	tooLarge := `{"x":"` + strings.Repeat("x", 2<<20) + `"}`
	for _, test := range []struct {
		name, path, body, contentType string
		who                           *testClient
		status                        int
	}{
		{"401 before 404", "/links/99", `{`, "text/plain", anonymous, 401},
		{"401 before 403", "/links/" + public, `{`, "text/plain", anonymous, 401},
		{"404 before 400", "/links/99", `{`, "", ben, 404},
		{"404 before 415", "/links/99", `{`, "text/plain", ben, 404},
		{"404 before 413", "/links/99", tooLarge, "", ben, 404},
		{"403 before 400", "/links/" + public, `{`, "", ben, 403},
		{"403 before 415", "/links/" + public, `{`, "text/plain", ben, 403},
		{"403 before 413", "/links/" + public, tooLarge, "", ben, 403},
		{"403 before 422", "/links/" + public, `{}`, "", ben, 403},
		{"403 before 422, list", "/lists/1", `{"name":5}`, "", ben, 403},
		{"403 before 422, tag", "/tags/1", `{"name":""}`, "", ben, 403},
		{"403 before 400, note", "/notes/1", `[`, "", ben, 403},
		{"404 before 400, note", "/notes/99", `[`, "", ben, 404},
		{"415 before 400", "/links/" + public, `{`, "text/plain", ann, 415},
		{"400 before 422", "/links/" + public, `{`, "", ann, 400},
		{"422 last", "/links/" + public, `{}`, "", ann, 422},
	} {
		if got := test.who.call(t, "PATCH", test.path, test.body, "Content-Type: "+test.contentType); got.status != test.status {
			t.Errorf("%s: got %d, want %d", test.name, got.status, test.status)
		}
	}
}

func TestBooleansInQuery(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.link(t, `{"url":"https://one.example","title":"needle"}`)
	for value, want := range map[string]string{
		"0": "0", "false": "0", "FALSE": "0", "off": "0", "Off": "0", "no": "0", "": "0", "%20": "0",
		"1": "1", "true": "1", "yes": "1", "on": "1", "needle": "1", "2": "1", "-1": "1", "%FF": "1",
	} {
		if got := ann.get(t, "/search/links?query=needle&search_title="+value).ok(t).value(t, "total"); got != want {
			t.Errorf("search_title=%s: found %s, want %s", value, got, want)
		}
	}
}

func TestResponsesHaveTheHeadersForBrowsersAndCaches(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	want := func(a response, name, value string) {
		t.Helper()
		if got := a.header.Get(name); got != value {
			t.Errorf("%s, %d: got %s %q, want %q", a.call, a.status, name, got, value)
		}
	}
	preflight := s.withoutKey().call(t, "OPTIONS", "/links/5", "", "Origin: https://x.example", "Access-Control-Request-Method: PATCH", "Access-Control-Request-Headers: authorization, x-other").wantStatus(t, 204)
	want(preflight, "Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
	want(preflight, "Access-Control-Allow-Headers", "authorization, x-other")
	want(preflight, "Access-Control-Allow-Origin", "*")
	want(s.withoutKey().call(t, "OPTIONS", "/links", ""), "Access-Control-Allow-Headers", "authorization, content-type, accept")
	for _, a := range []response{
		ann.call(t, "GET", "/links", "", "Accept: text/html").wantStatus(t, 200),
		ann.post(t, "/links", "{").wantStatus(t, 400),
		s.withoutKey().get(t, "/links").wantStatus(t, 401),
		ann.get(t, "/links/5").wantStatus(t, 404),
		ann.get(t, "/nothing").wantStatus(t, 404),
		ann.get(t, "//").wantStatus(t, 404),
		ann.get(t, "/notes").wantStatus(t, 405),
		ann.post(t, "/links", "").wantStatus(t, 422),
	} {
		want(a, "Content-Type", "application/json")
		want(a, "Cache-Control", "no-cache, private")
		want(a, "Access-Control-Allow-Origin", "*")
		want(a, "Access-Control-Allow-Credentials", "")
		want(a, "Access-Control-Expose-Headers", "ETag, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset")
	}
}

func TestUnsupportedMethodIsRejectedWithAllow(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for path, allow := range map[string]string{
		"/links":           "GET, HEAD, POST",
		"/links/1":         "DELETE, GET, HEAD, PATCH, PUT",
		"/links/check":     "GET, HEAD",
		"/lists/1/links/1": "DELETE, PATCH, PUT",
		"/notes":           "POST",
		"/notes/1":         "DELETE, PATCH, PUT",
		"/trash/clear":     "DELETE",
		"/trash/restore":   "PATCH, PUT",
		"/bulk/restore":    "PATCH, PUT",
		"/saved-searches":  "GET, HEAD, POST",
		"/bulk/links":      "PATCH, POST, PUT",
		"/bulk/delete":     "DELETE",
		"/search/links":    "GET, HEAD",
		"/version":         "GET, HEAD",
		"/openapi.json":    "GET, HEAD",
	} {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "PURGE"} {
			if strings.Contains(", "+allow+",", ", "+method+",") {
				continue
			}
			got := ann.call(t, method, path, "{").wantError(t, 405, "The method "+method+" is not supported here. Supported: "+allow+".")
			if got := got.header.Get("Allow"); got != allow {
				t.Errorf("%s %s: got Allow %q, want %q", method, path, got, allow)
			}
		}
	}
}

func TestUnknownPathIsNotFound(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for _, path := range []string{"/nothing", "/Links", "/links/1/lists", "/links/1/notes/1", "/trash", "/search", "/bulk", "/lists/1/link", "/links/check/1"} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			ann.call(t, method, path, "").wantError(t, 404, "Not found.")
		}
	}
	for _, path := range []string{"/api", "/api/", "/api/v3/links", "/api/links", "/api/v22/links", "/api/V1/links", "/api/docs/nothing"} {
		ann.callURL(t, "GET", s.baseURL+path, "").wantError(t, 404, "Not found.")
	}
}

// request returns a request for a path below the prefix, which tests can modify before
// they send it.
func (p *testClient) request(t *testing.T, method, path, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.baseURL+"/api/"+p.version+path, strings.NewReader(body))
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+p.key)
	return r
}

// A client that closes its sending side within the body gets the response to any other malformed
// body, permissions included.
func TestIncompleteBodyIsMalformed(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	ann.link(t, `{"url":"https://go.dev/","visibility":1,"lists":"a","tags":"a"}`)
	ann.note(t, `{"link_id":1,"note":"a"}`)
	for _, test := range []struct {
		method, path string
		who          *testClient
		status       int
	}{
		{"POST", "/links", ann, 400},
		{"POST", "/lists", ann, 400},
		{"POST", "/tags", ann, 400},
		{"POST", "/notes", ann, 400},
		{"POST", "/bulk/links", ann, 400},
		{"PATCH", "/links/1", ann, 400},
		{"PATCH", "/lists/1", ann, 400},
		{"PATCH", "/tags/1", ann, 400},
		{"PATCH", "/notes/1", ann, 400},
		{"PATCH", "/links/1", ben, 403},
		{"PATCH", "/links/99", ann, 404},
	} {
		if got := sendIncompleteBody(t, test.who, test.method, test.path); got != test.status {
			t.Errorf("%s %s: got %d, want %d", test.method, test.path, got, test.status)
		}
	}
}

// sendIncompleteBody sends 4 of 100 bytes of a body, ends the sending side of the
// connection, and returns the status of the response.
func sendIncompleteBody(t *testing.T, c *testClient, method, path string) int {
	t.Helper()
	conn := c.dial(t)
	defer conn.Close()
	fmt.Fprintf(conn, "%s /api/%s%s HTTP/1.1\r\nHost: a.example\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{\"ur", method, c.version, path, c.key)
	check(t, conn.CloseWrite())
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	check(t, err)
	defer response.Body.Close()
	return response.StatusCode
}
