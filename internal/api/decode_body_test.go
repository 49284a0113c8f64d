package api

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"waymark/internal/httpx"
)

func TestByteOrderMarkIsIgnored(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	s.client = http.DefaultClient // the document declares JSON
	ann.call(t, "POST", "/tags", "\ufeff"+`{"name":"a"}`).ok(t).wantValue(t, "name", `"a"`)
	ann.call(t, "POST", "/tags", "\ufeff").wantStatus(t, 422)
	ann.call(t, "POST", "/tags", "\ufeff\ufeff{}").wantStatus(t, 400)
}

func TestBodyMustBeDeclaredAsJSON(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for _, test := range []struct {
		contentType, body string
		status            int
	}{
		{"", `{"name":"a"}`, 200},
		{"application/json", `{"name":"b"}`, 200},
		{"application/json; charset=utf-8", `{"name":"c"}`, 200},
		{"Application/JSON;charset=UTF-8; odata=verbose", `{"name":"d"}`, 200},
		{"application/vnd.api+json", `{"name":"e"}`, 200},
		{"application/ld+json;profile=x", `{"name":"f"}`, 200},
		{"text/plain", `{"name":"g"}`, 415},
		{"application/x-www-form-urlencoded", `name=h`, 415},
		{"multipart/form-data; boundary=x", `--x--`, 415},
		{"application/jsonx", `{"name":"i"}`, 415},
		{"text/plain", ``, 422}, // the type of an empty body is ignored
		{"text/plain", ` `, 422},
		{"text/plain", `{}`, 415},
	} {
		got := ann.call(t, "POST", "/tags", test.body, "Content-Type: "+test.contentType)
		if got.status != test.status {
			t.Errorf("%q with %q: got %d, want %d: %s", test.contentType, test.body, got.status, test.status, got.body)
		}
	}
	for _, coding := range []string{"gzip", "br", "gzip, identity"} {
		ann.call(t, "POST", "/tags", `{"name":"k"}`, "Content-Encoding: "+coding).wantError(t, 415, "The body must not be compressed: Content-Encoding is "+coding+".")
	}
	ann.call(t, "POST", "/tags", `{"name":"k"}`, "Content-Encoding: identity").ok(t)
	ann.call(t, "POST", "/tags", "name=x", "Content-Type: text/plain").wantError(t, 415, "The body must be application/json, not text/plain.")
}

func TestBodySizeIsLimited(t *testing.T) {
	const limit, bulkLimit = httpx.UserBody, httpx.BulkBody
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	padded := func(body string, size int) string { return body + strings.Repeat(" ", size-len(body)) }
	for _, test := range [][3]string{
		{"POST", "/links", `{"url":"https://a.example"}`},
		{"PATCH", "/links/1", `{"url":"https://b.example"}`},
		{"DELETE", "/trash/clear", `{"model":"links"}`},
		{"PATCH", "/bulk/lists", `{"models":[1]}`},
	} {
		ann.call(t, test[0], test[1], padded(test[2], limit)).ok(t)
		ann.call(t, test[0], test[1], padded(test[2], limit+1)).wantError(t, 413, "The body must not be larger than 1048576 bytes.")
	}
	for path, body := range map[string]string{"/bulk/links": `{"models":[{"url":"https://c.example"}]}`, "/bulk/lists": `{"models":[{"name":"a"}]}`, "/bulk/tags": `{"models":[{"name":"a"}]}`} {
		ann.post(t, path, padded(body, 2*limit)).ok(t)
		conn := s.dial(t)
		fmt.Fprintf(conn, "POST /api/v2%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n", path, ann.key, bulkLimit+1)
		if got, err := io.ReadAll(conn); err != nil || !bytes.HasPrefix(got, []byte("HTTP/1.1 413 ")) || !bytes.Contains(got, []byte("larger than 33554432 bytes.")) {
			t.Errorf("%s: got %s, %v, want 413", path, got, err)
		}
		conn.Close()
	}
	// Without Content-Length.
	for size, status := range map[int]int{limit: 200, limit + 1: 413} {
		r := ann.request(t, "POST", "/lists", "")
		r.GetBody, r.ContentLength = nil, -1
		r.Body = io.NopCloser(strings.NewReader(padded(`{"name":"a"}`, size)))
		ann.do(t, r).wantStatus(t, status)
	}
}

func TestEmptyBodyIsAnEmptyObject(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for _, body := range []string{"", " ", " \n", "{}", "null", " null\n", "[]", "[ ]", "\t[\n]\r"} {
		ann.post(t, "/tags", body).wantFieldErrors(t, "name: The name field is required.")
		ann.delete(t, "/trash/clear?model=tags", body).ok(t)
	}
	for path, fields := range map[string][]string{
		"/links": {"url: The url field is required."},
		"/lists": {"name: The name field is required."},
		"/notes": {"link_id: The link id field is required.", "note: The note field is required."},
	} {
		ann.post(t, path, "").wantFieldErrors(t, fields...)
	}
	ann.post(t, "/tags", `[[]]`).wantError(t, 400, "The body is malformed: it must be a JSON object.")
	ann.call(t, "POST", "/tags", "[]", "Content-Type: text/plain").wantStatus(t, 415)
}

func TestMalformedBodyIsRejectedWithOffset(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for _, test := range []struct{ name, body, want string }{
		{"a trailing comma", `{"name":"a",}`, "invalid character '}' looking for beginning of object key string at byte 13"},
		{"not JSON", `name=a`, "invalid character 'a' in literal null (expecting 'u') at byte 2"},
		{"truncated", `{"name":"a"`, "unexpected end of JSON input at byte 11"},
		{"trailing data", `{"name":"a"} {}`, "invalid character '{' after top-level value at byte 14"},
		{"an array", `["a"]`, "it must be a JSON object"},
		{"a string", `"a"`, "it must be a JSON object"},
		{"a number", `7`, "it must be a JSON object"},
		{"invalid UTF-8", "{\"name\":\"a\xff\"}", "invalid UTF-8 at byte 11"},
		{"UTF-16", "{\x00}\x00", "invalid character '\\x00' looking for beginning of object key string at byte 2"},
		{"a control character in a string", "{\"name\":\"a\nb\"}", "invalid character '\\n' in string literal at byte 11"},
		{"a byte order mark and a trailing comma", "\ufeff{\"name\":\"a\",}", "invalid character '}' looking for beginning of object key string at byte 16"},
		{"a byte order mark and invalid UTF-8", "\ufeff{\"name\":\"a\xff\"}", "invalid UTF-8 at byte 14"},
		{"many unclosed arrays", strings.Repeat("[", 100_000), "invalid character '[' exceeded max depth at byte 10001"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ann.post(t, "/tags", test.body).wantError(t, 400, "The body is malformed: "+test.want+".")
		})
	}
	ann.post(t, "/tags", `{"name":"[[","x":`+strings.Repeat("[", 63)+strings.Repeat("]", 63)+`}`).ok(t)
}

func TestStringsAreTrimmedAndEmptyStringsAreNull(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	got := ann.post(t, "/links", `{"url":" https://go.dev/\t","title":"\n Go \u00a0","description":"  ","visibility":" 2 ","check_disabled":" 1 ","lists":" a , b ","tags":[" c "," "]}`)
	got.wantValue(t, "url title description visibility check_disabled", `["https://go.dev/","Go",null,2,true]`)
	got.wantValue(t, "lists.*.name tags.*.name", `[["a","b"],["c"]]`)
	got = ann.patch(t, "/links/"+got.id(t), `{"url":"https://go.dev/","title":" ","visibility":"","check_disabled":"","lists":" ","tags":""}`)
	got.wantValue(t, "title visibility check_disabled lists tags", `["go.dev",2,true,[],[]]`)
	ann.post(t, "/lists", `{"name":" \t\n"}`).wantFieldErrors(t, "name: The name field is required.")
	ann.get(t, "/search/links?query=%20&only_lists=%20&broken_only=%20").wantStatus(t, 422)
	ann.get(t, "/search/lists?query=%20A%20").wantValue(t, "1", `"a"`)
	ann.get(t, "/links?per_page=%2010%20&order_by=%20url%20&order_dir=%20ASC%20").ok(t).wantValue(t, "per_page", `"10"`)
}

func TestDeleteReadsMissingFieldsFromQuery(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for range 9 {
		ann.list(t, `{"name":"a"}`)
	}
	for _, test := range []struct {
		name, query, body, want string
	}{
		{"body", "", `{"type":"lists","models":[1,"2"]}`, `{"1":true,"2":true}`},
		{"query", "?type=lists&models=3,4", "", `{"3":true,"4":true}`},
		{"array in the query", "?type=lists&models[]=5&models[]=6", "", `{"5":true,"6":true}`},
		{"body and query", "?type=lists", `{"models":[7]}`, `{"7":true}`},
		{"the body takes precedence", "?type=tags&models=9", `{"type":"lists","models":[8]}`, `{"8":true}`},
		{"null in the body counts as missing", "?type=lists&models=1", `{"type":null,"models":null}`, `{"1":false}`},
		{"superfluous commas", "?type=lists&models=,1,,2,", "", `{"1":false,"2":false}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ann.delete(t, "/bulk/delete"+test.query, test.body).ok(t)
			if got.body != test.want {
				t.Errorf("got %s, want %s", got.body, test.want)
			}
		})
	}
	ann.delete(t, "/bulk/delete?type=lists&models=1,two", "").wantFieldErrors(t, `models: The models must be numbers: "two" is none.`)
	ann.delete(t, "/bulk/delete?type=lists&models=", "").wantFieldErrors(t, "models: The models field is required.")
	ann.delete(t, "/bulk/delete?type=nothing", "").wantFieldErrors(t, "type: The selected type is invalid.", "models: The models field is required.")
	ann.get(t, "/trash/lists").wantValue(t, "*.id", "[1,2,3,4,5,6,7,8]")
	ann.delete(t, "/trash/clear?model=lists", "").ok(t)
	ann.get(t, "/trash/lists").wantValue(t, "*.id", "[]")
	ann.delete(t, "/trash/clear", "").wantFieldErrors(t, "model: The model field is required.")
	// Other methods ignore the query.
	ann.call(t, "PATCH", "/trash/restore?model=list&id=9", "").wantFieldErrors(t, "model: The model field is required.", "id: The id field is required.")
	// A malformed body is ignored by operations without a body.
	ann.delete(t, "/lists/9", `{"x":`).ok(t)
}

func TestUnknownFieldsAndParametersAreIgnored(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	s.addUser(t, "ben")
	const ignored = `"id":77,"user_id":2,"icon":"x","thumbnail":"https://x.example/x.png","created_at":"2000-01-01T00:00:00.000000Z","updated_at":5,"deleted_at":"2000-01-01T00:00:00.000000Z","pivot":{},"nonsense":[{}]`
	const fields = "id user_id deleted_at"
	ann.post(t, "/links", `{"url":"https://github.com/",`+ignored+`}`).wantValue(t, fields+" icon thumbnail", `[1,1,null,"fab fa-github",null]`)
	ann.patch(t, "/links/1", `{"url":"https://github.com/",`+ignored+`}`).wantValue(t, fields+" icon thumbnail", `[1,1,null,"fab fa-github",null]`)
	ann.post(t, "/lists", `{"name":"a","links":"x",`+ignored+`}`).wantValue(t, fields, "[1,1,null]")
	ann.patch(t, "/lists/1", `{"name":"a","links":"x",`+ignored+`}`).wantValue(t, fields, "[1,1,null]")
	ann.post(t, "/tags", `{"name":"a",`+ignored+`}`).wantValue(t, fields, "[1,1,null]")
	ann.patch(t, "/tags/1", `{"name":"a",`+ignored+`}`).wantValue(t, fields, "[1,1,null]")
	ann.post(t, "/notes", `{"link_id":1,"note":"a",`+ignored+`}`).wantValue(t, fields+" link_id", "[1,1,null,1]")
	ann.patch(t, "/notes/1", `{"link_id":99,"note":"a",`+ignored+`}`).wantValue(t, fields+" link_id", "[1,1,null,1]")
	ann.get(t, "/links?id=5&nonsense=1&url[]=x&%FF=%FF&broken=%zz").ok(t).wantValue(t, "total", "1")
	created := ann.get(t, "/links/1").value(t, "created_at")
	if strings.HasPrefix(created, `"2000`) {
		t.Errorf("got created_at %s, want the time of creation", created)
	}
}

func TestBooleansInBody(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.link(t, `{"url":"https://go.dev/","check_disabled":true}`)
	const wrong = "wrong"
	for sent, want := range map[string]string{
		"true": "true", "1": "true", `"1"`: "true", `"true"`: "true", `" true "`: "true", `"\u0031"`: "true",
		"false": "false", "0": "false", `"0"`: "false", `"false"`: "false",
		"null": "true", `""`: "true", `" "`: "true", // counts as not sent
		"2": wrong, "-1": wrong, "1.0": wrong, "1e0": wrong, `"yes"`: wrong, `"TRUE"`: wrong, `"on"`: wrong, "[]": wrong, "{}": wrong, `"\"true\""`: wrong, `"1\""`: wrong,
	} {
		ann.patch(t, "/links/1", `{"url":"https://go.dev/","check_disabled":true}`).ok(t)
		got := ann.patch(t, "/links/1", `{"url":"https://go.dev/","check_disabled":`+sent+`}`)
		if want == wrong {
			got.wantFieldErrors(t, "check_disabled: The check disabled field must be true or false.")
			continue
		}
		if got := got.ok(t).value(t, "check_disabled"); got != want {
			t.Errorf("%s: got %s, want %s", sent, got, want)
		}
	}
}

func TestIntegersInBody(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	ann.link(t, `{"url":"https://go.dev/"}`)
	const wrong = "link_id: The link id must be a number."
	const unknown = "link_id: The selected link id is invalid."
	for sent, want := range map[string]string{
		"1": "", `"1"`: "", `" 1 "`: "", `"01"`: "",
		"1.0": wrong, "1e0": wrong, `"1.5"`: wrong, `"one"`: wrong, "true": wrong, "[1]": wrong, "{}": wrong, `"1 2"`: wrong,
		"9223372036854775808": wrong, `"99999999999999999999"`: wrong, "1e400": wrong,
		"2": unknown, "0": unknown, "-1": unknown, "9223372036854775807": unknown,
		"null": "link_id: The link id field is required.", `""`: "link_id: The link id field is required.",
	} {
		got := ann.post(t, "/notes", `{"note":"n","link_id":`+sent+`}`)
		if want == "" {
			got.ok(t).wantValue(t, "link_id", "1")
			continue
		}
		got.wantFieldErrors(t, want)
	}
}
