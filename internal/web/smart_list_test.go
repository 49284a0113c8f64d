package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"waymark/internal/waymark"
)

// smartList returns the text of a smart list among the lists of the sidebar, "" if there is none.
func (p response) smartList(name string) string {
	for _, text := range p.Find(`.side .nav:has([href="/lists/create"]) li`).EachIter() {
		if text := strings.Join(strings.Fields(text.Text()), " "); strings.HasPrefix(text, name) {
			return text
		}
	}
	return ""
}

func TestSavedSearchStandsAmongTheLists(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addLink(waymark.LinkInput{URL: "https://example.org/"})
	page := ada.follow(ada.post("/searches", "name", "Examples", "q", "example", "in-lists", "1"))
	if got := page.smartList("Examples"); got != "Examples 1" {
		t.Errorf("got %q among the lists, want the search and the number of its links", got)
	}
	ada.get("/lists?name=exam").wantText(".listgrid", "Examples 1")
	ada.get("/lists?name=other").wantCount(".listgrid", 0) // otherwise the search is among the lists with another name
	action := page.attr("#saved-search form", "action")
	removed := ada.follow(ada.post(action+"/delete", "back", "/links"))
	page = ada.follow(ada.post(removed.attr(".toast form", "action")))
	if got := page.smartList("Examples"); got != "Examples 1" {
		t.Errorf("after undo: got %q among the lists", got)
	}
	page = ada.follow(ada.post(page.attr("#saved-search form", "action"), "name", "Examples"))
	if got := page.smartList("Examples"); got != "" {
		t.Errorf("no longer among the lists: got %q there", got)
	}
}

func TestSmartListCanBeChangedWhereItIsShown(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addLink(waymark.LinkInput{URL: "https://example.org/", Tags: &[]waymark.Ref{{Name: "go"}}})
	ada.addLink(waymark.LinkInput{URL: "https://example.org/2"})
	page := ada.follow(ada.post("/searches", "name", "Go", "q", "example #go", "in-lists", "1"))
	page.wantCount("form[method=post][action='/searches/1'] [name=q]", 0) // otherwise the page offers to save changes, but there are none
	page = ada.get(page.attr(".chip .close", "href"))
	if got := page.attr("form[method=post][action='/searches/1'] [name=q]", "value"); got != "example" || page.Find("li.link").Length() != 2 {
		t.Fatalf("without the tag: the page offers to save %q and has %d links", got, page.Find("li.link").Length())
	}
	flagged := ada.get("/searches/1?q=is:unread") // with one condition left, it is not the page of all unread links
	flagged.wantCount(".chip", 1)
	flagged.wantCount("form[method=post][action='/searches/1'] [name=q]", 1)
	page = ada.follow(ada.post("/searches/1", "q", page.attr("form[method=post][action='/searches/1'] [name=q]", "value")))
	if got := page.smartList("Go"); got != "Go 2" {
		t.Errorf("changed: got %q among the lists", got)
	}
	page = ada.follow(ada.post(page.attr(".toast form", "action")))
	if got := page.smartList("Go"); got != "Go 1" {
		t.Errorf("after undo: got %q among the lists", got)
	}
	if got := ada.get("/searches/1"); got.text("h1") != "Go 1" {
		t.Errorf("the path of the search leads to %q", got.text("h1"))
	}
}

// Guests see the public links that a public search finds for its owner, and nothing else about it but its name.
func TestPublicSmartListHasAPageForGuests(t *testing.T) {
	eachGuestSite(t, nil, func(t *testing.T, s *testSite) {
		ada, guest := s.user(t, "ada"), s.guest(t)
		c := ada.addCollection()
		private := waymark.Private
		ada.addLink(waymark.LinkInput{
			URL: "https://example.org/concealed", Tags: &[]waymark.Ref{{Name: "secret"}},
			VisibilityInput: waymark.VisibilityInput{Visibility: new(waymark.Public)},
		})
		query := fmt.Sprintf("tag:#%d -#secret is:mine", c.tags[private].ID)
		page := ada.follow(ada.post("/searches", "name", "Shared", "q", query))
		for _, path := range []string{"/guest/searches/1", "/guest/searches/1/feed"} {
			guest.get(path).wantStatus(http.StatusNotFound)
		}
		page = ada.follow(ada.post(page.attr("#saved-search form", "action"), "name", "Shared", "public", "1"))
		if got := page.text(".note-box"); !strings.Contains(got, "Guests see 1 of 3 links here.") {
			t.Errorf("the owner reads %q", got)
		}
		for _, path := range []string{"/guest/searches/1", "/guest/searches/1/feed"} {
			body := guest.get(path).wantStatus(http.StatusOK).body
			if !strings.Contains(body, "ada-public-link") || !strings.Contains(body, "Shared") {
				t.Errorf("%s: the public link or the name is missing: %s", path, body)
			}
			for _, hidden := range []string{"private", "internal", "secret", "concealed"} {
				if strings.Contains(body, hidden) {
					t.Errorf("%s: shows what is %s: %s", path, hidden, body)
				}
			}
		}
		ada.post("/searches/1/delete")
		guest.get("/guest/searches/1").wantStatus(http.StatusNotFound)
	})
}

func TestBundlesOfLinkdingStandAmongTheLists(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.addLink(waymark.LinkInput{URL: "https://example.org/", Tags: &[]waymark.Ref{{Name: "go"}}})
	ada.addLink(waymark.LinkInput{URL: "https://example.org/2"})
	bundle := waymark.Bundle{Owner: ada.user.ID, Name: "Gophers", Search: "example", AnyTags: "go rust", ExcludedTags: "draft", Shared: waymark.FilterOff, Unread: waymark.FilterNo}
	if _, err := s.store.Accounts.CreateBundle(t.Context(), bundle, true); err != nil {
		t.Fatal(err)
	}
	page := ada.get("/links")
	if got := page.smartList("Gophers"); got != "Gophers 1" {
		t.Errorf("got %q among the lists", got)
	}
	if page = ada.get(page.attr(".side a:contains(Gophers)", "href")); page.Find("li.link").Length() != 1 {
		t.Errorf("the bundle leads to %d links: %s", page.Find("li.link").Length(), page.text("main"))
	}
}
