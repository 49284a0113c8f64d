package bench

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// BenchmarkScopes measures the cost of the third scope of visibility, without HTTP. It
// reads page 1 and searches in two collections with the same links: in one, a
// signed-in user sees public, internal and private links, which are three scopes; in
// the other the internal links are public, which makes two scopes. A guest sees the
// public links alone, of the first collection.
//
// The ratio of three to two is the rate with three scopes relative to the rate with
// two: 0.9 means that three scopes are 11 % slower.
func BenchmarkScopes(b *testing.B) {
	stopServers()
	for _, links := range sizes(b) {
		b.Run("links="+strconv.Itoa(links), func(b *testing.B) {
			plan := NewPlan(links)
			three, user := openStore(b, plan)
			plan.NoInternal = true
			two, _ := openStore(b, plan)
			for _, query := range []struct {
				name string
				text string // "" for page 1
			}{{"page-1", ""}, {"search-common", "example"}, {"search-rare", "/1234"}, {"search-two-letters", "or"}} {
				read := func(b *testing.B, s *store.Store, viewer waymark.UserID) func(int) {
					list := func(ctx context.Context) store.Listing[waymark.Link] {
						order := waymark.Order{By: waymark.SortByCreatedAt, Desc: true}
						pagination := waymark.Pagination{Limit: 24}
						if query.text == "" {
							return s.Links(viewer, order, pagination)
						}
						filter := waymark.LinkFilter{Where: waymark.Contains{Text: query.text, In: waymark.InTexts}}
						return s.SearchLinks(viewer, filter, order, pagination)
					}
					return func(int) {
						if _, err := list(b.Context()).Page(b.Context()); err != nil {
							b.Fatal(err)
						}
					}
				}
				prefix := "query=" + query.name + "/viewer="
				b.Run(prefix+"signed-in/scopes=3", func(b *testing.B) { measure(b, read(b, three, user)) })
				b.Run(prefix+"signed-in/scopes=2", func(b *testing.B) { measure(b, read(b, two, user)) })
				b.Run(prefix+"signed-in/scopes=3-to-2", func(b *testing.B) {
					withThree, withTwo := read(b, three, user), read(b, two, user)
					measureRatio(b, 1, 5, func(int, int64) { withThree(0) }, func(int, int64) { withTwo(0) })
				})
				b.Run(prefix+"guest", func(b *testing.B) { measure(b, read(b, three, waymark.Guest)) })
			}
		})
	}
}

// openStore opens a copy of the collection that the plan generates, until the
// benchmark ends. It returns the first user too.
func openStore(b *testing.B, plan Plan) (*store.Store, waymark.UserID) {
	b.Helper()
	c := prepare(b, plan)
	s, err := store.Open(b.Context(), c.options)
	if err != nil {
		b.Fatal(err)
	}
	if err := s.RefreshSearchIndex(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(s.Close(), c.drop()); err != nil {
			b.Error(err)
		}
	})
	return s, c.user
}
