package store_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// unlogged runs a statement whose changes the log does not have.
func unlogged(t *testing.T, s *store.Store, text string) {
	t.Helper()
	check(t, s.Change(t.Context(), func(_ context.Context, exec func(text string, args ...any) error) error {
		for _, text := range []string{"CREATE TEMPORARY TABLE before AS SELECT * FROM changes", text, "DELETE FROM changes", "INSERT INTO changes SELECT * FROM before", "DROP TABLE before"} {
			if err := exec(text); err != nil {
				return err
			}
		}
		return nil
	}))
}

func TestVerifyFindsWhatTheSearchIndexLacks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		user := storetest.User(t, s, "ada")
		storetest.Fill(t, s, user, 40)
		storetest.Link(t, s, user, "https://needle.example/", waymark.Private, "red")
		verify := func(want ...string) {
			t.Helper()
			last, got, err := s.VerifySearchIndex(t.Context(), 0)
			if last != 0 || err != nil || !slices.Equal(got, want) {
				t.Errorf("got %q, last link %d, error %v, want %q", got, last, err, want)
			}
			check(t, s.RefreshSearchIndex(t.Context()))
		}
		verify()
		for _, test := range []struct{ change, want string }{
			{"UPDATE links SET title = 'other' WHERE id = 3", "link 3"},
			{"UPDATE links SET status = 3 WHERE id = 4", "link 4"},
			{"UPDATE links SET check_result = 3 WHERE id = 7", "link 7"},
			{"UPDATE links SET visibility = 1 WHERE id = 5", "link 5"},
			{"DELETE FROM link_tags WHERE link_id = 41", "link 41"},
			{"DELETE FROM links WHERE id = 6", "41 links instead of 40"},
			{"UPDATE tags SET visibility = 1 WHERE name = 'red'", "the visibility of lists and tags"},
		} {
			unlogged(t, s, test.change)
			verify(test.want)
			verify()
		}
		wantTotal(t, s, user.ID, "needle", 1)
	})
}

func TestSearchIndexBuiltDuringWritesIsExact(t *testing.T) {
	storetest.EachDatabase(t, func(t *testing.T, o store.Options) {
		s := storetest.OpenWith(t, o)
		ada := storetest.User(t, s, "ada")
		links := storetest.Fill(t, s, ada, 5000) // three batches
		for _, deleted := range []waymark.Link{links[0], links[1999], links[2000], links[4999]} {
			moveToTrash(t, s, ada, waymark.Links, deleted.ID)
		}
		ctx, stop := context.WithCancel(t.Context())
		var writing sync.WaitGroup
		defer writing.Wait()
		defer stop()
		writing.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				storetest.CreateLinks(t, s, ada, storetest.Draft(10_000+i))
				moveToTrash(t, s, ada, waymark.Links, links[1+i%1000].ID)
				moveToTrash(t, s, ada, waymark.Links, links[3000+i%1000].ID)
			}
		})
		for range 2 {
			other := storetest.OpenWith(t, o) // builds an index of its own
			for last, first := int64(0), true; last > 0 || first; first = false {
				next, differences, err := other.VerifySearchIndex(t.Context(), last)
				check(t, err)
				if len(differences) > 0 {
					t.Fatalf("after link %d: got differences %q, want none", last, differences)
				}
				last = next
			}
		}
	})
}

// TestSearchIndexHasLinksOfAnyID has texts that look like the encoding in which the index reads
// links, and ids far from each other.
func TestSearchIndexHasLinksOfAnyID(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		user := storetest.User(t, s, "ada")
		storetest.Fill(t, s, user, 3)
		const text = ":7:Größe 日本:"
		for _, change := range []string{
			"DELETE FROM link_lists",
			"DELETE FROM link_tags",
			"UPDATE links SET id = 9223372036854775807, title = '" + text + "', description = '' WHERE id = 3",
			"UPDATE links SET id = 5000000, title = '', description = '" + text + "' WHERE id = 2",
		} {
			unlogged(t, s, change)
		}
		for range 2 { // the index of before, and the new index
			var all []string
			var last int64
			for {
				next, found, err := s.VerifySearchIndex(t.Context(), last)
				check(t, err)
				all = append(all, found...)
				if last = next; last == 0 {
					break
				}
			}
			check(t, s.RefreshSearchIndex(t.Context()))
			if len(all) == 0 {
				wantTotal(t, s, user.ID, "größe 日本", 2)
				return
			}
		}
		t.Error("the new index differs from the database")
	})
}
