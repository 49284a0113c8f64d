package store_test

import (
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestUnarchivedLinksAreListedWithAndWithoutAnIndex(t *testing.T) {
	for name, options := range map[string]store.Options{"index": {}, "SQL": {IndexBytes: storetest.NoIndex}} {
		t.Run(name, func(t *testing.T) {
			storetest.EachWith(t, options, func(t *testing.T, s *store.Store) {
				ada, ben := storetest.User(t, s, "ada"), storetest.User(t, s, "ben")
				a := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
				storetest.Link(t, s, ada, "https://b.example/", waymark.Private)
				want := func(what string, viewer waymark.UserID, n int) {
					t.Helper()
					p, err := s.UnarchivedLinks(viewer, waymark.Order{By: waymark.SortByCreatedAt, Desc: true}, waymark.Pagination{Limit: 10}).Page(t.Context())
					check(t, err)
					if p.Total != n || len(p.Entities) != n {
						t.Errorf("%s: got %d of %d links, want %d", what, len(p.Entities), p.Total, n)
					}
				}
				want("none archived", ada.ID, 2)
				edit(t, s, ada, a.ID, func(l *waymark.Link) { l.Archived = true })
				want("one archived", ada.ID, 1)
				want("another user", ben.ID, 0)
				want("a guest", waymark.Guest, 0)
				edit(t, s, ada, a.ID, func(l *waymark.Link) { l.Archived = false })
				want("taken out again", ben.ID, 1)
			})
		})
	}
}
