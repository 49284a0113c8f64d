package linkace

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"waymark/internal/config"
)

func TestKeyComesAsBearer(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		for _, test := range []struct {
			name, header string
			status       int
		}{
			{"as everyone writes it", "Bearer " + ann.key, 200},
			{"scheme in lower case", "bearer " + ann.key, 200},
			{"scheme in upper case", "BEARER " + ann.key, 200},
			{"more space", "Bearer   " + ann.key, 200},
			{"no header", "", 401},
			{"no key", "Bearer", 401},
			{"another scheme", "Basic " + ann.key, 401},
			{"no scheme", ann.key, 401},
			{"a key that nobody has", "Bearer wm_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 401},
			{"a key in lower case", "Bearer " + strings.ToLower(ann.key), 401},
			{"a key and more", "Bearer " + ann.key + "x", 401},
			{"a key cut short", "Bearer " + ann.key[:20], 401},
			{"two keys", "Bearer " + ann.key + " " + ann.key, 401},
			{"what is no text", "Bearer \xff\x80", 401},
		} {
			t.Run(test.name, func(t *testing.T) {
				var headers []string
				if test.header != "" {
					headers = []string{"Authorization: " + test.header}
				}
				got := s.nobody().call(t, "GET", "/links", "", headers...)
				if test.status == 200 {
					got.ok(t)
					return
				}
				got.refuses(t, 401, "Unauthenticated.")
				if got := got.header.Get("WWW-Authenticate"); got != "Bearer" {
					t.Errorf("got WWW-Authenticate %q, want Bearer", got)
				}
			})
		}
	})
}

func TestKeyComesInTheQueryOnlyInV1(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann, ben := s.person(t, "ann"), s.person(t, "ben")
		ann.link(t, `{"url":"https://ann.example"}`)
		got := s.nobody().get(t, "/links?api_token="+ann.key)
		if s.version != v1 {
			got.refuses(t, 401, "Unauthenticated.")
			return
		}
		got.has(t, "total", "1")
		s.nobody().get(t, "/links?api_token=wm_wrong").refuses(t, 401, "Unauthenticated.")
		ben.get(t, "/links?api_token="+ann.key).has(t, "total", "0")
		s.nobody().call(t, "GET", "/links?api_token="+ann.key, "", "Authorization: Bearer wm_wrong").refuses(t, 401, "Unauthenticated.")
		s.nobody().call(t, "POST", "/links?api_token="+ann.key, `{"url":"https://two.example"}`).ok(t)
		s.nobody().call(t, "DELETE", "/trash/clear?api_token="+ann.key, `{"model":"links"}`).ok(t)
	})
}

func TestVersionWithoutPrefixNeedsNoKey(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		s.nobody().callAt(t, "GET", s.address+"/api/version", "").ok(t).has(t, "version", `"v2"`)
		s.nobody().get(t, "/version").refuses(t, 401, "Unauthenticated.")
	})
}

func TestAcceptIsNotEnforced(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		for _, accept := range []string{"", "application/json", "text/html", "image/*;q=0.1", "nonsense"} {
			got := ann.call(t, "GET", "/links", "", "Accept: "+accept).ok(t)
			if got := got.header.Get("Content-Type"); got != "application/json" {
				t.Errorf("Accept %q: got type %q, want JSON", accept, got)
			}
		}
	})
}

func TestBodyIsJSONWhateverItsTypeSaysOfIt(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
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
			{"text/plain", ``, 422},   // nothing is of no type
			{"text/plain", ` `, 422},  // nor is space
			{"text/plain", `{}`, 415}, // this is something
		} {
			got := ann.call(t, "POST", "/tags", test.body, "Content-Type: "+test.contentType)
			if got.status != test.status {
				t.Errorf("%q with %q: got %d, want %d: %s", test.contentType, test.body, got.status, test.status, got.body)
			}
		}
		ann.call(t, "POST", "/tags", "name=x", "Content-Type: text/plain").refuses(t, 415, "The body must be application/json, not text/plain.")
	})
}

func TestBodyMayBeLongButNotTooLong(t *testing.T) {
	const limit, bulkLimit = 1000, 3000
	small := func(c *config.API) { c.BodyLimit, c.BulkBodyLimit = limit, bulkLimit }
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		padded := func(body string, size int) string { return body + strings.Repeat(" ", size-len(body)) }
		for _, test := range []struct {
			method, path, body string
			limit              int
		}{
			{"POST", "/links", `{"url":"https://a.example"}`, limit},
			{"PATCH", "/links/1", `{"url":"https://b.example"}`, limit},
			{"DELETE", "/trash/clear", `{"model":"links"}`, limit},
			{"PATCH", "/bulk/lists", `{"models":[1]}`, limit},
			{"POST", "/bulk/links", `{"models":[{"url":"https://c.example"}]}`, bulkLimit},
			{"POST", "/bulk/lists", `{"models":[{"name":"a"}]}`, bulkLimit},
			{"POST", "/bulk/tags", `{"models":[{"name":"a"}]}`, bulkLimit},
		} {
			ann.call(t, test.method, test.path, padded(test.body, test.limit)).ok(t)
			got := ann.call(t, test.method, test.path, padded(test.body, test.limit+1))
			got.refuses(t, 413, "The body must not be larger than "+map[int]string{limit: "1000", bulkLimit: "3000"}[test.limit]+" bytes.")
		}
		// The same without a Content-Length.
		for size, status := range map[int]int{limit: 200, limit + 1: 413} {
			r := ann.request(t, "POST", "/lists", "")
			r.GetBody, r.ContentLength = nil, -1
			r.Body = io.NopCloser(strings.NewReader(padded(`{"name":"a"}`, size)))
			ann.do(t, r).is(t, status)
		}
	}, small)
}

func TestBodyThatEndsTooEarlyIsRefused(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "POST /api/"+s.version+"/tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+ann.key+
			"\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n")
		answer, err := io.ReadAll(conn)
		if err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 400 ")) || !bytes.Contains(answer, []byte(`{"message":"The body could not be read to its end."}`)) {
			t.Errorf("got %q, %v, want a 400 that says so", answer, err)
		}
	})
}

func TestMalformedBodyIsRefusedWithThePlace(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		for _, test := range []struct{ name, body, want string }{
			{"a comma too many", `{"name":"a",}`, "invalid character '}' looking for beginning of object key string at byte 13"},
			{"no JSON at all", `name=a`, "invalid character 'a' in literal null (expecting 'u') at byte 2"},
			{"an end too early", `{"name":"a"`, "unexpected end of JSON input at byte 11"},
			{"more behind it", `{"name":"a"} {}`, "invalid character '{' after top-level value at byte 14"},
			{"an array", `["a"]`, "it must be a JSON object"},
			{"a text", `"a"`, "it must be a JSON object"},
			{"a number", `7`, "it must be a JSON object"},
			{"null", `null`, "it must be a JSON object"},
			{"invalid UTF-8", "{\"name\":\"a\xff\"}", "invalid UTF-8 at byte 11"},
			{"UTF-16", "{\x00}\x00", "invalid character '\\x00' looking for beginning of object key string at byte 2"},
			{"a control character in a text", "{\"name\":\"a\nb\"}", "invalid character '\\n' in string literal at byte 11"},
			{"an array too deep", `{"name":"a","x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, "nested deeper than 64 levels at byte 80"},
			{"absurdly deep, and not closed", strings.Repeat("[", 100_000), "nested deeper than 64 levels at byte 65"},
			{"objects too deep", strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), "nested deeper than 64 levels at byte 321"},
		} {
			t.Run(test.name, func(t *testing.T) {
				ann.post(t, "/tags", test.body).refuses(t, 400, "The body is malformed: "+test.want+".")
			})
		}
		ann.post(t, "/tags", `{"name":"[[","x":`+strings.Repeat("[", 63)+strings.Repeat("]", 63)+`}`).ok(t)
	})
}

func TestEmptyBodyIsAnEmptyObject(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		for _, body := range []string{"", "{}", " \n"} {
			ann.post(t, "/tags", body).breaks(t, "name: The name field is required.")
		}
		for path, fields := range map[string][]string{
			"/links": {"url: The url field is required."},
			"/lists": {"name: The name field is required."},
			"/notes": {"link_id: The link id field is required.", "note: The note field is required."},
		} {
			ann.post(t, path, "").breaks(t, fields...)
		}
	})
}

func TestTextsAreTrimmedAndEmptyOnesAreNull(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		got := ann.post(t, "/links", `{"url":" https://go.dev/\t","title":"\n Go \u00a0","description":"  ","visibility":" 2 ","check_disabled":" 1 ","lists":" a , b ","tags":[" c "," "]}`)
		got.has(t, "url title description visibility check_disabled", `["https://go.dev/","Go",null,2,true]`)
		got.has(t, "lists.*.name tags.*.name", `[["a","b"],["c"]]`)
		got = ann.patch(t, "/links/"+got.id(t), `{"url":"https://go.dev/","title":" ","visibility":"","check_disabled":"","lists":" ","tags":""}`)
		got.has(t, "title visibility check_disabled lists tags", `["go.dev",2,true,[],[]]`)
		ann.post(t, "/lists", `{"name":" \t\n"}`).breaks(t, "name: The name field is required.")
		ann.get(t, "/search/links?query=%20&only_lists=%20&broken_only=%20").is(t, 422)
		ann.get(t, "/search/lists?query=%20A%20").has(t, "1", `"a"`)
		ann.get(t, "/links?per_page=%2010%20&order_by=%20url%20&order_dir=%20ASC%20").ok(t).has(t, "per_page", `"10"`)
	})
}

func TestDeleteTakesWhatItsBodyLacksFromTheQuery(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		for range 9 {
			ann.list(t, `{"name":"a"}`)
		}
		for _, test := range []struct {
			name, query, body, want string
		}{
			{"all in the body", "", `{"type":"lists","models":[1,"2"]}`, `{"1":true,"2":true}`},
			{"all in the query", "?type=lists&models=3,4", "", `{"3":true,"4":true}`},
			{"as an array of the query", "?type=lists&models[]=5&models[]=6", "", `{"5":true,"6":true}`},
			{"some in each", "?type=lists", `{"models":[7]}`, `{"7":true}`},
			{"the body wins", "?type=tags&models=9", `{"type":"lists","models":[8]}`, `{"8":true}`},
			{"null in the body is missing there", "?type=lists&models=1", `{"type":null,"models":null}`, `{"1":false}`},
			{"spare commas", "?type=lists&models=,1,,2,", "", `{"1":false,"2":false}`},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := ann.delete(t, "/bulk/delete"+test.query, test.body).ok(t)
				if got.body != test.want {
					t.Errorf("got %s, want %s", got.body, test.want)
				}
			})
		}
		ann.delete(t, "/bulk/delete?type=lists&models=1,two", "").breaks(t, `models: The models must be numbers: "two" is none.`)
		ann.delete(t, "/bulk/delete?type=lists&models=", "").breaks(t, "models: The models field is required.")
		ann.delete(t, "/bulk/delete?type=nothing", "").breaks(t, "type: The selected type is invalid.", "models: The models field is required.")
		ann.get(t, "/trash/lists").has(t, "*.id", "[1,2,3,4,5,6,7,8]")
		ann.delete(t, "/trash/clear?model=lists", "").ok(t)
		ann.get(t, "/trash/lists").has(t, "*.id", "[]")
		ann.delete(t, "/trash/clear", "").breaks(t, "model: The model field is required.")
		// Only a DELETE looks there.
		ann.call(t, "PATCH", "/trash/restore?model=list&id=9", "").breaks(t, "model: The model field is required.", "id: The id field is required.")
		// A body where none is read is no reason to fail.
		ann.delete(t, "/lists/9", `{"x":`).ok(t)
	})
}

func TestUnknownKeysAndParametersAreIgnored(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		s.person(t, "ben")
		const foreign = `"id":77,"user_id":2,"icon":"x","thumbnail":"https://x.example/x.png","created_at":"2000-01-01T00:00:00.000000Z","updated_at":5,"deleted_at":"2000-01-01T00:00:00.000000Z","pivot":{},"nonsense":[{}]`
		const fields = "id user_id deleted_at"
		ann.post(t, "/links", `{"url":"https://github.com/",`+foreign+`}`).has(t, fields+" icon thumbnail", `[1,1,null,"fab fa-github",null]`)
		ann.patch(t, "/links/1", `{"url":"https://github.com/",`+foreign+`}`).has(t, fields+" icon thumbnail", `[1,1,null,"fab fa-github",null]`)
		ann.post(t, "/lists", `{"name":"a","links":"x",`+foreign+`}`).has(t, fields, "[1,1,null]")
		ann.patch(t, "/lists/1", `{"name":"a","links":"x",`+foreign+`}`).has(t, fields, "[1,1,null]")
		ann.post(t, "/tags", `{"name":"a",`+foreign+`}`).has(t, fields, "[1,1,null]")
		ann.patch(t, "/tags/1", `{"name":"a",`+foreign+`}`).has(t, fields, "[1,1,null]")
		ann.post(t, "/notes", `{"link_id":1,"note":"a",`+foreign+`}`).has(t, fields+" link_id", "[1,1,null,1]")
		ann.patch(t, "/notes/1", `{"link_id":99,"note":"a",`+foreign+`}`).has(t, fields+" link_id", "[1,1,null,1]")
		ann.get(t, "/links?id=5&nonsense=1&url[]=x&%FF=%FF&broken=%zz").ok(t).has(t, "total", "1")
		created := ann.get(t, "/links/1").at(t, "created_at")
		if strings.Contains(created, "2000") {
			t.Errorf("got created_at %s, want the real one", created)
		}
	})
}

func TestPutIsPatch(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		id := ann.link(t, `{"url":"https://go.dev/","title":"Go","description":"d","tags":"a","lists":"b"}`)
		got := ann.call(t, "PUT", "/links/"+id, `{"url":"https://go.dev/doc"}`).ok(t)
		got.has(t, "url title description tags.*.name lists.*.name", `["https://go.dev/doc","Go","d",["a"],["b"]]`)
	})
}

func TestHeadAnswersAsGetWithoutABody(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.link(t, `{"url":"https://go.dev/","lists":"a","tags":"a"}`)
		for _, r := range routes {
			if r.method != "GET" {
				continue
			}
			path := strings.ReplaceAll(r.path, "{id}", "1")
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
		ann.call(t, "HEAD", "/links/99", "").is(t, 404)
		ann.call(t, "HEAD", "/notes", "").is(t, 405)
	})
}

func TestSlashAtTheEndMakesNoDifference(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.post(t, "/links/", `{"url":"https://go.dev/"}`).ok(t)
		ann.get(t, "/links/?page=1").has(t, "total path", `[1,"`+s.address+`/api/`+s.version+`/links"]`)
		ann.get(t, "/links/1/").has(t, "id", "1")
		ann.get(t, "/links/check/?url=https://go.dev/").has(t, "linksFound", "true")
		ann.get(t, "/links/1/notes/").has(t, "total", "0")
		ann.patch(t, "/links/1/", `{"url":"https://go.dev/"}`).ok(t)
		ann.delete(t, "/links/1/", "").ok(t)
		ann.callAt(t, "GET", s.address+"/api/version/", "").has(t, "version", `"v2"`)
		for _, path := range []string{"/links//", "//links", "/links//1", "/links/%2F", "/links/../links", "/links/%2e%2e/links", "/./links", "/"} {
			ann.get(t, path).refuses(t, 404, "Not found.")
		}
	})
}

func TestIdThatIsNoneIsNotFound(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.link(t, `{"url":"https://go.dev/","lists":"a","tags":"a"}`)
		ann.note(t, `{"link_id":1,"note":"a"}`)
		ids := []string{"0", "-1", "99", "a", "1a", "1.0", "1e0", "0x1", "+1", "%2B1", "%201", "1%20", "1%00", "%FF", "9223372036854775808", "99999999999999999999999", "null", "１", "1,2"}
		for _, r := range routes {
			if !strings.Contains(r.path, "{id}") {
				continue
			}
			for _, id := range ids {
				ann.call(t, r.method, strings.ReplaceAll(r.path, "{id}", id), "").refuses(t, 404, "Not found.")
			}
		}
		ann.get(t, "/links/9223372036854775807").refuses(t, 404, "Not found.")
		ann.get(t, "/links/1").ok(t)
	})
}

func TestChecksComeInOrder(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann, ben, nobody := s.person(t, "ann"), s.person(t, "ben"), s.nobody()
		public := ann.link(t, `{"url":"https://go.dev/","visibility":1}`)
		for _, test := range []struct {
			name, path, body, contentType string
			who                           *person
			status                        int
		}{
			{"401 before 404", "/links/99", `{`, "text/plain", nobody, 401},
			{"401 before 403", "/links/" + public, `{`, "text/plain", nobody, 401},
			{"404 before 400", "/links/99", `{`, "", ben, 404},
			{"404 before 415", "/links/99", `{`, "text/plain", ben, 404},
			{"403 before 400", "/links/" + public, `{`, "", ben, 403},
			{"403 before 415", "/links/" + public, `{`, "text/plain", ben, 403},
			{"403 before 422", "/links/" + public, `{}`, "", ben, 403},
			{"415 before 400", "/links/" + public, `{`, "text/plain", ann, 415},
			{"400 before 422", "/links/" + public, `{`, "", ann, 400},
			{"422 at last", "/links/" + public, `{}`, "", ann, 422},
		} {
			if got := test.who.call(t, "PATCH", test.path, test.body, "Content-Type: "+test.contentType); got.status != test.status {
				t.Errorf("%s: got %d, want %d", test.name, got.status, test.status)
			}
		}
	})
}

func TestBooleansInABody(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.link(t, `{"url":"https://go.dev/","check_disabled":true}`)
		const wrong = "wrong"
		for sent, want := range map[string]string{
			"true": "true", "1": "true", `"1"`: "true", `"true"`: "true", `" true "`: "true", `"\u0031"`: "true",
			"false": "false", "0": "false", `"0"`: "false", `"false"`: "false",
			"null": "true", `""`: "true", `" "`: "true", // not sent, so it stays
			"2": wrong, "-1": wrong, "1.0": wrong, "1e0": wrong, `"yes"`: wrong, `"TRUE"`: wrong, `"on"`: wrong, "[]": wrong, "{}": wrong, `"\"true\""`: wrong, `"1\""`: wrong,
		} {
			ann.patch(t, "/links/1", `{"url":"https://go.dev/","check_disabled":true}`).ok(t)
			got := ann.patch(t, "/links/1", `{"url":"https://go.dev/","check_disabled":`+sent+`}`)
			if want == wrong {
				got.breaks(t, "check_disabled: The check disabled field must be true or false.")
				continue
			}
			if got := got.ok(t).at(t, "check_disabled"); got != want {
				t.Errorf("%s: got %s, want %s", sent, got, want)
			}
		}
	})
}

func TestBooleansInAQuery(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.link(t, `{"url":"https://one.example","title":"needle"}`)
		for value, want := range map[string]string{
			"0": "0", "false": "0", "FALSE": "0", "off": "0", "Off": "0", "no": "0", "": "0", "%20": "0",
			"1": "1", "true": "1", "yes": "1", "on": "1", "needle": "1", "2": "1", "-1": "1", "%FF": "1",
		} {
			if got := ann.get(t, "/search/links?query=needle&search_title="+value).ok(t).at(t, "total"); got != want {
				t.Errorf("search_title=%s: found %s, want %s", value, got, want)
			}
		}
	})
}

func TestIntegersInABody(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
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
				got.ok(t).has(t, "link_id", "1")
				continue
			}
			got.breaks(t, want)
		}
	})
}

func TestScriptsOfOtherSitesMayCall(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			got := s.nobody().call(t, "OPTIONS", "/links/5", "", "Origin: https://x.example",
				"Access-Control-Request-Method: "+method, "Access-Control-Request-Headers: authorization, content-type, x-other")
			if got.status != 204 || got.body != "" {
				t.Errorf("preflight for %s: got %d %q, want 204 and no more", method, got.status, got.body)
			}
			if allowed := got.header.Get("Access-Control-Allow-Methods"); !strings.Contains(allowed, method) {
				t.Errorf("preflight for %s: allows %q", method, allowed)
			}
			if got := got.header.Get("Access-Control-Allow-Headers"); got != "authorization, content-type, x-other" {
				t.Errorf("preflight allows headers %q, want those asked for", got)
			}
			if got := got.header.Get("Access-Control-Allow-Origin"); got != "*" {
				t.Errorf("preflight allows origin %q, want any", got)
			}
		}
		got := s.nobody().call(t, "OPTIONS", "/links", "").header.Get("Access-Control-Allow-Headers")
		if got != "authorization, content-type, accept" {
			t.Errorf("without a question allows headers %q", got)
		}
		for _, a := range []reply{
			ann.get(t, "/links").is(t, 200),
			ann.post(t, "/links", "{").is(t, 400),
			s.nobody().get(t, "/links").is(t, 401),
			ann.get(t, "/links/5").is(t, 404),
			ann.get(t, "/nothing").is(t, 404),
			ann.get(t, "//").is(t, 404),
			ann.get(t, "/notes").is(t, 405),
			ann.post(t, "/links", "").is(t, 422),
			s.nobody().get(t, "/openapi.json").is(t, 200),
		} {
			if got := a.header.Get("Access-Control-Allow-Origin"); got != "*" {
				t.Errorf("%s, %d: allows origin %q, want any", a.call, a.status, got)
			}
			if got := a.header.Get("Access-Control-Allow-Credentials"); got != "" {
				t.Errorf("%s: allows credentials", a.call)
			}
			exposed := a.header.Get("Access-Control-Expose-Headers")
			for _, name := range []string{"Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining"} {
				if !strings.Contains(exposed, name) {
					t.Errorf("%s: exposes %q, want %s among them", a.call, exposed, name)
				}
			}
		}
	})
}

func TestAnswersNameTheAddressOfTheRequest(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.list(t, `{"name":"a"}`)
		ann.get(t, "/lists/1").has(t, "links", `"`+s.address+`/api/`+s.version+`/lists/1/links"`)
		// Anybody may say such things, so nobody is believed.
		got := ann.call(t, "GET", "/lists", "", "Host: links.example.org", "X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example")
		got.has(t, "path data.0.links", `["http://links.example.org/api/`+s.version+`/lists","http://links.example.org/api/`+s.version+`/lists/1/links"]`)
	})
}

func TestAnswersNameTheAddressThatATrustedProxySays(t *testing.T) {
	trusting := func(c *config.API) {
		if err := c.TrustedProxies.UnmarshalText([]byte("127.0.0.0/8, ::1")); err != nil {
			t.Fatal(err)
		}
	}
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		for _, test := range []struct {
			name    string
			headers []string
			want    string
		}{
			{"both", []string{"X-Forwarded-Proto: https", "X-Forwarded-Host: links.example.org"}, "https://links.example.org"},
			{"with a port", []string{"X-Forwarded-Proto: https", "X-Forwarded-Host: links.example.org:8443"}, "https://links.example.org:8443"},
			{"the scheme alone", []string{"X-Forwarded-Proto: https", "Host: a.example"}, "https://a.example"},
			{"the host alone", []string{"X-Forwarded-Host: links.example.org"}, "http://links.example.org"},
			{"the nearest proxy's word", []string{"X-Forwarded-Proto: http, https", "X-Forwarded-Host: evil.example", "X-Forwarded-Host: links.example.org"}, "https://links.example.org"},
			{"a scheme that is none", []string{"X-Forwarded-Proto: javascript", "X-Forwarded-Host: links.example.org"}, "http://links.example.org"},
			{"a host that is none", []string{"X-Forwarded-Proto: https", "X-Forwarded-Host: evil.example/x?", "Host: a.example"}, "https://a.example"},
			{"nothing", []string{"Host: a.example"}, "http://a.example"},
		} {
			if got, want := ann.call(t, "GET", "/tags", "", test.headers...).ok(t).at(t, "path"), `"`+test.want+`/api/`+s.version+`/tags"`; got != want {
				t.Errorf("%s: got path %s, want %s", test.name, got, want)
			}
		}
	}, trusting)
}

func TestAnswersNameTheBaseURLThatIsSet(t *testing.T) {
	based := func(c *config.API) {
		if err := c.BaseURL.UnmarshalText([]byte("https://example.org/bookmarks")); err != nil {
			t.Fatal(err)
		}
	}
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		base := "https://example.org/bookmarks/api/" + s.version
		ann.list(t, `{"name":"a"}`)
		ann.link(t, `{"url":"https://go.dev/","lists":[1]}`)
		got := ann.call(t, "GET", "/lists?per_page=1", "", "Host: a.example", "X-Forwarded-Host: evil.example").ok(t)
		got.has(t, "path data.0.links", `["`+base+`/lists","`+base+`/lists/1/links"]`)
		got.has(t, "first_page_url", `"`+base+`/lists?per_page=1&page=1"`)
		ann.get(t, "/links/1").has(t, "lists.0.links", `"`+base+`/lists/1/links"`)
	}, based)
}

func TestAnswersAreNotKept(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		for _, a := range []reply{ann.get(t, "/links"), ann.get(t, "/nothing"), ann.post(t, "/links", "{}"), s.nobody().get(t, "/links")} {
			if got := a.header.Get("Cache-Control"); got != "no-cache, private" {
				t.Errorf("%s: got Cache-Control %q", a.call, got)
			}
			if got := a.header.Get("Content-Type"); got != "application/json" {
				t.Errorf("%s: got type %q", a.call, got)
			}
		}
	})
}

func TestMethodsThatAPathLacksAreNamed(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		for path, allow := range map[string]string{
			"/links":         "GET, HEAD, POST",
			"/links/1":       "DELETE, GET, HEAD, PATCH, PUT",
			"/links/check":   "GET, HEAD",
			"/notes":         "POST",
			"/notes/1":       "DELETE, PATCH, PUT",
			"/trash/clear":   "DELETE",
			"/trash/restore": "PATCH, PUT",
			"/bulk/links":    "PATCH, POST, PUT",
			"/bulk/delete":   "DELETE",
			"/search/links":  "GET, HEAD",
			"/version":       "GET, HEAD",
			"/openapi.json":  "GET, HEAD",
		} {
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "PURGE"} {
				if strings.Contains(", "+allow+",", ", "+method+",") {
					continue
				}
				got := ann.call(t, method, path, "{").refuses(t, 405, "The method "+method+" is not supported here. Supported: "+allow+".")
				if got := got.header.Get("Allow"); got != allow {
					t.Errorf("%s %s: got Allow %q, want %q", method, path, got, allow)
				}
			}
		}
	})
}

func TestPathsThatAreNoneAreNotFound(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		for _, path := range []string{"/nothing", "/Links", "/links/1/lists", "/links/1/notes/1", "/trash", "/search", "/bulk", "/lists/1/link", "/links/check/1"} {
			for _, method := range []string{"GET", "POST", "DELETE"} {
				ann.call(t, method, path, "").refuses(t, 404, "Not found.")
			}
		}
		for _, path := range []string{"/api", "/api/", "/api/v3/links", "/api/links", "/api/v22/links", "/api/V1/links", "/api/docs/nothing"} {
			ann.callAt(t, "GET", s.address+path, "").refuses(t, 404, "Not found.")
		}
	})
}

// request is a request below the prefix, for tests that change it before it is sent.
func (p *person) request(t *testing.T, method, path, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.address+"/api/"+p.version+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.key)
	return r
}
