package web

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"waymark/internal/epub"
	"waymark/internal/waymark"
)

// parseCatalog returns a feed of the catalogue. It fails if it lacks what OPDS requires.
func parseCatalog(t *testing.T, p response) atomFeed {
	t.Helper()
	p.wantStatus(http.StatusOK)
	var f atomFeed
	check(t, xml.Unmarshal([]byte(p.body), &f))
	wantTime(t, f.Updated)
	if f.ID == "" || f.Title == "" || f.Links[0].Type != p.header.Get("Content-Type") {
		t.Errorf("got id %q, title %q, self %+v, Content-Type %q", f.ID, f.Title, f.Links[0], p.header.Get("Content-Type"))
	}
	for _, e := range f.Entries {
		wantTime(t, e.Updated)
		if e.ID == "" || e.Title == "" || e.Link.Href == "" || e.Author == "" && strings.HasSuffix(e.Link.Rel, "acquisition") {
			t.Errorf("invalid entry %+v", e)
		}
	}
	return f
}

// follow returns the path of a link of a feed.
func follow(t *testing.T, s *testSite, f atomFeed, title string) string {
	t.Helper()
	for _, e := range f.Entries {
		if e.Title == title {
			return strings.TrimPrefix(e.Link.Href, s.URL)
		}
	}
	t.Fatalf("no entry %q in %+v", title, f.Entries)
	return ""
}

// TestAnEReaderFindsBooks sends the requests of KOReader: HEAD first, then GET with any Accept, without a session.
func TestAnEReaderFindsBooks(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, ben, reader := s.user(t, "ada"), s.user(t, "ben"), s.guest(t)
		check(t, s.store.Accounts.SetFeedToken(t.Context(), ada.user.ID, "adas-token"))
		check(t, s.store.Accounts.SetFeedToken(t.Context(), ben.user.ID, "bens-token"))
		ids := addNested(ada, "Cooking", "Bread")
		list, inner := ids[0], ids[1]
		link := ada.addLink(waymark.LinkInput{URL: "https://example.org/loaf", Title: new("Loaf"), Lists: &[]waymark.Ref{{ID: int64(inner)}}, FlagsInput: waymark.FlagsInput{Unread: new(true)}})
		ada.addLink(waymark.LinkInput{URL: "https://example.org/no-text", Lists: &[]waymark.Ref{{ID: int64(inner)}}, FlagsInput: waymark.FlagsInput{Unread: new(true)}})
		saveTextSnapshot(t, s, link)

		reader.do("HEAD", "/opds/adas-token", "", "Accept", "application/opds+json").wantStatus(http.StatusOK)
		root := parseCatalog(t, reader.get("/opds/adas-token", "Accept", "application/opds+json"))
		lists := parseCatalog(t, reader.get(follow(t, s, root, "Lists")))
		cooking := parseCatalog(t, reader.get(follow(t, s, lists, "Cooking")))
		bread := parseCatalog(t, reader.get(follow(t, s, cooking, "Bread")))
		for name, f := range map[string]atomFeed{
			"list": bread, "unread": parseCatalog(t, reader.get(follow(t, s, root, "Unread"))), "search": parseCatalog(t, reader.get("/opds/adas-token/search?q=loaf")),
		} {
			path := follow(t, s, f, "Loaf")
			if len(f.Entries) != 1 {
				t.Errorf("%s: got %d entries, want only the link with a text", name, len(f.Entries))
			}
			reader.do("HEAD", path, "").wantStatus(http.StatusOK)
			book := reader.get(path).wantStatus(http.StatusOK)
			if got := book.header.Get("Content-Type") + " " + book.header.Get("Content-Disposition"); got != epub.MediaType+` attachment; filename="Loaf.epub"` || !strings.HasPrefix(book.body, "PK") {
				t.Errorf("%s: got %s", name, got)
			}
			if own := ada.get(linkPath(link.ID) + "/snapshot.epub"); own.body != book.body {
				t.Errorf("%s: the page has another book", name)
			}
		}
		description := reader.get("/opds/adas-token/search.xml").wantStatus(http.StatusOK)
		if !strings.Contains(description.body, "/opds/adas-token/search?q={searchTerms}") {
			t.Errorf("got %s", description.body)
		}
		if got := parseCatalog(t, reader.get("/opds/adas-token/favorites")).Entries; len(got) != 0 {
			t.Errorf("got favourites %+v", got)
		}
		// An error shows nothing that a signed-in person sees beside a page.
		for _, path := range []string{"/opds/adas-token/lists/999", "/opds/adas-token/links/999/snapshot.epub", "/lists/999/feed?token=adas-token"} {
			reader.get(path).wantStatus(http.StatusNotFound).wantCount(".side, [action='/signout']", 0)
		}
		for _, path := range []string{
			"/opds/adas-toke", "/opds/x/", "/opds/%00/unread", "/opds/bens-token/lists/" + fmt.Sprint(list), "/opds/bens-token" + linkPath(link.ID) + "/snapshot.epub", "/opds/adas-token/nowhere",
		} {
			reader.get(path).wantStatus(http.StatusNotFound)
		}
		ada.post(linkPath(link.ID)+"/mark/archive", "back", "/links")
		for _, path := range []string{"/opds/adas-token/unread", "/opds/adas-token/lists/" + fmt.Sprint(inner)} {
			if got := parseCatalog(t, reader.get(path)).Entries; len(got) != 0 {
				t.Errorf("%s: got %+v, want no archived link", path, got)
			}
		}
		reader.get("/opds/adas-token" + linkPath(link.ID) + "/snapshot.epub").wantStatus(http.StatusOK)
		check(t, s.accounts.SetUserDisabled(t.Context(), "ada", true))
		reader.get("/opds/adas-token").wantStatus(http.StatusNotFound)
	})
}

func TestCatalogHasPages(t *testing.T) {
	s := newSite(t)
	ada, reader := s.user(t, "ada"), s.guest(t)
	check(t, s.store.Accounts.SetFeedToken(t.Context(), ada.user.ID, "token"))
	for _, link := range ada.addLinks(booksPerPage + 1) {
		saveTextSnapshot(t, s, link)
	}
	path, seen := "/opds/token/search?q=example&x=1", 0
	for range 2 {
		f := parseCatalog(t, reader.get(path))
		seen += len(f.Entries)
		path = ""
		if i := slices.IndexFunc(f.Links, func(l atomLink) bool { return l.Rel == "next" }); i >= 0 {
			path = strings.TrimPrefix(f.Links[i].Href, s.URL)
		}
		if path == "" {
			break
		}
	}
	if seen != booksPerPage+1 || path != "" {
		t.Errorf("got %d books and then %q, want %d on two pages", seen, path, booksPerPage+1)
	}
}

func TestBooksOfListsTagsAndSearches(t *testing.T) {
	s := newSite(t)
	ada, ben, guest := s.user(t, "ada"), s.user(t, "ben"), s.guest(t)
	list := addNested(ada, "Reading")[0]
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/", Lists: &[]waymark.Ref{{ID: int64(list)}}, Tags: &[]waymark.Ref{{Name: "go"}}})
	paths := []string{listPath(list) + "/book.epub", "/tags/1/book.epub", "/search/book.epub?q=example"}
	for _, path := range append(paths, linkPath(link.ID)+"/snapshot.epub") {
		ada.get(path).wantStatus(http.StatusNotFound)
	}
	saveTextSnapshot(t, s, link)
	for _, path := range paths {
		if p := ada.get(path).wantStatus(http.StatusOK); p.header.Get("Content-Type") != epub.MediaType {
			t.Errorf("%s: got %s", path, p.header.Get("Content-Type"))
		}
		ben.get(path).wantStatus(http.StatusNotFound)
		guest.get(path).wantStatus(http.StatusSeeOther)
	}
	ada.get(listPath(list)).wantAttr(`#label-menu [href$="/book.epub"]`, "href", paths[0])
	ada.get("/links?q=example").wantAttr(`#view [href*="/book.epub"]`, "href", paths[2])
}
