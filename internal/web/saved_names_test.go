package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

// A saved search has the ids of its lists and tags: it finds the same links when these are renamed, and
// nothing when they are deleted, and the page says so.
func TestSavedSearchesFollowRenamedListsAndTags(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{Name: "Work"}}, Tags: &[]waymark.Ref{{Name: `say "hi"`}}})
		page := ada.follow(ada.post("/searches", "name", "Found", "query", "query="+url.QueryEscape(`list:work #"say ""hi""" OR #nothing`)))
		wantField := func(what, field string, links int) {
			t.Helper()
			page = ada.get(page.attr("nav.side a[href*='query=']", "href"))
			if got := page.attr(".find [name=query]", "value"); got != field {
				t.Errorf("%s: the field has %s, want %s", what, got, field)
			}
			if n := page.Find("li.link").Length(); n != links {
				t.Errorf("%s: got %d links, want %d", what, n, links)
			}
			if links > 0 && strings.TrimSpace(page.Find("h1").First().Contents().First().Text()) != "Found" {
				t.Errorf("%s: the heading is %q, want the name of the search", what, page.text("h1"))
			}
		}
		wantField("saved", `list:Work #"say ""hi""" OR #nothing`, 1)
		name := "Job (new)"
		if _, err := s.service.EditList(t.Context(), ada.user, link.Lists[0].ID, waymark.ListInput{Name: name}); err != nil {
			t.Fatal(err)
		}
		wantField("renamed", `list:"Job (new)" #"say ""hi""" OR #nothing`, 1)
		check(t, s.service.DeleteList(t.Context(), ada.user, link.Lists[0].ID))
		page = ada.get(page.attr("nav.side a[href*='query=']", "href"))
		if n := page.Find("li.link").Length(); n != 0 || !strings.Contains(page.text("main"), "does not exist any more") {
			t.Errorf("deleted: got %d links, and the page says %q", n, page.text("main"))
		}
	})
}

func TestPartsWithoutMeaningAreSearchedForAsText(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		title := "is:purple (here"
		ada.addLink(waymark.LinkInput{URL: "https://example.org/", Title: &title})
		for query, want := range map[string]string{"is:purple (here": "Searched for as text: is:purple, (here", "example #nothing": "Searched for as text: #nothing", "example": ""} {
			page := ada.get("/links?query=" + url.QueryEscape(query))
			if got := page.text("p[data-as-text]"); got != want {
				t.Errorf("%s: the page says %q, want %q", query, got, want)
			}
			if want := !strings.Contains(query, "#"); (page.Find("li.link").Length() == 1) != want {
				t.Errorf("%s: got %d links", query, page.Find("li.link").Length())
			}
		}
	})
}

func TestSearchesAreNamedAfterTheirWordsAndChips(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{Name: "Work"}}})
		page := ada.get(fmt.Sprintf("/links?lists=%d&query=", link.Lists[0].ID) + url.QueryEscape(`"two words" go in:snapshot before:2027`))
		want := `"two words" go in Work before 2027`
		if got := page.attr("#search-name", "value"); !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestSearchesAreSavedRenamedAndDeleted(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		ada.addLinks(2)
		page := ada.follow(ada.post("/searches", "name", "Examples", "query", "query=example&view=cards&page=2"))
		if got, want := page.text("h1"), "Examples 2"; got != want {
			t.Errorf("got the heading %q, want %q", got, want)
		}
		if got := page.text(".side [aria-current]"); got != "Examples 2" {
			t.Errorf("the sidebar marks %q", got)
		}
		action := page.attr("#saved-search form", "action")
		if p := s.user(t, "eve").post(action, "name", "mine"); p.status != http.StatusNotFound {
			t.Errorf("another user renames it: got %d, want 404", p.status)
		}
		page = ada.follow(ada.post(action, "name", "Samples, all"))
		if got := page.text("h1"); got != "Samples, all 2" {
			t.Errorf("got the heading %q", got)
		}
		page = ada.follow(ada.post(action + "/delete"))
		if strings.Contains(page.text(".side"), "Samples") {
			t.Error("the sidebar still has the search")
		}
		undo := page.attr("#toasts form", "action")
		page = ada.follow(ada.post(undo, "back", "/links"))
		if got, want := page.text("h1"), "Samples, all 2"; got != want {
			t.Errorf("after the undo: got the heading %q, want %q", got, want)
		}
	})
}

func TestFieldFindsAndSaves(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		if got := ada.get("/links?query=https://example.org/new").text(".note-box button"); got != "Save it" {
			t.Errorf("a new URL: got the button %q", got)
		}
		ada.addLinks(1)
		page := ada.get("/links?query=https://example.org/0")
		if got := page.text(".note-box a"); got != "OpenEdit" {
			t.Errorf("a saved URL: got %q", got)
		}
		if n := ada.get("/links?query=EXAMPLE").Find("li.link mark").Length(); n == 0 {
			t.Error("no match is marked")
		}
		if p := ada.get("/links?query=nothing+here").text(".empty h2"); p != "Nothing matches “nothing here”." {
			t.Errorf("got %q", p)
		}
		if p := ada.get("/links?page=99"); p.status != http.StatusSeeOther || p.location != "/links" {
			t.Errorf("beyond the last page: got %d %s", p.status, p.location)
		}
	})
}
