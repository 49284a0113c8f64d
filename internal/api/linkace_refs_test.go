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
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		hidden, trashed := ben.list(t, `{"name":"hidden"}`), ann.list(t, `{"name":"trashed"}`)
		ann.delete(t, "/lists/"+trashed, "").ok(t)
		before := ann.post(t, "/links", `{"url":"https://a.example","lists":"kept","tags":"kept","visibility":2}`).ok(t)
		const badLists, badTags = "lists: The selected lists is invalid.", "tags: The selected tags is invalid."
		edit := func(lists, tags string) response {
			return ann.patch(t, "/links/1", `{"url":"https://b.example","lists":`+lists+`,"tags":`+tags+`,"visibility":1}`)
		}
		bulk := func(lists, listsMode, tags, tagsMode string) response {
			return ann.patch(t, "/bulk/links", `{"models":[1],"lists":`+lists+`,"lists_mode":"`+listsMode+`","tags":`+tags+`,"tags_mode":"`+tagsMode+`","visibility":1}`)
		}
		for _, unusable := range []string{`[9999]`, `[` + hidden + `]`, `[` + trashed + `]`, `[0]`, `[-1,9999]`, `[{"id":9999}]`, `{"0":9999}`, `[null,9999,""]`} {
			edit(unusable, `[9999]`).wantFieldErrors(t, badLists, badTags)
			edit(unusable, `"new"`).wantFieldErrors(t, badLists)
			edit(`"new"`, `[9999]`).wantFieldErrors(t, badTags)
			bulk(unusable, "replace", `[9999]`, "replace").wantFieldErrors(t, badLists, badTags)
			bulk(unusable, "replace", `[9999]`, "append").wantFieldErrors(t, badLists)
			bulk(`["new"]`, "append", `[9999]`, "replace").wantFieldErrors(t, badTags)
		}
		// They are a mistake even if none of the links is the user's own.
		for _, models := range []string{`[9999]`, `[` + ben.link(t, `{"url":"https://ben.example","visibility":1}`) + `]`} {
			foreign := func(labels string) response {
				return ann.patch(t, "/bulk/links", `{"models":`+models+`,"lists_mode":"replace","tags_mode":"replace",`+labels+`}`)
			}
			foreign(`"lists":[9999],"tags":[9999]`).wantFieldErrors(t, badLists, badTags)
			foreign(`"lists":["new"],"tags":[9999]`).wantFieldErrors(t, badTags)
			if got := foreign(`"lists":["new"],"tags":[]`).ok(t).body; got != "[]" {
				t.Errorf("got %s, want no changed links", got)
			}
		}
		if got := ann.get(t, "/search/lists?query=new").body; got != "{}" {
			t.Errorf("got lists %s, want none", got)
		}
		// One response names all mistakes.
		ann.patch(t, "/links/1", `{"description":5,"lists":[9999],"tags":5}`).wantFieldErrors(t, "url: The url field is required.",
			"description: The description must be a string.", badLists, "tags: The tags must be a string or an array.")
		ann.patch(t, "/bulk/links", `{"lists":[9999],"lists_mode":"replace","tags":[9999],"tags_mode":"x"}`).wantFieldErrors(t,
			"models: The models field is required.", badLists, "tags_mode: The selected tags mode is invalid.")
		if got := ann.get(t, "/links/1"); got.body != before.body {
			t.Errorf("got %s, want it unchanged: %s", got.body, before.body)
		}
		if got := ann.get(t, "/search/tags?query=new").body; got != "{}" {
			t.Errorf("got tags %s, want none", got)
		}

		// Adding none is no mistake, nor is naming none.
		bulk(`[9999]`, "append", `[9999]`, "append").ok(t).wantValue(t, "0.lists.*.name 0.tags.*.name", `[["kept"],["kept"]]`)
		edit(`[9999,"kept"]`, `[9999,{"id":9999,"name":"other"}]`).ok(t).wantValue(t, "lists.*.name tags.*.name", `[["kept"],["other"]]`)
		ann.post(t, "/links", `{"url":"https://c.example","lists":[9999],"tags":[9999]}`).ok(t).wantValue(t, "lists tags", "[[],[]]")
		edit(`[]`, `[null,"", " "]`).ok(t).wantValue(t, "lists tags", "[[],[]]")
	})
}

func TestOwnersRemoveLinksFromListsAndTags(t *testing.T) {
	const forbidden = "This action is unauthorized."
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann, ben, eve := s.addUser(t, "ann"), s.addUser(t, "ben"), s.addUser(t, "eve")
		for _, kind := range []string{"lists", "tags"} {
			add := func(p *testClient, body string) string { return p.post(t, "/"+kind, body).id(t) }
			shared, hidden := add(ann, `{"name":"shared","visibility":1}`), add(ann, `{"name":"hidden","visibility":3}`)
			ours := ann.link(t, `{"url":"https://ann.example/`+kind+`","`+kind+`":[`+shared+`,`+hidden+`]}`)
			theirs := ben.link(t, `{"url":"https://ben.example/`+kind+`","`+kind+`":["own",`+shared+`],"visibility":3}`)
			remove := func(p *testClient, id, link string) response {
				return p.delete(t, "/"+kind+"/"+id+"/links/"+link, "")
			}
			for _, link := range []string{ours, theirs} {
				remove(eve, shared, link).wantError(t, 403, forbidden)
				remove(eve, hidden, link).wantError(t, 403, forbidden) // whether the link is in it or not
			}
			remove(ben, hidden, ours).wantError(t, 403, forbidden)
			remove(s.withoutKey(), shared, ours).wantError(t, 401, "Unauthenticated.")
			remove(s.addKey(t, "ann", kind, waymark.AccessAdd, 0), shared, ours).wantError(t, 403, forbidden)
			remove(ann, hidden, theirs).wantError(t, 404, "Not found.") // not in it
			remove(ann, "9999", ours).wantError(t, 404, "Not found.")
			remove(ann, shared, "9999").wantError(t, 404, "Not found.")
			remove(eve, "9999", ours).wantError(t, 404, "Not found.")

			// The owner of the list takes out a link that only its owner sees.
			if got := remove(ann, shared, theirs).ok(t).body; got != "{}" {
				t.Errorf("got %s, want {}", got)
			}
			remove(ann, shared, theirs).wantError(t, 404, "Not found.")
			ben.get(t, "/links/"+theirs).ok(t).wantValue(t, kind+".*.name", `["own"]`)
			// The owner of the link takes it out of another user's list, even a hidden one.
			ben.patch(t, "/links/"+theirs, `{"url":"https://ben.example/`+kind+`","`+kind+`":[`+shared+`]}`).ok(t)
			ann.patch(t, "/"+kind+"/"+shared, `{"name":"shared","visibility":3}`).ok(t)
			remove(ben, shared, theirs).ok(t)
			ann.get(t, "/"+kind+"/"+shared+"/links").wantValue(t, "data.*.id", "["+ours+"]")

			// Nothing in the trash can be reached.
			ann.delete(t, "/links/"+ours, "").ok(t)
			remove(ann, shared, ours).wantError(t, 404, "Not found.")
			ann.patch(t, "/trash/restore", `{"model":"link","id":`+ours+`}`).ok(t)
			ann.delete(t, "/"+kind+"/"+shared, "").ok(t)
			remove(ann, shared, ours).wantError(t, 404, "Not found.")
			ann.patch(t, "/trash/restore", `{"model":"`+strings.TrimSuffix(kind, "s")+`","id":`+shared+`}`).ok(t)
			ann.get(t, "/links/"+ours).wantValue(t, kind+".*.name", `["hidden","shared"]`)
			// A search follows the change.
			ann.get(t, "/search/links?only_"+kind+"="+shared).wantValue(t, "data.*.id", "["+ours+"]")
			remove(ann, shared, ours).ok(t)
			ann.get(t, "/search/links?only_"+kind+"="+shared).wantValue(t, "data.*.id", "[]")
		}
	})
}
