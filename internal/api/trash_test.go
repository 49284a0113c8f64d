package api

import (
	"strings"
	"testing"
)

func TestDeleteMovesToTrash(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.link(t, `{"url":"https://go.dev/","lists":"l","tags":"t"}`)
		ann.note(t, `{"link_id":1,"note":"n"}`)
		for _, kind := range []string{"notes", "lists", "tags", "links"} {
			ann.get(t, "/trash/"+kind).wantValue(t, "*.id", "[]")
			if got := ann.get(t, "/trash/"+kind).body; got != "[]" {
				t.Errorf("%s: got %s, want []", kind, got)
			}
			if got := ann.delete(t, "/"+kind+"/1", "").ok(t).body; got != "{}" {
				t.Errorf("%s: got %s, want {}", kind, got)
			}
			trash := ann.get(t, "/trash/"+kind).ok(t)
			trash.wantValue(t, "*.id", "[1]")
			if deleted := trash.value(t, "0.deleted_at"); deleted == "null" {
				t.Errorf("%s: got no deleted_at", kind)
			}
			ann.delete(t, "/"+kind+"/1", "").wantError(t, 404, "Not found.")
			ann.call(t, "PATCH", "/"+kind+"/1", `{}`).wantError(t, 404, "Not found.")
		}
	})
}

func TestTrashedEntitiesAreNotListedSearchedOrCounted(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for _, v := range []string{"1", "2", "3"} {
			ann.link(t, `{"url":"https://kept`+v+`.example","lists":"l","tags":"t","visibility":`+v+`}`)
			gone := ann.link(t, `{"url":"https://gone`+v+`.example","lists":"l","tags":"t","visibility":`+v+`,"status":2}`)
			ann.delete(t, "/links/"+gone, "").ok(t)
			ann.post(t, "/lists", `{"name":"kept"}`).ok(t)
			ann.delete(t, "/lists/"+ann.list(t, `{"name":"gone","visibility":`+v+`}`), "").ok(t)
			ann.delete(t, "/tags/"+ann.tag(t, `{"name":"gone","visibility":`+v+`}`), "").ok(t)
		}
		for path, total := range map[string]string{
			"/links": "3", "/lists": "4", "/tags": "1", "/lists/1/links": "3", "/tags/1/links": "3",
			"/search/links?query=example": "3", "/search/links?query=gone": "0", "/search/links?only_lists=1": "3",
			"/search/links?only_tags=t": "3", "/search/links?broken_only=1": "0", "/search/links?only_lists=gone": "0",
		} {
			ann.get(t, path).ok(t).wantValue(t, "total", total)
		}
		ann.get(t, "/links?per_page=-1").wantValue(t, "data.*.url", `["https://kept3.example","https://kept2.example","https://kept1.example"]`)
		ann.get(t, "/links/check?url=https://gone1.example").wantValue(t, "linksFound", "false")
		if got := ann.get(t, "/search/lists?query=gone").body + ann.get(t, "/search/tags?query=gone").body; got != "{}{}" {
			t.Errorf("name search found %s in the trash", got)
		}
	})
}

func TestTrashIsSortedByID(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for _, url := range []string{"https://c.example", "https://a.example", "https://b.example"} {
			ann.link(t, `{"url":"`+url+`","lists":"l,k","tags":"t,s"}`)
		}
		for _, id := range []string{"2", "3", "1"} {
			ann.delete(t, "/links/"+id, "").ok(t)
		}
		got := ann.get(t, "/trash/links").ok(t)
		got.wantValue(t, "*.id", "[1,2,3]")
		got.wantValue(t, "0.lists.*.name 0.tags.*.name", `[["k","l"],["s","t"]]`)
		got.wantValue(t, "0.lists.0.pivot.link_id", "1")
	})
}

func TestRestoredLinkHasItsListsTagsAndNotes(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.link(t, `{"url":"https://go.dev/","title":"Go","lists":"a,b","tags":"t,u"}`)
		ann.note(t, `{"link_id":1,"note":"n"}`)
		before := ann.get(t, "/links/1")
		ann.delete(t, "/links/1", "").ok(t)
		// The notes of a trashed link are not accessible.
		ann.get(t, "/links/1/notes").wantError(t, 404, "Not found.")
		ann.patch(t, "/notes/1", `{"note":"x"}`).wantError(t, 404, "Not found.")
		ann.delete(t, "/notes/1", "").wantError(t, 404, "Not found.")
		ann.get(t, "/trash/notes").wantValue(t, "*.id", "[]")

		if got := ann.patch(t, "/trash/restore", `{"model":"link","id":1}`).ok(t).body; got != "{}" {
			t.Errorf("got %s, want {}", got)
		}
		const all = "id url title lists.*.name tags.*.name created_at deleted_at"
		ann.get(t, "/links/1").wantValue(t, all, before.value(t, all))
		ann.get(t, "/links/1/notes").wantValue(t, "data.*.note", `["n"]`)
		ann.get(t, "/lists/1/links").wantValue(t, "data.*.id", "[1]")
		ann.get(t, "/tags/1/links").wantValue(t, "data.*.id", "[1]")
		ann.get(t, "/search/links?query=go.dev&only_lists=a&only_tags=t").wantValue(t, "data.*.id", "[1]")
		ann.get(t, "/trash/links").wantValue(t, "*.id", "[]")
	})
}

func TestNotesAndTheirLinksAreTrashedSeparately(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.link(t, `{"url":"https://go.dev/"}`)
		for _, text := range []string{"kept", "first trashed", "restored before its link"} {
			ann.note(t, `{"link_id":1,"note":"`+text+`"}`)
		}
		ann.delete(t, "/notes/2", "").ok(t)
		ann.delete(t, "/notes/3", "").ok(t)
		ann.delete(t, "/links/1", "").ok(t)
		ann.get(t, "/trash/notes").wantValue(t, "*.id", "[2,3]")
		// A note that is restored while its link is in the trash is accessible after the link is
		// restored.
		ann.patch(t, "/trash/restore", `{"model":"note","id":3}`).ok(t)
		ann.patch(t, "/notes/3", `{"note":"x"}`).wantError(t, 404, "Not found.")
		ann.patch(t, "/trash/restore", `{"model":"link","id":1}`).ok(t)
		ann.get(t, "/links/1/notes").wantValue(t, "data.*.note", `["kept","restored before its link"]`)
		ann.get(t, "/trash/notes").wantValue(t, "*.id", "[2]")
	})
}

func TestTrashedListOrTagIsHiddenUntilRestored(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.link(t, `{"url":"https://go.dev/","lists":"a,b","tags":"a,b"}`)
		for _, kind := range []string{"lists", "tags"} {
			ann.delete(t, "/"+kind+"/1", "").ok(t)
			ann.get(t, "/links/1").wantValue(t, kind+".*.name", `["b"]`)
			ann.get(t, "/links").wantValue(t, "data.0."+kind+".*.name", `["b"]`)
			ann.get(t, "/"+kind+"/1/links").wantError(t, 404, "Not found.")
			// Adding others does not remove the trashed one.
			modes := `{"models":[1],"lists":[],"lists_mode":"append","tags":[],"tags_mode":"append"}`
			ann.patch(t, "/bulk/links", strings.Replace(modes, `"`+kind+`":[]`, `"`+kind+`":["c"]`, 1)).wantValue(t, "0."+kind+".*.name", `["b","c"]`)
			ann.patch(t, "/trash/restore", `{"model":"`+strings.TrimSuffix(kind, "s")+`","id":1}`).ok(t)
			ann.get(t, "/links/1").wantValue(t, kind+".*.name", `["a","b","c"]`)
			ann.get(t, "/"+kind+"/1/links").wantValue(t, "data.*.id", "[1]")
		}
		ann.delete(t, "/lists/2", "").ok(t)
		ann.delete(t, "/lists/3", "").ok(t)
		ann.delete(t, "/lists/1", "").ok(t)
		ann.get(t, "/search/links?empty_lists=1").wantValue(t, "data.*.id", "[1]")
	})
}

func TestRestoreOfDuplicateIsRejected(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.link(t, `{"url":"https://go.dev/"}`)
		ann.delete(t, "/links/1", "").ok(t)
		ann.link(t, `{"url":"https://go.dev/"}`)
		ann.patch(t, "/trash/restore", `{"model":"link","id":1}`).wantFieldErrors(t, "id: The url has already been taken.")
		ann.get(t, "/trash/links").wantValue(t, "*.id", "[1]")
		ann.tag(t, `{"name":"Go"}`)
		ann.delete(t, "/tags/1", "").ok(t)
		ann.tag(t, `{"name":"gO"}`)
		ann.patch(t, "/trash/restore", `{"model":"tag","id":1}`).wantFieldErrors(t, "id: The name has already been taken.")
		ann.get(t, "/trash/tags").wantValue(t, "*.id", "[1]")
		ann.delete(t, "/tags/2", "").ok(t)
		ann.patch(t, "/trash/restore", `{"model":"tag","id":1}`).ok(t)
		ann.patch(t, "/trash/restore", `{"model":"tag","id":2}`).wantFieldErrors(t, "id: The name has already been taken.")
		// Lists may have the same name.
		ann.list(t, `{"name":"Go"}`)
		ann.delete(t, "/lists/1", "").ok(t)
		ann.list(t, `{"name":"Go"}`)
		ann.patch(t, "/trash/restore", `{"model":"list","id":1}`).ok(t)
	})
}

func TestRestoreNeedsModelAndID(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.list(t, `{"name":"a"}`)
		for body, want := range map[string][]string{
			`{}`:                             {"model: The model field is required.", "id: The id field is required."},
			`{"model":"list"}`:               {"id: The id field is required."},
			`{"id":1}`:                       {"model: The model field is required."},
			`{"model":null,"id":null}`:       {"model: The model field is required.", "id: The id field is required."},
			`{"model":"lists","id":1}`:       {"model: The selected model is invalid."},
			`{"model":"user","id":"one"}`:    {"model: The selected model is invalid.", "id: The id must be a number."},
			`{"model":["list"],"id":[1]}`:    {"model: The selected model is invalid.", "id: The id must be a number."},
			`{"model":7,"id":true}`:          {"model: The selected model is invalid.", "id: The id must be a number."},
			`{"model":"LIST","id":1.5}`:      {"model: The selected model is invalid.", "id: The id must be a number."},
			`{"model":"\"list\"","id":"1x"}`: {"model: The selected model is invalid.", "id: The id must be a number."},
		} {
			ann.patch(t, "/trash/restore", body).wantFieldErrors(t, want...)
		}
		ann.patch(t, "/trash/restore", `{"model":"list","id":1}`).ok(t) // already active
		ann.patch(t, "/trash/restore", `{"model":"list","id":" 1 "}`).ok(t)
		for _, id := range []string{"99", "0", "-1", "9223372036854775807"} {
			for _, model := range []string{"link", "list", "tag", "note"} {
				ann.patch(t, "/trash/restore", `{"model":"`+model+`","id":`+id+`}`).wantError(t, 404, "Not found.")
			}
		}
	})
}

func TestClearDeletesOneKindPermanently(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		ann.post(t, "/bulk/links", `{"models":[{"url":"https://a.example","lists":"a","tags":"a"},{"url":"https://b.example","lists":"a","tags":"a"}]}`).ok(t)
		ann.delete(t, "/bulk/delete?type=links&models=1,2", "").ok(t)
		ann.link(t, `{"url":"https://c.example","lists":"a","tags":"a"}`)
		ann.note(t, `{"link_id":3,"note":"kept"}`)
		trashedNote := ann.note(t, `{"link_id":3,"note":"gone"}`)
		ann.delete(t, "/notes/"+trashedNote, "").ok(t)
		if got := ann.delete(t, "/trash/clear", `{"model":"links"}`).ok(t).body; got != "{}" {
			t.Errorf("got %s, want {}", got)
		}
		ann.get(t, "/trash/links").wantValue(t, "*.id", "[]")
		ann.get(t, "/trash/notes").wantValue(t, "*.note", `["gone"]`)
		ann.patch(t, "/trash/restore", `{"model":"link","id":1}`).wantError(t, 404, "Not found.")
		ann.get(t, "/links").wantValue(t, "data.*.id", "[3]")
		ann.get(t, "/lists/1/links").wantValue(t, "data.*.id total", "[[3],1]")
		ann.delete(t, "/trash/clear", `{"model":"notes"}`).ok(t)
		ann.get(t, "/trash/notes").wantValue(t, "*.id", "[]")
		ann.get(t, "/links/3/notes").wantValue(t, "data.*.note", `["kept"]`)
		ann.delete(t, "/lists/1", "").ok(t)
		ann.delete(t, "/tags/1", "").ok(t)
		ann.delete(t, "/trash/clear", `{"model":"lists"}`).ok(t)
		ann.get(t, "/trash/tags").wantValue(t, "*.id", "[1]")
		ann.delete(t, "/trash/clear", `{"model":"tags"}`).ok(t)
		ann.get(t, "/links/3").wantValue(t, "lists tags", "[[],[]]")
		ann.delete(t, "/trash/clear", `{"model":"tags"}`).ok(t) // clearing an empty trash succeeds

		// The notes of a link are deleted with it, even those of other users.
		ben := s.addUser(t, "ben")
		ann.patch(t, "/links/3", `{"url":"https://c.example","visibility":1}`).ok(t)
		bens := ben.note(t, `{"link_id":3,"note":"ben's"}`)
		ben.delete(t, "/notes/"+bens, "").ok(t)
		ann.delete(t, "/links/3", "").ok(t)
		ann.delete(t, "/trash/clear", `{"model":"links"}`).ok(t)
		ann.patch(t, "/trash/restore", `{"model":"note","id":1}`).wantError(t, 404, "Not found.")
		ben.get(t, "/trash/notes").wantValue(t, "*.id", "[]")
	})
}

func TestClearNeedsModel(t *testing.T) {
	eachVersion(t, func(t *testing.T, s *testServer) {
		ann := s.addUser(t, "ann")
		for body, want := range map[string]string{
			``: "The model field is required.", `{"model":""}`: "The model field is required.",
			`{"model":"link"}`: "The selected model is invalid.", `{"model":"users"}`: "The selected model is invalid.",
			`{"model":"Links"}`: "The selected model is invalid.", `{"model":{}}`: "The selected model is invalid.", `{"model":1}`: "The selected model is invalid.",
		} {
			ann.delete(t, "/trash/clear", body).wantFieldErrors(t, "model: "+want)
		}
	})
}
