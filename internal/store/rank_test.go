package store_test

import (
	"slices"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// A word in the host of a link comes first, then that in the path of a later one. The last one has it as a part in its
// path, and has a tag of that name: for its owner, whose tag it is, that counts.
func TestOwnTagsCountForTheBestMatch(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		host := storetest.Link(t, s, ada, "https://needle.example/", waymark.Public).ID
		path := storetest.Link(t, s, ada, "https://example.org/haystack-with-needle", waymark.Public, "other").ID
		tagged := storetest.Link(t, s, ada, "https://example.org/needlework", waymark.Public, "Needle").ID
		others := []waymark.LinkID{host, path, tagged}
		for viewer, want := range map[waymark.UserID][]waymark.LinkID{ada.ID: {host, tagged, path}, bob.ID: others, waymark.Guest: others} {
			got := linkIDs(readPage(t, s.SearchLinks(viewer, waymark.LinkFilter{Where: inTexts("NEEDLE")}, waymark.BestMatch, unlimited)).Entities)
			if !slices.Equal(got, want) {
				t.Errorf("user %d: got %v, want %v", viewer, got, want)
			}
		}
	})
}
