package api

import (
	"strconv"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

func TestFormsOfListAndTagReferences(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		for _, kind := range []string{"lists", "tags"} {
			t.Run(kind, func(t *testing.T) {
				ann, ben := s.addUser(t, "ann-"+kind), s.addUser(t, "ben-"+kind)
				add := func(p *testClient, name string, visibility int) string {
					return p.post(t, "/"+kind, `{"name":`+jsonOf(t, name)+`,"visibility":`+strconv.Itoa(visibility)+`}`).id(t)
				}
				read, work := add(ann, "Read", 3), add(ann, "Work", 3)
				trashed := add(ann, "Old", 3)
				ann.delete(t, "/"+kind+"/"+trashed, "").ok(t)
				public, internal, hidden := add(ben, "Public", 1), add(ben, "Internal", 2), add(ben, "Hidden", 3)
				link := ann.link(t, `{"url":"https://go.dev/"}`)

				for _, test := range []struct{ name, sent, want string }{
					{"null", `null`, ""},
					{"an empty string", `""`, ""},
					{"space", `" "`, ""},
					{"only commas", `" , ,,"`, ""},
					{"an empty array", `[]`, ""},
					{"an array of empty values", `[null,"",""," , "]`, ""},
					{"one name", `"Read"`, "Read"},
					{"names", `"Work, Read"`, "Read Work"},
					{"a number in a string is a name", `"123"`, "123"},
					{"ids", `[` + work + `,` + read + `]`, "Read Work"},
					{"names in an array", `["Work","Read"]`, "Read Work"},
					{"ids and names", `[` + work + `,"Read"]`, "Read Work"},
					{"a number in quotes is a name", `["` + read + `"]`, read},
					{"a comma in an array's name is removed", `["Re,ad"]`, "Read"},
					{"objects with an id", `[{"id":` + read + `},{"id":"` + work + `"}]`, "Read Work"},
					{"objects with a name", `[{"name":"Read"},{"name":" work "}]`, "Read Work"},
					{"the id takes precedence", `[{"id":` + read + `,"name":"Work"}]`, "Read"},
					{"objects without an id", `[{"id":null,"name":"Work"}]`, "Work"},
					{"objects with id 0", `[{"id":0,"name":"Work"},{"id":"0","name":"read"}]`, "Read Work"},
					{"objects with an id that is no integer", `[{"id":1.5,"name":"Work"},{"id":"x","name":"Read"}]`, "Read Work"},
					{"objects with an unknown id", `[{"id":123456,"name":"Work"},{"id":-1,"name":"Read"}]`, "Read Work"},
					{"objects with the id of a trashed one", `[{"id":` + trashed + `,"name":"Work"}]`, "Work"},
					{"objects with the id of a hidden one", `[{"id":` + hidden + `,"name":"Work"}]`, "Work"},
					{"an object as array", `{"1":"Work","0":"Read"}`, "Read Work"},
					{"an object with ids and objects", `{"a":` + work + `,"b":{"id":` + read + `}}`, "Read Work"},
					{"an empty object", `{}`, ""},
					{"objects with an empty name", `[{"name":""},{"name":null}]`, ""},
					{"case is ignored", `"READ,wORK"`, "Read Work"},
					{"duplicates", `[` + read + `,` + read + `,"read","READ",{"id":` + read + `}]`, "Read"},
					{"duplicates of a new name", `"Fresh,fresh,FRESH"`, "Fresh"},
					{"another user's public one", `[` + public + `]`, "Public"},
					{"another user's internal one", `[` + internal + `,"Read"]`, "Internal Read"},
					{"another user's private one", `[` + hidden + `,"Read"]`, "Read"},
					{"the name of another user's private one", `"Hidden"`, "Hidden"},
					{"unknown ids", `[9999,` + read + `,0,-1,9223372036854775807]`, "Read"},
					{"a trashed one by id", `[` + trashed + `,"Read"]`, "Read"},
					{"a trashed one by name", `"Old"`, "Old"},
				} {
					t.Run(test.name, func(t *testing.T) {
						got := ann.patch(t, "/links/"+link, `{"url":"https://go.dev/","`+kind+`":`+test.sent+`}`).ok(t)
						want := jsonOf(t, append([]string{}, strings.Fields(test.want)...))
						got.wantValue(t, kind+".*.name", want)
						ann.get(t, "/links/"+link).wantValue(t, kind+".*.name", want)
						for i := range strings.Fields(test.want) {
							got.wantValue(t, kind+"."+strconv.Itoa(i)+".pivot.link_id", link)
						}
						fresh := ann.post(t, "/links", `{"url":"https://`+strings.ReplaceAll(test.name, " ", "-")+`.example/","`+kind+`":`+test.sent+`}`).ok(t)
						fresh.wantValue(t, kind+".*.name", want)
					})
				}
				found := ann.get(t, "/search/"+kind+"?query=hidden").body
				if !strings.Contains(found, "Hidden") || strings.Contains(found, `"`+hidden+`"`) {
					t.Errorf("got %s, want a new one instead of %s", found, hidden)
				}
				if got := ann.get(t, "/search/"+kind+"?query=old").body; strings.Contains(got, `"`+trashed+`"`) {
					t.Errorf("got %s, want a new one instead of the trashed %s", got, trashed)
				}
				if got := ann.get(t, "/search/"+kind+"?query=fresh"); strings.Count(strings.ToLower(got.body), "fresh") != 1 {
					t.Errorf("got %s, want one", got.body)
				}
				ann.get(t, "/trash/"+kind).wantValue(t, "*.id", "["+trashed+"]")
			})
		}
	})
}

func TestInvalidListAndTagReferencesAreRejected(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	for sent, sentence := range map[string]string{
		`5`:                     "The % must be a string or an array.",
		`true`:                  "The % must be a string or an array.",
		`1.5`:                   "The % must be a string or an array.",
		`[1.5]`:                 "The % must be names, ids, or objects with a name or an id: 1.5 is neither.",
		`[1,true]`:              "The % must be names, ids, or objects with a name or an id: true is neither.",
		`[[1]]`:                 "The % must be names, ids, or objects with a name or an id: [1] is neither.",
		`[{}]`:                  "The % must be names, ids, or objects with a name or an id: {} is neither.",
		`[{"id":null}]`:         "The % must be names, ids, or objects with a name or an id: {\"id\":null} is neither.",
		`[{"id":1.5}]`:          "The % must be names, ids, or objects with a name or an id: {\"id\":1.5} is neither.",
		`{"0":"a","1":true}`:    "The % must be names, ids, or objects with a name or an id: true is neither.",
		`{"a":{"b":{"id":1}}}`:  "The % must be names, ids, or objects with a name or an id: {\"b\":{\"id\":1}} is neither.",
		`[{"name":5}]`:          "The % must be names, ids, or objects with a name or an id: {\"name\":5} is neither.",
		`[9223372036854775808]`: "The % must be names, ids, or objects with a name or an id: 9223372036854775808 is neither.",
	} {
		for _, kind := range []string{"lists", "tags"} {
			want := kind + ": " + strings.ReplaceAll(sentence, "%", kind)
			ann.post(t, "/links", `{"url":"https://a.example","`+kind+`":`+sent+`}`).wantFieldErrors(t, want)
		}
	}
	ann.get(t, "/lists").wantValue(t, "total", "0")
	ann.get(t, "/tags").wantValue(t, "total", "0")
}

func TestClientsCanSendBackEntities(t *testing.T) {
	s := newTestServer(t)
	ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
	list := ben.list(t, `{"name":"Ben's","visibility":1}`)
	ann.link(t, `{"url":"https://github.com/","title":"Hub","description":"d","lists":["a",`+list+`],"tags":"x,y","visibility":2,"check_disabled":true,"status":2}`)
	ann.list(t, `{"name":"b","description":"d","visibility":1}`)
	ann.tag(t, `{"name":"z","visibility":1}`)
	ann.note(t, `{"link_id":1,"note":"n","visibility":1}`)
	for path, keys := range map[string]string{
		"/links/1": "id user_id url title description icon thumbnail visibility is_private status check_disabled unread archived favorite lists tags created_at",
		"/lists/3": "id user_id name description visibility is_private links created_at",
		"/tags/3":  "id user_id name visibility is_private created_at",
	} {
		read := ann.get(t, path).ok(t)
		ann.patch(t, path, read.body).ok(t).wantValue(t, keys, read.value(t, keys))
	}
}

func TestReplacingEditWithOnlyUnusableReferencesIsRejected(t *testing.T) {
	s := newTestServer(t)
	ann := s.addUser(t, "ann")
	before := ann.post(t, "/links", `{"url":"https://a.example","lists":"kept","tags":"kept","visibility":2}`).ok(t)
	const badLists, badTags = "lists: The selected lists is invalid.", "tags: The selected tags is invalid."
	for _, unusable := range []string{`[9999]`, `[0]`, `[-1,9999]`, `[{"id":9999}]`, `{"0":9999}`, `[null,9999,""]`} {
		ann.patch(t, "/links/1", `{"url":"https://b.example","lists":`+unusable+`,"tags":[9999]}`).wantFieldErrors(t, badLists, badTags)
	}
	// One response names all mistakes.
	ann.patch(t, "/links/1", `{"description":5,"lists":[9999],"tags":5}`).wantFieldErrors(t, "url: The url field is required.",
		"description: The description must be a string.", badLists, "tags: The tags must be a string or an array.")
	ann.patch(t, "/bulk/links", `{"lists":[9999],"lists_mode":"replace","tags":[9999],"tags_mode":"x"}`).wantFieldErrors(t,
		"models: The models field is required.", badLists, "tags_mode: The selected tags mode is invalid.")
	if got := ann.get(t, "/links/1"); got.body != before.body {
		t.Errorf("got %s, want it unchanged: %s", got.body, before.body)
	}
}

func TestOwnersRemoveLinksFromListsAndTags(t *testing.T) {
	s := newTestServer(t)
	ann, eve := s.addUser(t, "ann"), s.addUser(t, "eve")
	ann.link(t, `{"url":"https://a.example/","lists":"a,b","tags":"a,b"}`)
	for _, kind := range []string{"lists", "tags"} {
		eve.delete(t, "/"+kind+"/1/links/1", "").wantError(t, 403, "This action is unauthorized.")
		s.addKey(t, "ann", kind, waymark.AccessAdd, 0).delete(t, "/"+kind+"/1/links/1", "").wantError(t, 403, "This action is unauthorized.")
		if got := ann.delete(t, "/"+kind+"/1/links/1", "").ok(t).body; got != "{}" {
			t.Errorf("got %s, want {}", got)
		}
		ann.delete(t, "/"+kind+"/1/links/1", "").wantError(t, 404, "Not found.") // not in it
		ann.delete(t, "/"+kind+"/2/links/9", "").wantError(t, 404, "Not found.")
		ann.get(t, "/links/1").wantValue(t, kind+".*.name", `["b"]`)
	}
}
