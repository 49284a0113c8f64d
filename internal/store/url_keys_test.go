package store_test

import (
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestLinksOfOnePageAreFound(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, ben := storetest.User(t, s, "ada"), storetest.User(t, s, "ben")
		storetest.Link(t, s, ben, "https://example.org/", waymark.Public)
		first := storetest.Link(t, s, ada, "http://www.example.org", waymark.Private)
		second := storetest.Link(t, s, ada, "https://example.org/?utm_source=x", waymark.Private)
		other := storetest.Link(t, s, ada, "https://other.example/", waymark.Private)
		want := func(what, want string) {
			t.Helper()
			found, err := s.SimilarURLs(t.Context(), ada.ID, "https://example.org/#top")
			check(t, err)
			var got []string
			for _, link := range found {
				got = append(got, link.URL)
			}
			if got := strings.Join(got, ", "); got != want {
				t.Errorf("%s: got %q, want %q", what, got, want)
			}
		}
		want("both", first.URL+", "+second.URL)
		edit(t, s, ada, first.ID, func(link *waymark.Link) { link.URL = "https://moved.example/" })
		want("one has moved", second.URL)
		edit(t, s, ada, other.ID, func(link *waymark.Link) { link.URL = "http://example.org/" })
		want("another one has moved here", second.URL+", http://example.org/")
	})
}
