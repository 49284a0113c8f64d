package store_test

import (
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// searchIDs returns the ids of the links that a search finds, sorted, and checks the
// total.
func searchIDs(t testing.TB, s *store.Store, viewer waymark.User, filter waymark.LinkFilter) []waymark.LinkID {
	t.Helper()
	got := readPage(t, s.SearchLinks(viewer.ID, filter, byID, unlimited))
	if got.Total != len(got.Entities) {
		t.Errorf("search %+v: got total %d and %d links", filter, got.Total, len(got.Entities))
	}
	return linkIDs(got.Entities)
}

// linkIDs returns the ids of links, in order.
func linkIDs(links []waymark.Link) []waymark.LinkID {
	return idsWhere(links, func(waymark.Link) bool { return true })
}

// idsWhere returns the ids of the links that satisfy a condition.
func idsWhere(links []waymark.Link, condition func(waymark.Link) bool) []waymark.LinkID {
	ids := []waymark.LinkID{}
	for _, link := range links {
		if condition(link) {
			ids = append(ids, link.ID)
		}
	}
	return ids
}

// matchesText reports whether a search for the text must find the link: one of the
// folded texts contains it.
func matchesText(link waymark.Link, c waymark.Contains) bool {
	text := waymark.Plain(c.Text)
	return c.In&waymark.InURL != 0 && strings.Contains(waymark.Plain(link.URL), text) ||
		c.In&waymark.InTitle != 0 && strings.Contains(waymark.Plain(link.Title), text) ||
		c.In&waymark.InDescription != 0 && strings.Contains(waymark.Plain(link.Description), text)
}
