package web

import (
	"strings"
	"testing"

	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// saveSnapshot stores a snapshot of the page of a link.
func saveSnapshot(t *testing.T, s *testSite, link waymark.Link, html string) {
	t.Helper()
	page := queue.ClaimedPage{Link: link.ID, Owner: link.Owner, URL: link.URL}
	check(t, s.store.Snapshots.SaveText(t.Context(), page, waymark.TextSnapshot{FetchedAt: 1, URL: link.URL}, html, 1<<30))
	check(t, s.store.RefreshSearchIndex(t.Context()))
}

func TestSearchInSnapshotsIsAChoiceAndShowsExcerpts(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada, bob := s.user(t, "ada"), s.user(t, "bob")
		link := ada.addLink(waymark.LinkInput{URL: "https://example.org/haystack"})
		other := ada.addLink(waymark.LinkInput{URL: "https://example.org/needlework"})
		const offer = `a[href*="snapshot"]`
		ada.get("/links?q=needle").wantCount(offer, 0) // otherwise without snapshots, pages offer to search them
		saveSnapshot(t, s, link, "<p>Some hay.</p><p>A &lt;needle&gt; in it.</p>")
		saveSnapshot(t, s, other, "<p>Some needles.</p>")
		p := ada.get("/links?q=hay+needle")
		p.wantCount(".empty", 1)
		p.wantCount(offer, 2)
		p = ada.get(p.attr(offer, "href"))
		p.wantCount("li.link", 1)
		p.wantText("li.link .desc", "In the text of the page: A <needle> in it.")
		p.wantText("li.link .desc mark", "needle")
		p.wantText(".chip", "Also in page texts")
		p.wantCount(offer+`.btn:not([href*="text=1"])`, 0)
		if p = ada.get(p.attr(".chip a", "href")); p.Find(".empty").Length() != 1 {
			t.Error("the chip cannot be removed")
		}
		p = ada.get("/links?q=needle+in:snapshot")
		p.wantCount("li.link", 2)
		p.wantCount("li.link .desc .visually-hidden", 1)
		if p = ada.get("/links?q=in:snapshot"); p.Find("li.link").Length() != 2 {
			t.Error("in:snapshot without a word is a condition")
		}
		if p = bob.get("/links?q=needle+in:snapshot"); p.Find("li.link").Length() != 0 {
			t.Error("another user finds private links")
		}
		if p = ada.get("/links?q=needle+in:snapshot&view=cards"); p.Find("li.card").Length() != 2 {
			t.Error("cards differ from rows")
		}
	})
}

func TestSavedSearchesHoldTheChoiceToSearchSnapshots(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	link := ada.addLink(waymark.LinkInput{URL: "https://example.org/"})
	saveSnapshot(t, s, link, "<p>needle</p>")
	name, query := "Needles", "needle in:snapshot"
	if _, err := s.service.AddSavedSearch(t.Context(), ada.user, waymark.SavedSearchInput{Name: &name, Query: &query}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/links", "/links"} {
		p := ada.get(path)
		entry := p.Find(`.nav a[href="/searches/1"]`)
		if got := strings.TrimSpace(entry.Find(".n").Text()); got != "1" {
			t.Errorf("the sidebar counts %q links, want 1", got)
		}
	}
	saveSnapshot(t, s, link, "<p>hay</p>")
	if got := strings.TrimSpace(ada.get("/links").Find(`.nav a[href="/searches/1"] .n`).Text()); got != "0" {
		t.Errorf("after another snapshot the sidebar counts %q links, want 0", got)
	}
}
