package linkace

import (
	"strings"
	"testing"
)

func TestDeletingMovesIntoTheTrash(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.link(t, `{"url":"https://go.dev/","lists":"l","tags":"t"}`)
		ann.note(t, `{"link_id":1,"note":"n"}`)
		for _, kind := range []string{"notes", "lists", "tags", "links"} {
			ann.get(t, "/trash/"+kind).has(t, "*.id", "[]")
			if got := ann.get(t, "/trash/"+kind).body; got != "[]" {
				t.Errorf("%s: got %s, want []", kind, got)
			}
			if got := ann.delete(t, "/"+kind+"/1", "").ok(t).body; got != "{}" {
				t.Errorf("%s: got %s, want {}", kind, got)
			}
			trash := ann.get(t, "/trash/"+kind).ok(t)
			trash.has(t, "*.id", "[1]")
			if deleted := trash.at(t, "0.deleted_at"); deleted == "null" {
				t.Errorf("%s: got no deleted_at", kind)
			}
			ann.delete(t, "/"+kind+"/1", "").refuses(t, 404, "Not found.")
			ann.call(t, "PATCH", "/"+kind+"/1", `{}`).refuses(t, 404, "Not found.")
		}
	})
}

func TestTrashedEntriesAreInNoPageSearchOrCount(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
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
			ann.get(t, path).ok(t).has(t, "total", total)
		}
		ann.get(t, "/links?per_page=-1").has(t, "data.*.url", `["https://kept3.example","https://kept2.example","https://kept1.example"]`)
		ann.get(t, "/links/check?url=https://gone1.example").has(t, "linksFound", "false")
		if got := ann.get(t, "/search/lists?query=gone").body + ann.get(t, "/search/tags?query=gone").body; got != "{}{}" {
			t.Errorf("name search found %s in the trash", got)
		}
	})
}

func TestTrashListsEntriesByID(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		for _, url := range []string{"https://c.example", "https://a.example", "https://b.example"} {
			ann.link(t, `{"url":"`+url+`","lists":"l,k","tags":"t,s"}`)
		}
		for _, id := range []string{"2", "3", "1"} {
			ann.delete(t, "/links/"+id, "").ok(t)
		}
		got := ann.get(t, "/trash/links").ok(t)
		got.has(t, "*.id", "[1,2,3]")
		got.has(t, "0.lists.*.name 0.tags.*.name", `[["k","l"],["s","t"]]`)
		got.has(t, "0.lists.0.pivot.link_id", "1")
	})
}

func TestLinkComesBackWithWhatBelongedToIt(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.link(t, `{"url":"https://go.dev/","title":"Go","lists":"a,b","tags":"t,u"}`)
		ann.note(t, `{"link_id":1,"note":"n"}`)
		before := ann.get(t, "/links/1")
		ann.delete(t, "/links/1", "").ok(t)
		// Its notes are out of reach meanwhile.
		ann.get(t, "/links/1/notes").refuses(t, 404, "Not found.")
		ann.patch(t, "/notes/1", `{"note":"x"}`).refuses(t, 404, "Not found.")
		ann.delete(t, "/notes/1", "").refuses(t, 404, "Not found.")
		ann.get(t, "/trash/notes").has(t, "*.id", "[]")

		if got := ann.patch(t, "/trash/restore", `{"model":"link","id":1}`).ok(t).body; got != "{}" {
			t.Errorf("got %s, want {}", got)
		}
		const all = "id url title lists.*.name tags.*.name created_at deleted_at"
		ann.get(t, "/links/1").has(t, all, before.at(t, all))
		ann.get(t, "/links/1/notes").has(t, "data.*.note", `["n"]`)
		ann.get(t, "/lists/1/links").has(t, "data.*.id", "[1]")
		ann.get(t, "/tags/1/links").has(t, "data.*.id", "[1]")
		ann.get(t, "/search/links?query=go.dev&only_lists=a&only_tags=t").has(t, "data.*.id", "[1]")
		ann.get(t, "/trash/links").has(t, "*.id", "[]")
	})
}

func TestNotesAndTheirLinksAreTrashedApart(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.link(t, `{"url":"https://go.dev/"}`)
		for _, text := range []string{"kept", "first trashed", "restored meanwhile"} {
			ann.note(t, `{"link_id":1,"note":"`+text+`"}`)
		}
		ann.delete(t, "/notes/2", "").ok(t)
		ann.delete(t, "/notes/3", "").ok(t)
		ann.delete(t, "/links/1", "").ok(t)
		ann.get(t, "/trash/notes").has(t, "*.id", "[2,3]")
		// A note may come back while its link is away, and is there again with it.
		ann.patch(t, "/trash/restore", `{"model":"note","id":3}`).ok(t)
		ann.patch(t, "/notes/3", `{"note":"x"}`).refuses(t, 404, "Not found.")
		ann.patch(t, "/trash/restore", `{"model":"link","id":1}`).ok(t)
		ann.get(t, "/links/1/notes").has(t, "data.*.note", `["kept","restored meanwhile"]`)
		ann.get(t, "/trash/notes").has(t, "*.id", "[2]")
	})
}

func TestTrashedListOrTagLeavesItsLinksUntilItComesBack(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.link(t, `{"url":"https://go.dev/","lists":"a,b","tags":"a,b"}`)
		for _, kind := range []string{"lists", "tags"} {
			ann.delete(t, "/"+kind+"/1", "").ok(t)
			ann.get(t, "/links/1").has(t, kind+".*.name", `["b"]`)
			ann.get(t, "/links").has(t, "data.0."+kind+".*.name", `["b"]`)
			ann.get(t, "/"+kind+"/1/links").refuses(t, 404, "Not found.")
			// An edit that names all the others does not take it away for good.
			ann.patch(t, "/links/1", `{"url":"https://go.dev/","`+kind+`":["c"]}`).has(t, kind+".*.name", `["c"]`)
			ann.patch(t, "/trash/restore", `{"model":"`+strings.TrimSuffix(kind, "s")+`","id":1}`).ok(t)
			ann.get(t, "/links/1").has(t, kind+".*.name", `["a","c"]`)
			ann.get(t, "/"+kind+"/1/links").has(t, "data.*.id", "[1]")
		}
		ann.delete(t, "/lists/2", "").ok(t)
		ann.delete(t, "/lists/3", "").ok(t)
		ann.delete(t, "/lists/1", "").ok(t)
		ann.get(t, "/search/links?empty_lists=1").has(t, "data.*.id", "[1]")
	})
}

func TestRestoreOfWhatIsTakenIsRefused(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		ann.link(t, `{"url":"https://go.dev/"}`)
		ann.delete(t, "/links/1", "").ok(t)
		ann.link(t, `{"url":"https://go.dev/"}`)
		ann.patch(t, "/trash/restore", `{"model":"link","id":1}`).breaks(t, "id: The url has already been taken.")
		ann.get(t, "/trash/links").has(t, "*.id", "[1]")
		ann.tag(t, `{"name":"Go"}`)
		ann.delete(t, "/tags/1", "").ok(t)
		ann.tag(t, `{"name":"gO"}`)
		ann.patch(t, "/trash/restore", `{"model":"tag","id":1}`).breaks(t, "id: The name has already been taken.")
		ann.get(t, "/trash/tags").has(t, "*.id", "[1]")
		ann.delete(t, "/tags/2", "").ok(t)
		ann.patch(t, "/trash/restore", `{"model":"tag","id":1}`).ok(t)
		ann.patch(t, "/trash/restore", `{"model":"tag","id":2}`).breaks(t, "id: The name has already been taken.")
		// Lists may have one name.
		ann.list(t, `{"name":"Go"}`)
		ann.delete(t, "/lists/1", "").ok(t)
		ann.list(t, `{"name":"Go"}`)
		ann.patch(t, "/trash/restore", `{"model":"list","id":1}`).ok(t)
	})
}

func TestRestoreAsksForAModelAndAnID(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
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
			ann.patch(t, "/trash/restore", body).breaks(t, want...)
		}
		ann.patch(t, "/trash/restore", `{"model":"list","id":1}`).ok(t) // active already
		ann.patch(t, "/trash/restore", `{"model":"list","id":" 1 "}`).ok(t)
		for _, id := range []string{"99", "0", "-1", "9223372036854775807"} {
			for _, model := range []string{"link", "list", "tag", "note"} {
				ann.patch(t, "/trash/restore", `{"model":"`+model+`","id":`+id+`}`).refuses(t, 404, "Not found.")
			}
		}
	})
}

func TestClearErasesOneKindForGood(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		for range 2 {
			ann.post(t, "/bulk/links", `{"models":[{"url":"https://a.example","lists":"a","tags":"a"},{"url":"https://b.example","lists":"a","tags":"a"}]}`).ok(t)
			ann.delete(t, "/bulk/delete?type=links&models=1,2", "").ok(t)
			break
		}
		ann.link(t, `{"url":"https://c.example","lists":"a","tags":"a"}`)
		ann.note(t, `{"link_id":3,"note":"kept"}`)
		trashedNote := ann.note(t, `{"link_id":3,"note":"gone"}`)
		ann.delete(t, "/notes/"+trashedNote, "").ok(t)
		if got := ann.delete(t, "/trash/clear", `{"model":"links"}`).ok(t).body; got != "{}" {
			t.Errorf("got %s, want {}", got)
		}
		ann.get(t, "/trash/links").has(t, "*.id", "[]")
		ann.get(t, "/trash/notes").has(t, "*.note", `["gone"]`)
		ann.patch(t, "/trash/restore", `{"model":"link","id":1}`).refuses(t, 404, "Not found.")
		ann.get(t, "/links").has(t, "data.*.id", "[3]")
		ann.get(t, "/lists/1/links").has(t, "data.*.id total", "[[3],1]")
		ann.delete(t, "/trash/clear", `{"model":"notes"}`).ok(t)
		ann.get(t, "/trash/notes").has(t, "*.id", "[]")
		ann.get(t, "/links/3/notes").has(t, "data.*.note", `["kept"]`)
		ann.delete(t, "/lists/1", "").ok(t)
		ann.delete(t, "/tags/1", "").ok(t)
		ann.delete(t, "/trash/clear", `{"model":"lists"}`).ok(t)
		ann.get(t, "/trash/tags").has(t, "*.id", "[1]")
		ann.delete(t, "/trash/clear", `{"model":"tags"}`).ok(t)
		ann.get(t, "/links/3").has(t, "lists tags", "[[],[]]")
		ann.delete(t, "/trash/clear", `{"model":"tags"}`).ok(t) // nothing there is no mistake

		// A link takes its notes along, others' included.
		ben := s.person(t, "ben")
		ann.patch(t, "/links/3", `{"url":"https://c.example","visibility":1}`).ok(t)
		bens := ben.note(t, `{"link_id":3,"note":"ben's"}`)
		ben.delete(t, "/notes/"+bens, "").ok(t)
		ann.delete(t, "/links/3", "").ok(t)
		ann.delete(t, "/trash/clear", `{"model":"links"}`).ok(t)
		ann.patch(t, "/trash/restore", `{"model":"note","id":1}`).refuses(t, 404, "Not found.")
		ben.get(t, "/trash/notes").has(t, "*.id", "[]")
	})
}

func TestClearAsksForAModel(t *testing.T) {
	onSite(t, func(t *testing.T, s *site) {
		ann := s.person(t, "ann")
		for body, want := range map[string]string{
			``: "The model field is required.", `{"model":""}`: "The model field is required.",
			`{"model":"link"}`: "The selected model is invalid.", `{"model":"users"}`: "The selected model is invalid.",
			`{"model":"Links"}`: "The selected model is invalid.", `{"model":{}}`: "The selected model is invalid.", `{"model":1}`: "The selected model is invalid.",
		} {
			ann.delete(t, "/trash/clear", body).breaks(t, "model: "+want)
		}
	})
}
