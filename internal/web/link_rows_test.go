package web

import (
	"net/http"
	"testing"

	"waymark/internal/waymark"
)

func TestLinksOfOtherUsersHaveTheirNames(t *testing.T) {
	s := newSite(t)
	ada, eve := s.user(t, "ada"), s.user(t, "eve+co")
	visibility := waymark.Internal
	internal := waymark.VisibilityInput{Visibility: &visibility}
	eve.addLink(waymark.LinkInput{URL: "https://example.org/eve", VisibilityInput: internal})
	ada.addLink(waymark.LinkInput{URL: "https://example.org/ada", VisibilityInput: internal})
	for _, view := range []string{"", "compact", "cards"} {
		p := ada.get("/links?view=" + view).wantStatus(http.StatusOK)
		p.wantText(".filed", "eve+co")
		ada.get(p.attr(".filed a", "href")).wantStatus(http.StatusOK).wantCount(".listing h3", 1)
	}
}

func TestRowsShowTheFirstListsAndTags(t *testing.T) {
	for _, test := range []struct{ lists, tags, names, wantLists, wantTags, wantMore int }{
		{0, 0, 4, 0, 0, 0},
		{2, 2, 4, 2, 2, 0},
		{2, 3, 4, 2, 3, 0},
		{5, 0, 4, 5, 0, 0},
		{8, 0, 4, 4, 0, 4},
		{1, 8, 4, 1, 3, 5},
		{8, 1, 4, 3, 1, 5},
		{8, 8, 4, 2, 2, 12},
		{8, 8, 3, 2, 1, 13},
	} {
		l := linkView{Lists: make([]nameView, test.lists), Tags: make([]nameView, test.tags)}.first(test.names)
		if len(l.Lists) != test.wantLists || len(l.Tags) != test.wantTags || l.More != test.wantMore {
			t.Errorf("%d lists, %d tags, %d names: got %d lists, %d tags and %d more, want %d, %d and %d",
				test.lists, test.tags, test.names, len(l.Lists), len(l.Tags), l.More, test.wantLists, test.wantTags, test.wantMore)
		}
	}
}

func TestCardsOfRepositoriesHaveTheirNames(t *testing.T) {
	for url, want := range map[string]string{
		"https://github.com/ada/engine#readme":        "ada/engine",
		"https://www.codeberg.org/ada/engine/issues/": "ada/engine",
		"https://github.com/ada":                      "host",
		"https://example.org/ada/engine":              "host",
		"https://github.com.example.org/ada/engine":   "host",
	} {
		if got := cover(url, "host"); got != want {
			t.Errorf("%s: got %s, want %s", url, got, want)
		}
	}
}
