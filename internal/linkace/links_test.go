package linkace

import (
	"strconv"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestNewLinkHasDefaults(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		got := ann.post(t, "/links", `{"url":"https://Go.dev:443/Doc?x=1#y"}`).ok(t)
		got.wantValue(t, "id user_id url title description icon thumbnail", `[1,1,"https://Go.dev:443/Doc?x=1#y","go.dev",null,"fa fa-link",null]`)
		got.wantValue(t, "visibility is_private status check_disabled lists tags deleted_at", `[3,true,1,false,[],[],null]`)
		if created, updated := got.value(t, "created_at"), got.value(t, "updated_at"); created != updated {
			t.Errorf("got created_at %s and updated_at %s, want the same", created, updated)
		}
		if shown := ann.get(t, "/links/1"); shown.body != got.body {
			t.Errorf("got %s, want the response of the creation: %s", shown.body, got.body)
		}
	})
}

func TestValidURLs(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for url, title := range map[string]string{
			"https://go.dev":                     "go.dev",
			"http://localhost:8080/x":            "localhost",
			"HTTPS://EXAMPLE.org/Path":           "example.org",
			"https://user:pass@example.org:8/":   "example.org",
			"https://[2001:db8::1]:8080/":        "[2001:db8::1]",
			"https://münchen.example/straße?ü=ß": "münchen.example",
			"https://例え.テスト/パス":                  "例え.テスト",
			"https://example.org/100%":           "example.org",
			"https://example.org/a|b{c}^`\\\"<>": "example.org",
			"mailto:ann@example.org":             "mailto:ann@example.org",
			"tel:+43123456":                      "tel:+43123456",
			"ftp://ftp.example.org/x":            "ftp.example.org",
			"magnet:?xt=urn:btih:abc":            "magnet:?xt=urn:btih:abc",
			"chrome://settings":                  "settings",
			"file:///etc/hosts":                  "file:///etc/hosts",
			"web+app.x-y:z":                      "web+app.x-y:z",
			"obsidian://open?vault=a":            "open",
		} {
			got := ann.post(t, "/links", `{"url":`+jsonOf(t, url)+`}`)
			if got.status != 200 {
				t.Errorf("%s: got %d %s", url, got.status, got.body)
				continue
			}
			got.wantValue(t, "url title", jsonOf(t, []string{url, title}))
		}
	})
}

func TestInvalidURLs(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for sent, sentence := range map[string]string{
			`null`:                                "The url field is required.",
			`""`:                                  "The url field is required.",
			`" \n"`:                               "The url field is required.",
			`5`:                                   "The url must be a string.",
			`["https://go.dev"]`:                  "The url must be a string.",
			`{}`:                                  "The url must be a string.",
			`true`:                                "The url must be a string.",
			`"go.dev"`:                            "The url format is invalid.",
			`"//go.dev"`:                          "The url format is invalid.",
			`"/path"`:                             "The url format is invalid.",
			`"https:"`:                            "The url format is invalid.",
			`"https://"`:                          "The url format is invalid.",
			`"https:///path"`:                     "The url format is invalid.",
			`"https:go.dev"`:                      "The url format is invalid.",
			`"http://:80/"`:                       "The url format is invalid.",
			`"http://?x"`:                         "The url format is invalid.",
			`"http://user@/"`:                     "The url format is invalid.",
			`"https://go.dev:port/"`:              "The url format is invalid.",
			`"https://go.dev:99999/"`:             "The url format is invalid.",
			`"https://[::1/"`:                     "The url format is invalid.",
			`"https://[nonsense]/"`:               "The url format is invalid.",
			`"1http://go.dev"`:                    "The url format is invalid.",
			`"ht tp://go.dev"`:                    "The url format is invalid.",
			`"https://go.dev/a b"`:                "The url format is invalid.",
			`"https://go.dev/a\nb"`:               "The url format is invalid.",
			`"https://go.dev/\u0000"`:             "The url format is invalid.",
			`"https://go.dev/\u007f"`:             "The url format is invalid.",
			`"https://go.dev/\u00a0x"`:            "The url format is invalid.",
			`"https://go.dev/\u3000x"`:            "The url format is invalid.",
			`"javascript:alert(1)"`:               "The url format is invalid.",
			`"JavaScript:alert(1)"`:               "The url format is invalid.",
			`" javascript:alert(1)"`:              "The url format is invalid.",
			`"java\tscript:alert(1)"`:             "The url format is invalid.",
			`"data:text/html,x"`:                  "The url format is invalid.",
			`"VBScript:x"`:                        "The url format is invalid.",
			`"https://a.example/` + x(8000) + `"`: "The url must not be greater than 8000 bytes.",
		} {
			ann.post(t, "/links", `{"url":`+sent+`}`).wantFieldErrors(t, "url: "+sentence)
		}
		ann.post(t, "/links", `{"title":"a"}`).wantFieldErrors(t, "url: The url field is required.")
		ann.get(t, "/links").wantValue(t, "total", "0")

		longest := "https://a.example/" + x(8000-18)
		ann.post(t, "/links", `{"url":"`+longest+`"}`).ok(t).wantValue(t, "url", `"`+longest+`"`)
		// The limit is in bytes.
		umlauts := "https://a.example/" + strings.Repeat("ü", (8000-18)/2)
		ann.post(t, "/links", `{"url":"`+umlauts+`"}`).ok(t)
		ann.post(t, "/links", `{"url":"`+umlauts+`ü"}`).wantFieldErrors(t, "url: The url must not be greater than 8000 bytes.")
	})
}

func TestURLIsUniqueAmongActiveLinksOfUser(t *testing.T) {
	const duplicate = "url: The url has already been taken."
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		first := ann.link(t, `{"url":"https://go.dev/","visibility":1}`)
		ann.post(t, "/links", `{"url":"https://go.dev/"}`).wantFieldErrors(t, duplicate)
		ann.post(t, "/links", `{"url":"  https://go.dev/  "}`).wantFieldErrors(t, duplicate)
		// URLs are compared as exact text.
		ann.link(t, `{"url":"https://go.dev"}`)
		ann.link(t, `{"url":"https://GO.dev/"}`)
		second := ann.link(t, `{"url":"https://go.dev/?"}`)
		ben.link(t, `{"url":"https://go.dev/"}`)

		ann.patch(t, "/links/"+first, `{"url":"https://go.dev/"}`).ok(t)
		ann.patch(t, "/links/"+second, `{"url":"https://go.dev/"}`).wantFieldErrors(t, duplicate)
		ann.get(t, "/links/"+second).wantValue(t, "url", `"https://go.dev/?"`)

		// A URL that is only in the trash can be added again.
		ann.delete(t, "/links/"+first, "").ok(t)
		third := ann.link(t, `{"url":"https://go.dev/"}`)
		if third == first {
			t.Errorf("got the trashed link %s, want a new one", third)
		}
		ann.delete(t, "/links/"+third, "").ok(t)
		ann.patch(t, "/links/"+second, `{"url":"https://go.dev/"}`).ok(t)
	})
}

func TestTitleIsNeverNull(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		id := ann.link(t, `{"url":"https://go.dev/","title":null}`)
		for _, step := range []struct{ body, want string }{
			{`{"url":"https://go.dev/"}`, "go.dev"},
			{`{"url":"https://go.dev/","title":"Go"}`, "Go"},
			{`{"url":"https://go.dev/"}`, "Go"},
			{`{"url":"https://pkg.go.dev/"}`, "Go"},
			{`{"url":"https://pkg.go.dev/","title":null}`, "pkg.go.dev"},
			{`{"url":"https://pkg.go.dev/","title":""}`, "pkg.go.dev"},
			{`{"url":"mailto:a@b.example","title":" "}`, "mailto:a@b.example"},
			{`{"url":"https://go.dev/","title":"<b>\"A\" & 'B'</b> \u2028 \\ 😀"}`, "<b>\"A\" & 'B'</b> \u2028 \\ 😀"},
		} {
			ann.patch(t, "/links/"+id, step.body).ok(t).wantValue(t, "title", jsonOf(t, step.want))
		}
	})
}

func TestTextLengthIsLimited(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		s.addUser(t, "ann").link(t, `{"url":"https://go.dev/","visibility":1}`)
		for i, test := range []struct {
			path, body, field string
			most              int
		}{
			{"/links", `{"url":"https://1.example","title":"%"}`, "title", 1000},
			{"/links", `{"url":"https://2.example","description":"%"}`, "description", 100_000},
			{"/links", `{"url":"https://3.example","lists":["%"]}`, "lists", 255},
			{"/links", `{"url":"https://4.example","tags":"%"}`, "tags", 255},
			{"/lists", `{"name":"%"}`, "name", 255},
			{"/lists", `{"name":"a","description":"%"}`, "description", 100_000},
			{"/tags", `{"name":"%"}`, "name", 255},
			{"/notes", `{"link_id":1,"note":"%"}`, "note", 100_000},
		} {
			ann := s.addUser(t, strconv.Itoa(i))
			for _, letter := range []string{"x", "ж", "😀"} { // the limit is in characters
				text := strings.Repeat(letter, test.most)
				got := ann.post(t, test.path, strings.ReplaceAll(test.body, "%", text+letter))
				got.wantFieldErrors(t, test.field+": The "+test.field+" must not be greater than "+strconv.Itoa(test.most)+" characters.")
				got = ann.post(t, test.path, strings.ReplaceAll(strings.Replace(test.body, ".example", "."+letter, 1), "%", text)).ok(t)
				if !strings.Contains(got.body, text) {
					t.Errorf("%s: the response does not contain the %s", test.path, test.field)
				}
			}
		}
	})
}

func TestTextsMustNotContainNUL(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.link(t, `{"url":"https://go.dev/"}`)
		for path, body := range map[string]string{
			"/links": `{"url":"https://a.example","title":"a\u0000b","description":"\u0000","lists":["a\u0000"],"tags":"\u0000b"}`,
			"/lists": `{"name":"a\u0000b","description":"a\u0000b"}`,
			"/tags":  `{"name":"a\u0000b"}`,
			"/notes": `{"link_id":1,"note":"a\u0000b"}`,
		} {
			got := ann.post(t, path, body).wantStatus(t, 422)
			if !strings.Contains(got.body, "must not contain the character U+0000.") {
				t.Errorf("%s: got %s", path, got.body)
			}
		}
		// All other characters are stored.
		const odd = `\u0001\u001f\u007f\u0085\u200b\ufeff\ufffe\uffff\ud83d\ude00 \u202e \ufffd`
		got := ann.post(t, "/notes", `{"link_id":1,"note":"a`+odd+`b"}`).ok(t)
		got.wantValue(t, "note", jsonOf(t, "a\u0001\u001f\u007f\u0085\u200b\ufeff\ufffe\uffff😀 \u202e \ufffdb"))
		// A lone surrogate is replaced.
		ann.post(t, "/notes", `{"link_id":1,"note":"a\ud800b"}`).ok(t).wantValue(t, "note", `"a`+"\ufffd"+`b"`)
	})
}

func TestIconDependsOnHost(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for url, want := range map[string]string{
			"https://github.com/golang/go":    "fab fa-github",
			"https://gist.github.com/x":       "fab fa-github",
			"https://GitHub.com":              "fab fa-github",
			"https://notgithub.com":           "fa fa-link",
			"https://github.com.evil.example": "fa fa-link",
			"https://en.wikipedia.org/wiki/":  "fab fa-wikipedia-w",
			"https://go.dev":                  "fa fa-link",
			"mailto:a@github.com":             "fa fa-link",
		} {
			ann.post(t, "/links", `{"url":"`+url+`"}`).ok(t).wantValue(t, "icon", `"`+want+`"`)
		}
		ann.post(t, "/links", `{"url":"https://a.example"}`).wantValue(t, "icon", `"fa fa-link"`)
		ann.patch(t, "/links/9", `{"url":"https://gitlab.com/"}`).wantValue(t, "icon", `"fab fa-gitlab"`)
	})
}

func TestVisibilityAndIsPrivateAreConsistent(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for i, test := range []struct{ sent, created, after1, after2, after3 string }{
			// input, visibility of a new entity, visibility after an update of one with 1, 2 and 3
			{``, "3", "1", "2", "3"},
			{`"visibility":1`, "1", "1", "1", "1"},
			{`"visibility":2`, "2", "2", "2", "2"},
			{`"visibility":"3"`, "3", "3", "3", "3"},
			{`"visibility":null`, "3", "1", "2", "3"},
			{`"visibility":""`, "3", "1", "2", "3"},
			{`"is_private":true`, "3", "3", "3", "3"},
			{`"is_private":false`, "1", "1", "2", "1"},
			{`"is_private":"0"`, "1", "1", "2", "1"},
			{`"is_private":null`, "3", "1", "2", "3"},
			{`"visibility":2,"is_private":true`, "2", "2", "2", "2"},
			{`"visibility":3,"is_private":false`, "3", "3", "3", "3"},
			{`"visibility":null,"is_private":false`, "1", "1", "2", "1"},
			{`"visibility":1,"is_private":null`, "1", "1", "1", "1"},
		} {
			for path, needed := range map[string]string{
				"/links": `"url":"https://` + strconv.Itoa(i) + `.example"`,
				"/lists": `"name":"a"`,
				"/tags":  `"name":"` + strconv.Itoa(i) + `"`,
				"/notes": `"link_id":1,"note":"a"`,
			} {
				if path == "/notes" && i == 0 {
					ann.post(t, "/links", `{"url":"https://note.example"}`)
				}
				more := ""
				if test.sent != "" {
					more = "," + test.sent
				}
				got := ann.post(t, path, "{"+needed+more+"}").ok(t)
				got.wantValue(t, "visibility is_private", `[`+test.created+`,`+strconv.FormatBool(test.created == "3")+`]`)
				id := got.id(t)
				for before, want := range []string{test.after1, test.after2, test.after3} {
					ann.patch(t, path+"/"+id, "{"+needed+`,"visibility":`+strconv.Itoa(before+1)+"}").ok(t)
					got := ann.patch(t, path+"/"+id, "{"+needed+more+"}").ok(t)
					if got := got.value(t, "visibility"); got != want {
						t.Errorf("%s: %s after %d: got %s, want %s", path, test.sent, before+1, got, want)
					}
				}
			}
		}
	})
}

func TestInvalidVisibilityIsRejected(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for _, sent := range []string{"0", "4", "-1", "1.0", "1.5", "true", `"public"`, "[1]", "{}", "18446744073709551617", "4294967297"} {
			ann.post(t, "/links", `{"url":"https://a.example","visibility":`+sent+`}`).wantFieldErrors(t, "visibility: The selected visibility is invalid.")
			ann.post(t, "/lists", `{"name":"a","visibility":`+sent+`}`).wantFieldErrors(t, "visibility: The selected visibility is invalid.")
		}
	})
}

func TestNewEntitiesHaveDefaultVisibilityOfOwner(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for _, v := range []waymark.Visibility{waymark.Private, waymark.Internal, waymark.Public} {
			if err := s.service.SetDefaultVisibility(t.Context(), "ann", v); err != nil {
				t.Fatal(err)
			}
			word, want := v.String(), strconv.Itoa(int(v))
			link := ann.post(t, "/links", `{"url":"https://`+word+`.example","lists":"list-`+word+`","tags":["tag-`+word+`"]}`)
			link.wantValue(t, "visibility lists.0.visibility tags.0.visibility", "["+want+","+want+","+want+"]")
			ann.post(t, "/lists", `{"name":"a"}`).wantValue(t, "visibility", want)
			ann.post(t, "/tags", `{"name":"`+word+`"}`).wantValue(t, "visibility", want)
			ann.post(t, "/notes", `{"link_id":1,"note":"a"}`).wantValue(t, "visibility", want)
			ann.post(t, "/bulk/links", `{"models":[{"url":"https://bulk.`+word+`.example"}]}`).wantValue(t, "0.visibility", want)
		}
	})
}

func TestNewURLResetsStatus(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.post(t, "/links", `{"url":"https://b.example","status":3}`).wantValue(t, "status", "3")
		ann.post(t, "/links", `{"url":"https://c.example","status":9}`).wantValue(t, "status", "1")
		id := ann.link(t, `{"url":"https://go.dev/"}`)
		for _, step := range []struct{ body, want string }{
			{`{"url":"https://go.dev/","status":2}`, "2"},
			{`{"url":"https://go.dev/"}`, "2"},
			{`{"url":"https://go.dev/","title":"x"}`, "2"},
			{`{"url":"https://go.dev/","status":"3"}`, "3"},
			{`{"url":"https://go.dev/","status":0}`, "3"},
			{`{"url":"https://go.dev/","status":4}`, "3"},
			{`{"url":"https://go.dev/","status":null}`, "3"},
			{`{"url":"https://go.dev/","status":""}`, "3"},
			{`{"url":"https://go.dev/","status":"broken"}`, "3"},
			{`{"url":"https://go.dev/","status":[1]}`, "3"},
			{`{"url":"https://go.dev/","status":{}}`, "3"},
			{`{"url":"https://go.dev/","status":1.0}`, "3"},
			{`{"url":"https://go.dev/","status":true}`, "3"},
			{`{"url":"https://go.dev/","status":4294967297}`, "3"},
			{`{"url":"https://go.dev/2"}`, "1"},
			{`{"url":"https://go.dev/3","status":3}`, "3"},
		} {
			ann.patch(t, "/links/"+id, step.body).ok(t).wantValue(t, "status", step.want)
		}
	})
}

func TestUpdateKeepsMissingFields(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		created := ann.post(t, "/links", `{"url":"https://go.dev/","title":"Go","description":"d","lists":"l","tags":"t","visibility":1,"check_disabled":true,"status":2}`).ok(t)
		const all = "id url title description lists.*.id tags.*.id visibility check_disabled status created_at"
		updated := ann.patch(t, "/links/1", `{"url":"https://go.dev/"}`).ok(t)
		updated.wantValue(t, all, created.value(t, all))
		if got, was := updated.value(t, "updated_at"), created.value(t, "updated_at"); got <= was {
			t.Errorf("got updated_at %s, want one after %s", got, was)
		}
		ann.patch(t, "/links/1", `{"url":"https://go.dev/","description":null,"lists":null,"tags":[]}`).wantValue(t, "title description lists tags", `["Go",null,[],[]]`)
		ann.get(t, "/links/1").wantValue(t, "title description lists tags", `["Go",null,[],[]]`)

		ann.post(t, "/lists", `{"name":"a","description":"d","visibility":2}`).ok(t)
		ann.patch(t, "/lists/2", `{"name":"b"}`).wantValue(t, "name description visibility", `["b","d",2]`)
		ann.patch(t, "/lists/2", `{"name":"b","description":null}`).wantValue(t, "name description visibility", `["b",null,2]`)
	})
}

func TestRejectedUpdateChangesNothing(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		before := ann.post(t, "/links", `{"url":"https://go.dev/","title":"Go","tags":"a"}`).ok(t)
		ann.link(t, `{"url":"https://used.example"}`)
		ann.patch(t, "/links/1", `{"url":"https://go.dev/2","title":"x","tags":["new"],"visibility":7}`).wantStatus(t, 422)
		ann.patch(t, "/links/1", `{"url":"https://used.example","title":"x","lists":["new"],"tags":["new"]}`).wantStatus(t, 422)
		if got := ann.get(t, "/links/1"); got.body != before.body {
			t.Errorf("got %s, want %s", got.body, before.body)
		}
		ann.get(t, "/tags").wantValue(t, "data.*.name", `["a"]`)
		ann.get(t, "/lists").wantValue(t, "total", "0")
	})
}

func TestResponseReportsAllErrors(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.link(t, `{"url":"https://used.example"}`)
		ann.tag(t, `{"name":"used"}`)
		ann.post(t, "/links", `{"description":["x"],"check_disabled":"maybe"}`).wantFieldErrors(t,
			"url: The url field is required.", "description: The description must be a string.", "check_disabled: The check disabled field must be true or false.")
		ann.post(t, "/links", `{"url":"x","title":7}`).wantFieldErrors(t, "url: The url format is invalid.", "title: The title must be a string.")
		all := `{"url":{},"title":[],"description":1,"lists":5,"tags":true,"visibility":9,"is_private":"no","check_disabled":2}`
		wrong := []string{
			"url: The url must be a string.", "title: The title must be a string.", "description: The description must be a string.",
			"lists: The lists must be a string or an array.", "tags: The tags must be a string or an array.",
			"visibility: The selected visibility is invalid.", "is_private: The is private field must be true or false.",
			"check_disabled: The check disabled field must be true or false.",
		}
		ann.post(t, "/links", all).wantFieldErrors(t, wrong...)
		ann.patch(t, "/links/1", all).wantFieldErrors(t, wrong...)
		// Duplicates are reported together with other errors.
		ann.post(t, "/links", `{"url":"https://used.example","description":7}`).wantFieldErrors(t,
			"url: The url has already been taken.", "description: The description must be a string.")
		id := ann.link(t, `{"url":"https://free.example"}`)
		ann.patch(t, "/links/"+id, `{"url":"https://used.example","description":7}`).wantFieldErrors(t,
			"url: The url has already been taken.", "description: The description must be a string.")
		ann.patch(t, "/links/1", `{"url":"https://used.example","description":7}`).wantFieldErrors(t, "description: The description must be a string.")
		ann.post(t, "/tags", `{"name":"USED","visibility":0}`).wantFieldErrors(t,
			"name: The name has already been taken.", "visibility: The selected visibility is invalid.")
		ann.tag(t, `{"name":"free"}`)
		ann.patch(t, "/tags/2", `{"name":"Used","visibility":0}`).wantFieldErrors(t,
			"name: The name has already been taken.", "visibility: The selected visibility is invalid.")
		ann.post(t, "/notes", `{"link_id":99}`).wantFieldErrors(t, "link_id: The selected link id is invalid.", "note: The note field is required.")
		ann.post(t, "/notes", `{"link_id":"x","note":{},"visibility":0}`).wantFieldErrors(t,
			"link_id: The link id must be a number.", "note: The note must be a string.", "visibility: The selected visibility is invalid.")
		ann.post(t, "/bulk/links", `{"models":[{"url":"https://used.example"},{"title":5},{"url":"https://x.example"},{"url":"https://x.example","tags":7}]}`).wantFieldErrors(t,
			"models.0.url: The url has already been taken.",
			"models.1.url: The url field is required.", "models.1.title: The title must be a string.",
			"models.3.url: The url has already been taken.", "models.3.tags: The tags must be a string or an array.")
		ann.post(t, "/bulk/tags", `{"models":[{"name":"used"},{"name":","},{"name":"x"},{"name":"X"}]}`).wantFieldErrors(t,
			"models.0.name: The name has already been taken.", "models.1.name: The name field is required.", "models.3.name: The name has already been taken.")
	})
}

func TestCheckFindsExactURL(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		id := ann.link(t, `{"url":"https://go.dev/?a=1&b=ü#x"}`)
		for url, want := range map[string]string{
			"https%3A%2F%2Fgo.dev%2F%3Fa%3D1%26b%3D%C3%BC%23x":       "true",
			"%20https%3A%2F%2Fgo.dev%2F%3Fa%3D1%26b%3D%C3%BC%23x%0A": "true",
			"https://go.dev/": "false",
			"https%3A%2F%2FGO.dev%2F%3Fa%3D1%26b%3D%C3%BC%23x": "false",
			"": "false", "%00": "false", "%FF": "false", "nonsense": "false",
		} {
			if got := ann.get(t, "/links/check?url="+url).ok(t).value(t, "linksFound"); got != want {
				t.Errorf("%s: got %s, want %s", url, got, want)
			}
		}
		ann.get(t, "/links/check").wantValue(t, "linksFound", "false")
		ann.delete(t, "/links/"+id, "").ok(t)
		ann.get(t, "/links/check?url=https%3A%2F%2Fgo.dev%2F%3Fa%3D1%26b%3D%C3%BC%23x").wantValue(t, "linksFound", "false")
	})
}

// x returns the letter x n times.
func x(n int) string { return strings.Repeat("x", n) }
