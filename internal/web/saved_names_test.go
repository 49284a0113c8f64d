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
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{Name: "Work"}}, Tags: &[]waymark.Ref{{Name: `say "hi"`}}})
	page := ada.follow(ada.post("/searches", "name", "Found", "q", `list:work #"say ""hi""" OR #nothing`))
	wantField := func(what, field string, links int) {
		t.Helper()
		page = ada.get(page.attr("nav.side a[href^='/searches/']", "href") + "?text=1")
		page.wantAttr(".find [name=q]", "value", field)
		page.wantCount("li.link", links)
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
	check(t, s.service.Delete(t.Context(), ada.user, waymark.Lists, int64(link.Lists[0].ID)))
	page = ada.get(page.attr("nav.side a[href^='/searches/']", "href"))
	if n := page.Find("li.link").Length(); n != 0 || !strings.Contains(page.text("main"), "does not exist any more") {
		t.Errorf("deleted: got %d links, and the page says %q", n, page.text("main"))
	}
}

func TestPartsWithoutMeaningAreSearchedForAsText(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	title := "is:purple (here"
	ada.addLink(waymark.LinkInput{URL: "https://example.org/", Title: &title})
	for query, want := range map[string]string{"is:purple (here": "Searched for as text: is:purple, (here", "example #nothing": "Searched for as text: #nothing", "example": ""} {
		page := ada.get("/links?q=" + url.QueryEscape(query))
		page.wantText("p[data-as-text]", want)
		if want := !strings.Contains(query, "#"); (page.Find("li.link").Length() == 1) != want {
			t.Errorf("%s: got %d links", query, page.Find("li.link").Length())
		}
	}
}

func TestSearchesAreNamedAfterTheirWordsAndChips(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{Name: "Work"}}})
	page := ada.get(fmt.Sprintf("/links?q=list:%%23%d+", link.Lists[0].ID) + url.QueryEscape(`"two words" go in:snapshot before:2027`))
	want := `"two words" go in Work before 2027`
	if got := page.attr("#search-name", "value"); !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSearchesAreSavedRenamedAndDeleted(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addLinks(2)
	page := ada.follow(ada.post("/searches", "name", "Examples", "q", "example"))
	page.wantText("h1", "Examples 2")
	page.wantText(".side [aria-current]", "Examples 2")
	action := page.attr("#saved-search form", "action")
	s.user(t, "eve").post(action, "name", "mine").wantStatus(http.StatusNotFound)
	page = ada.follow(ada.post(action, "name", "Samples, all"))
	page.wantText("h1", "Samples, all 2")
	page = ada.follow(ada.post(action + "/delete"))
	if strings.Contains(page.text(".side"), "Samples") {
		t.Error("the sidebar still has the search")
	}
	undo := page.attr("#toasts form", "action")
	page = ada.follow(ada.post(undo, "back", "/links"))
	page.wantText("h1", "Samples, all 2")
}

func TestFieldFindsAndSaves(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.get("/links?q=https://example.org/new").wantText(".note-box button", "Save it")
	ada.addLinks(1)
	page := ada.get("/links?q=https://example.org/0")
	page.wantText(".note-box a", "Open")
	if n := ada.get("/links?q=EXAMPLE").Find("li.link mark").Length(); n == 0 {
		t.Error("no match is marked")
	}
	ada.get("/links?q=nothing+here").wantText(".empty h2", "Nothing matches “nothing here”.")
	ada.get("/links?page=99").wantRedirect("/links")
}
