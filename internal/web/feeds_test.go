package web

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"waymark/internal/waymark"
)

// parseFeed returns the feed in a response. It fails if the feed lacks what RFC 4287
// requires.
func parseFeed(t *testing.T, p response) atomFeed {
	t.Helper()
	p.wantStatus(http.StatusOK)
	if got := p.header.Get("Content-Type"); got != atomType {
		t.Errorf("got Content-Type %q, want %q", got, atomType)
	}
	decoder := xml.NewDecoder(strings.NewReader(p.body))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, p.body)
		}
	}
	var feed atomFeed
	if err := xml.Unmarshal([]byte(p.body), &feed); err != nil {
		t.Fatalf("%v in %s", err, p.body)
	}
	wantIRI(t, "id", feed.ID)
	wantTime(t, feed.Updated)
	wantIRI(t, "icon", feed.Icon)
	var rels []string
	for _, link := range feed.Links {
		rels = append(rels, link.Rel)
		wantIRI(t, "link "+link.Rel, link.Href)
	}
	if !slices.Equal(rels, []string{"self", "alternate"}) || feed.Title == "" || feed.XMLName.Space != "http://www.w3.org/2005/Atom" {
		t.Errorf("got links %q, title %q, namespace %q", rels, feed.Title, feed.XMLName.Space)
	}
	ids := map[string]bool{}
	for _, e := range feed.Entries {
		wantIRI(t, "id", e.ID)
		wantIRI(t, "link", e.Link.Href)
		wantTime(t, e.Updated)
		wantTime(t, e.Published)
		if e.Title == "" || e.Author == "" || e.Link.Rel != "alternate" || ids[e.ID] || e.Updated > feed.Updated {
			t.Errorf("invalid entry %+v", e)
		}
		ids[e.ID] = true
	}
	return feed
}

func wantIRI(t *testing.T, what, iri string) {
	t.Helper()
	if u, err := url.Parse(iri); err != nil || !u.IsAbs() {
		t.Errorf("%s: got %q, want an absolute URL (%v)", what, iri, err)
	}
}

func wantTime(t *testing.T, text string) {
	t.Helper()
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		t.Error(err)
	}
}

// feedPaths are the paths of all feeds that show what is private in c.
func feedPaths(c collection) []string {
	list, tag := c.lists[waymark.Private].ID, c.tags[waymark.Private].ID
	return []string{
		"/links/feed", "/links/feed?q=example", "/lists/feed", "/tags/feed",
		fmt.Sprintf("/lists/%d/feed", list), fmt.Sprintf("/tags/%d/feed", tag),
	}
}

// withToken returns the path of a feed with a token.
func withToken(path, token string) string {
	if strings.Contains(path, "?") {
		return path + "&token=" + url.QueryEscape(token)
	}
	return path + "?token=" + url.QueryEscape(token)
}

func TestFeedsNeedASessionOrTheToken(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, ben := s.user(t, "ada"), s.user(t, "ben")
		c := ada.addCollection()
		for name, b := range map[string]*browser{"adas-token": ada, "bens-token": ben} {
			check(t, s.store.Accounts.SetFeedToken(t.Context(), b.user.ID, name))
		}
		guest := s.guest(t)
		for _, path := range feedPaths(c) {
			own := parseFeed(t, ada.get(path))
			byToken := parseFeed(t, guest.get(withToken(path, "adas-token")))
			if len(own.Entries) != 1 && len(own.Entries) != 3 || len(byToken.Entries) != len(own.Entries) || byToken.ID != own.ID {
				t.Errorf("%s: got %d entries of %s with the session, %d of %s with the token", path, len(own.Entries), own.ID, len(byToken.Entries), byToken.ID)
			}
			if strings.Contains(byToken.ID, "token") || !strings.Contains(byToken.Links[0].Href, "token=adas-token") {
				t.Errorf("%s: got id %s, self %s, want the token in the second only", path, byToken.ID, byToken.Links[0].Href)
			}
			if p := guest.get(path); p.status != http.StatusSeeOther || !strings.HasPrefix(p.location, "/signin") {
				t.Errorf("%s without a token: got %d %s, want the sign-in page", path, p.status, p.location)
			}
			for _, wrong := range []string{"x", "adas-toke", "\x00", "\xff"} {
				guest.get(withToken(path, wrong)).wantStatus(http.StatusNotFound)
			}
			// The token counts more than the session: a URL means the same to all.
			if p := ada.get(withToken(path, "bens-token")); strings.Contains(p.body, "-private") {
				t.Errorf("%s: the token of ben shows %s", path, p.body)
			}
			p := guest.get(withToken(path, "adas-token"))
			if got := p.header.Get("Cache-Control"); got != "private, no-cache" {
				t.Errorf("%s: got Cache-Control %q, want private", path, got)
			}
		}
		for _, path := range []string{"/links?token=adas-token", "/guest/links?token=adas-token", "/?token=adas-token"} {
			if p := guest.get(path); p.status != http.StatusSeeOther || !strings.HasPrefix(p.location, "/signin") {
				t.Errorf("%s: got %d %s, want the sign-in page: the token is for feeds", path, p.status, p.location)
			}
		}
		check(t, s.accounts.SetUserDisabled(t.Context(), "ada", true))
		for _, path := range feedPaths(c) {
			guest.get(withToken(path, "adas-token")).wantStatus(http.StatusNotFound)
		}
	})
}

func TestFeedEntriesDescribeLinks(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	title, description := "Go & <friends>", "A language.\nIts site."
	link := ada.addLink(waymark.LinkInput{
		URL: "https://go.dev/?a=1&b=2", Title: &title, Description: &description,
		Tags: &[]waymark.Ref{{Name: "go"}, {Name: "to \"read\""}},
	})
	feed := parseFeed(t, ada.get("/links/feed"))
	if len(feed.Entries) != 1 {
		t.Fatalf("got %d entries, want 1", len(feed.Entries))
	}
	e := feed.Entries[0]
	want := atomEntry{
		ID: e.ID, Title: title, Link: atomLink{Rel: "alternate", Href: link.URL}, Author: "ada", Summary: description,
		Published: link.CreatedAt.Time().Format(time.RFC3339), Updated: link.UpdatedAt.Time().Format(time.RFC3339),
		Categories: []atomCategory{{"go"}, {"to \"read\""}},
	}
	if fmt.Sprintf("%+v", e) != fmt.Sprintf("%+v", want) {
		t.Errorf("got %+v, want %+v", e, want)
	}
	if !strings.HasPrefix(e.ID, "urn:uuid:") || len(e.ID) != len("urn:uuid:")+36 {
		t.Errorf("got id %s, want a UUID", e.ID)
	}
	// The id does not change when the link does, nor with the URL of the server.
	title = "Another"
	if _, err := s.service.EditLink(t.Context(), ada.user, link.ID, waymark.LinkInput{URL: "https://go.dev/", Title: &title}); err != nil {
		t.Fatal(err)
	}
	moved := parseFeed(t, ada.get("/links/feed", "Host", "other.example"))
	if moved.Entries[0].ID != e.ID || moved.Entries[0].Title != "Another" {
		t.Errorf("got %+v after the edit, want id %s", moved.Entries[0], e.ID)
	}
}

func TestFeedsAreValidWithHostileTexts(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		hostile := "]]>\x01\x0b\x1f\u202e\ufffe</title><script>&amp;\U0001f600"
		for _, link := range []string{"https://example.org/?\"><a>'", "javascript:alert(1)", "file:///etc/passwd", "about:blank"} {
			if _, err := s.service.AddLink(t.Context(), ada.user, waymark.LinkInput{
				URL: link, Title: &hostile, Description: &hostile, Tags: &[]waymark.Ref{{Name: "<&\">"}}, Lists: &[]waymark.Ref{{Name: "]]><x>"}},
			}); err != nil {
				t.Logf("%s is refused: %v", link, err)
			}
		}
		for _, path := range []string{"/links/feed", "/lists/feed", "/tags/feed", "/links/feed?q=" + url.QueryEscape("\x01<&\"]]>"), "/lists/1/feed", "/tags/1/feed"} {
			feed := parseFeed(t, ada.get(path))
			for _, e := range feed.Entries {
				if !strings.HasPrefix(e.Link.Href, "http") {
					t.Errorf("%s: an entry links to %s", path, e.Link.Href)
				}
			}
		}
	})
}

func TestFeedsAreBounded(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	long := strings.Repeat("ä", 20000)
	for i := range maxFeedEntries + 5 {
		ada.addLink(waymark.LinkInput{URL: fmt.Sprint("https://example.org/", i), Description: &long})
	}
	feed := parseFeed(t, ada.get("/links/feed"))
	if len(feed.Entries) != maxFeedEntries {
		t.Errorf("got %d entries, want %d", len(feed.Entries), maxFeedEntries)
	}
	if want := "https://example.org/54"; feed.Entries[0].Link.Href != want {
		t.Errorf("the first entry is %s, want %s", feed.Entries[0].Link.Href, want)
	}
	if n := len([]rune(feed.Entries[0].Summary)); n != maxFeedSummary+1 {
		t.Errorf("the summary has %d characters, want %d and an ellipsis", n, maxFeedSummary)
	}
}

func TestFeedsHaveTheLinksOfTheirQuery(t *testing.T) {
	eachGuestSite(t, nil, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		public := waymark.Public
		for _, link := range []struct{ title, tag, list string }{{"Go tour", "go", "Reading"}, {"Go blog", "go", ""}, {"Rust book", "rust", "Reading"}} {
			in := waymark.LinkInput{URL: "https://example.org/" + url.PathEscape(link.title), Title: &link.title, Tags: &[]waymark.Ref{{Name: link.tag}}, VisibilityInput: waymark.VisibilityInput{Visibility: &public}}
			if link.list != "" {
				in.Lists = &[]waymark.Ref{{Name: link.list}}
			}
			ada.addLink(in)
		}
		lists, err := s.store.Lists(ada.user.ID, waymark.Order{}, waymark.Pagination{}).Page(t.Context())
		check(t, err)
		list := fmt.Sprint(lists.Entities[0].ID)
		for query, want := range map[string]string{
			"q=%23go":                "Go blog, Go tour",
			"q=%23go+-tour":          "Go blog",
			"q=list:reading+rust":    "Rust book",
			"q=list:%23" + list:      "Rust book, Go tour",
			"q=is:unfiled":           "Go blog",
			"order=title&view=cards": "Rust book, Go blog, Go tour",
			"q=by:ada+book":          "Rust book",
		} {
			feed := parseFeed(t, ada.get("/links/feed?"+query))
			var titles []string
			for _, e := range feed.Entries {
				titles = append(titles, e.Title)
			}
			if got := strings.Join(titles, ", "); got != want {
				t.Errorf("%s: got %q, want %q", query, got, want)
			}
			if page := ada.get(strings.TrimPrefix(feed.Links[1].Href, s.URL)); page.Find(".link").Length() != len(titles) {
				t.Errorf("%s: the page %s has %d links, want %d", query, feed.Links[1].Href, page.Find(".link").Length(), len(titles))
			}
		}
		ada.get("/links/feed?q=list:%23999").wantStatus(http.StatusNotFound)
		guest := s.guest(t)
		guest.get("/guest/search?q=go+-tour").wantText(".title", "Go blog")
	})
}
