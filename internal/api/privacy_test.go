package api

import (
	"slices"
	"strings"
	"testing"
)

// reads are requests that read listings, with all their parameters.
var reads = []string{
	"/version", "/links", "/links?per_page=-1", "/links?order_by=title&order_dir=asc&per_page=2&page=2", "/links?order_by=is_private", "/links?order_by=visibility",
	"/links/check?url=https://secret.example/", "/links/check?url=https://shared.example/",
	"/lists", "/lists?per_page=-1&order_by=name", "/tags", "/tags?per_page=0&order_by=is_private",
	"/search/links?query=s", "/search/links?query=secret", "/search/links?query=e&search_title=1&search_description=1&per_page=-1",
	"/search/links?query=example&private_only=1", "/search/links?query=example&visibility=3", "/search/links?query=example&visibility=1",
	"/search/links?broken_only=1", "/search/links?empty_lists=1", "/search/links?empty_tags=1", "/search/links?empty_lists=1&empty_tags=1&query=a",
	"/search/links?only_lists=1,2,3,4,5,6", "/search/links?only_tags=1,2,3,4,5,6", "/search/links?only_lists=secret", "/search/links?only_tags=secret",
	"/search/links?query=example&exclude_lists=1,2,3,4,5,6", "/search/links?query=example&exclude_tags=1,2,3,4,5,6", "/search/links?query=example&exclude_tags=secret",
	"/search/links?only_lists=1,2&list_mode=all", "/search/links?only_tags=1,2&tag_mode=all",
	"/search/lists?query=s", "/search/lists?query=e", "/search/tags?query=s", "/search/tags?query=e",
	"/trash/links", "/trash/lists", "/trash/tags", "/trash/notes", "/saved-searches", "/moved-hosts",
}

// TestPrivateEntitiesDoNotAffectOtherUsers compares the responses to all reads before and
// after another user changes private entities. They must be the same, byte for byte.
func TestPrivateEntitiesDoNotAffectOtherUsers(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann, ben := s.addUser(t, "ann"), s.addUser(t, "ben")
		// Entities that both see, and private ones of ben.
		ben.link(t, `{"url":"https://ben.example/","title":"Ben's","lists":"ben","tags":"ben","visibility":1}`)
		ben.link(t, `{"url":"https://own.example/","lists":"own","tags":"own"}`)
		ben.patch(t, "/lists/1", `{"name":"ben","visibility":1}`).ok(t)
		ben.patch(t, "/tags/1", `{"name":"ben","visibility":2}`).ok(t)
		ben.note(t, `{"link_id":1,"note":"Ben's","visibility":1}`)
		ann.link(t, `{"url":"https://shared.example/","title":"Shared","visibility":2,"status":3}`)
		ann.list(t, `{"name":"shared","visibility":1}`)
		ann.tag(t, `{"name":"shared","visibility":1}`)
		ann.patch(t, "/links/3", `{"url":"https://shared.example/","lists":["shared"],"tags":["shared"]}`).ok(t)
		mine := slices.Concat(reads, []string{
			"/links/1", "/links/2", "/links/3", "/lists/1", "/lists/2", "/lists/3", "/tags/1", "/tags/2", "/tags/3",
			"/lists/1/links", "/lists/2/links", "/lists/3/links?order_by=title", "/tags/1/links", "/tags/2/links", "/tags/3/links",
			"/links/1/notes", "/links/2/notes", "/links/3/notes", "/links/1/check", "/links/2/check", "/links/3/check",
		})
		before := map[string]string{}
		for _, path := range mine {
			before[path] = ben.get(t, path).ok(t).body
		}

		const secret = `{"url":"https://secret.example/","title":"Secret","description":"secret","status":3,"lists":["secret",1,3],"tags":["secret","ben",1,3],"is_private":true}`
		link := ann.link(t, secret)
		ann.list(t, `{"name":"secret too","description":"secret"}`)
		ann.tag(t, `{"name":"secret too"}`)
		for _, id := range []string{"1", "3", link} {
			note := ann.note(t, `{"link_id":`+id+`,"note":"secret"}`)
			ann.patch(t, "/notes/"+note, `{"note":"secret again"}`).ok(t)
			gone := ann.note(t, `{"link_id":`+id+`,"note":"secret"}`)
			ann.delete(t, "/notes/"+gone, "").ok(t)
		}
		ann.patch(t, "/links/"+link, strings.Replace(secret, `"Secret"`, `"Secret!"`, 1)).ok(t)
		ann.post(t, "/bulk/links", `{"models":[{"url":"https://secret.example/2","lists":[1],"tags":[1]},{"url":"https://secret.example/3","tags":"secret"}]}`).ok(t)
		ann.delete(t, "/links/5", "").ok(t)
		ann.delete(t, "/bulk/delete", `{"type":"lists","models":[5]}`).ok(t)
		ann.patch(t, "/trash/restore", `{"model":"list","id":5}`).ok(t)
		ann.patch(t, "/bulk/links", `{"models":[4,6],"lists":[1,"secret 3"],"lists_mode":"append","tags":[1],"tags_mode":"replace","visibility":3}`).ok(t)
		ann.delete(t, "/trash/clear", `{"model":"links"}`).ok(t)
		// A private list and tag on a public link.
		for _, path := range []string{"/lists/4", "/tags/4"} {
			ann.get(t, path).wantValue(t, "name is_private", `["secret",true]`)
		}

		for _, path := range mine {
			after := ben.get(t, path).ok(t)
			if after.body != before[path] {
				t.Errorf("%s: got\n  %s\nbefore\n  %s", path, after.body, before[path])
			}
		}
	})
}

type request struct{ method, path, body string }

// readRequests and editRequests are the requests about one entity, with % for its ID.
var readRequests = []request{
	{"GET", "/links/%", ""}, {"GET", "/links/%/notes", ""}, {"GET", "/lists/%", ""}, {"GET", "/lists/%/links", ""}, {"GET", "/tags/%", ""}, {"GET", "/tags/%/links", ""},
}

var editRequests = []request{
	{"PATCH", "/links/%", `{"url":"https://x.example"}`}, {"PUT", "/links/%", `{"url":"https://x.example"}`}, {"DELETE", "/links/%", ""},
	{"PATCH", "/lists/%", `{"name":"x"}`}, {"PUT", "/lists/%", `{"name":"x"}`}, {"DELETE", "/lists/%", ""},
	{"PATCH", "/tags/%", `{"name":"x"}`}, {"PUT", "/tags/%", `{"name":"x"}`}, {"DELETE", "/tags/%", ""},
	{"PATCH", "/notes/%", `{"note":"x"}`}, {"PUT", "/notes/%", `{"note":"x"}`}, {"DELETE", "/notes/%", ""},
}

const forbidden = "This action is unauthorized."

// addEntities adds links, lists, tags and notes of ann, and the user ben. Entities 1, 2 and 3 have
// these visibilities; 4 was public and is in the trash.
func addEntities(t *testing.T, s *testServer) (ann, ben *testClient) {
	t.Helper()
	ann, ben = s.addUser(t, "ann"), s.addUser(t, "ben")
	for _, v := range []string{"1", "2", "3", "1"} {
		ann.link(t, `{"url":"https://`+v+s.uniqueName()+`.example","visibility":`+v+`}`)
		ann.list(t, `{"name":"list `+v+`","visibility":`+v+`}`)
		ann.tag(t, `{"name":"tag `+v+s.uniqueName()+`","visibility":`+v+`}`)
		ann.note(t, `{"link_id":1,"note":"note `+v+`","visibility":`+v+`}`)
	}
	for _, kind := range []string{"links", "lists", "tags", "notes"} {
		ann.delete(t, "/"+kind+"/4", "").ok(t)
	}
	return ann, ben
}

func TestPermissions(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *testServer) {
		ann, ben := addEntities(t, s)
		for id, status := range map[string]int{"1": 200, "2": 200, "3": 403, "4": 404, "99": 404} {
			for _, try := range readRequests {
				got := ben.call(t, try.method, strings.ReplaceAll(try.path, "%", id), try.body)
				switch status {
				case 200:
					got.ok(t)
				case 403:
					got.wantError(t, 403, forbidden)
				case 404:
					got.wantError(t, 404, "Not found.")
				}
			}
			for _, try := range editRequests {
				got := ben.call(t, try.method, strings.ReplaceAll(try.path, "%", id), try.body)
				if status == 404 {
					got.wantError(t, 404, "Not found.")
				} else {
					got.wantError(t, 403, forbidden)
				}
			}
			for _, model := range []string{"link", "list", "tag", "note"} {
				ben.patch(t, "/trash/restore", `{"model":"`+model+`","id":`+id+`}`).wantError(t, 404, "Not found.")
			}
		}
		for link, want := range map[string]int{"1": 200, "2": 200, "3": 403, "4": 422, "99": 422} {
			got := ben.post(t, "/notes", `{"note":"ben's","link_id":`+link+`}`)
			if got.status != want {
				t.Errorf("a note on %s: got %d %s, want %d", link, got.status, got.body, want)
			}
		}
		ben.post(t, "/notes", `{"link_id":3}`).wantError(t, 403, forbidden) // 403 before 422
		// Ann's entities are still there.
		for _, id := range []string{"1", "2", "3"} {
			for _, model := range []string{"link", "list", "tag", "note"} {
				ann.patch(t, "/trash/restore", `{"model":"`+model+`","id":`+id+`}`).ok(t)
			}
		}
	})
}
