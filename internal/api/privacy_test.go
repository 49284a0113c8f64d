package api

import (
	"strings"
	"testing"
)

type request struct{ method, path, body string }

// readRequests and editRequests are the requests about one entity, with % for its ID.
var readRequests = []request{
	{"GET", "/links/%", ""}, {"GET", "/links/%/notes", ""}, {"GET", "/links/%/passages", ""}, {"GET", "/lists/%", ""}, {"GET", "/lists/%/links", ""}, {"GET", "/tags/%", ""}, {"GET", "/tags/%/links", ""},
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
