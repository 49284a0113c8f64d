package web

import (
	"fmt"
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
		page := ada.get(fmt.Sprintf("/links?lists=%d&query=", link.Lists[0].ID) + url.QueryEscape(`"two words" go in:copy before:2027`))
		want := `"two words" go in Work before 2027`
		if got := page.attr("#search-name", "value"); !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
