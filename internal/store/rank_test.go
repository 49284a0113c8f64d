package store_test

import (
	"slices"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestIndexSortsByBestMatch(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		testBestMatch(t, s, func(host, path, tagged waymark.LinkID) (own, others []waymark.LinkID) {
			return []waymark.LinkID{host, tagged, path}, []waymark.LinkID{host, path, tagged}
		})
	})
}

func TestBestMatchWithoutAnIndexIsTheNewestFirst(t *testing.T) {
	storetest.EachWith(t, store.Options{IndexBytes: storetest.NoIndex}, func(t *testing.T, s *store.Store) {
		testBestMatch(t, s, func(host, path, tagged waymark.LinkID) (own, others []waymark.LinkID) {
			newest := []waymark.LinkID{tagged, path, host}
			return newest, newest
		})
	})
}

// testBestMatch searches for a word that is in the host of a link, in the path of a later one, and in the path of
// the last one, as a part, and the name of a tag. want returns the orders for the owner, and for others, whose tag
// it is not.
func testBestMatch(t *testing.T, s *store.Store, want func(host, path, tagged waymark.LinkID) (own, others []waymark.LinkID)) {
	t.Helper()
	ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
	own, others := want(
		storetest.Link(t, s, ada, "https://needle.example/", waymark.Public).ID,
		storetest.Link(t, s, ada, "https://example.org/haystack-with-needle", waymark.Public, "other").ID,
		storetest.Link(t, s, ada, "https://example.org/needlework", waymark.Public, "Needle").ID,
	)
	for viewer, want := range map[waymark.UserID][]waymark.LinkID{ada.ID: own, bob.ID: others, waymark.Guest: others} {
		got := linkIDs(readPage(t, s.SearchLinks(viewer, waymark.LinkFilter{Where: inTexts("NEEDLE")}, waymark.BestMatch, unlimited)).Entities)
		if !slices.Equal(got, want) {
			t.Errorf("user %d: got %v, want %v", viewer, got, want)
		}
	}
}
