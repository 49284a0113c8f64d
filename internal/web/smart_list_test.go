package web

import (
	"net/http"
	"testing"

	"waymark/internal/waymark"
)

func TestSavedSearchStandsAmongTheLists(t *testing.T) {
	eachSite(t, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		ada.addLink(waymark.LinkInput{URL: "https://example.org/"})
		smart := func(p response) string {
			return p.text(`.side .nav:has([href="/lists/create"]) a[href="/links?query=example"]`)
		}
		page := ada.follow(ada.post("/searches", "name", "Examples", "query", "query=example", "in-lists", "1"))
		if got := smart(page); got != "Examples 1" {
			t.Errorf("got %q among the lists, want the search and the number of its links", got)
		}
		action := page.attr("#saved-search form", "action")
		removed := ada.follow(ada.post(action+"/delete", "back", "/links"))
		if got := smart(ada.follow(ada.post(removed.attr(".toast form", "action")))); got != "Examples 1" {
			t.Errorf("after undo: got %q among the lists", got)
		}
		page = ada.get("/links?query=example").wantStatus(http.StatusOK)
		if got := smart(ada.follow(ada.post(page.attr("#saved-search form", "action"), "name", "Examples"))); got != "" {
			t.Errorf("no longer among the lists: got %q there", got)
		}
	})
}
