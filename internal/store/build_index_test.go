package store_test

import (
	"context"
	"fmt"
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

// wantSame fails the test unless two stores find the same links.
func wantSame(t *testing.T, s, other *store.Store, user waymark.User) {
	t.Helper()
	for _, filter := range []waymark.LinkFilter{{}, where(inURL("example")), where(waymark.IsUntagged), where(labeled(waymark.Tags, []waymark.Ref{{ID: 1}}))} {
		got, err := s.MatchingLinks(t.Context(), user.ID, filter)
		check(t, err)
		want, err := other.MatchingLinks(t.Context(), user.ID, filter)
		check(t, err)
		wantEqual(t, fmt.Sprintf("links of %+v", filter), got, want)
	}
}

func TestSearchIndexBuiltDuringWritesIsExact(t *testing.T) {
	if testing.Short() {
		t.Skip("it saves 5,000 links")
	}
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
		other := storetest.OpenWith(t, o) // builds an index of its own
		stop()
		writing.Wait()
		wantSame(t, other, storetest.OpenWith(t, o), ada)
	})
}

// TestSearchIndexHasLinksOfAnyID has texts that look like the encoding in which the index reads
// links, and ids far from each other.
func TestSearchIndexHasLinksOfAnyID(t *testing.T) {
	storetest.EachDatabase(t, func(t *testing.T, o store.Options) {
		s := storetest.OpenWith(t, o)
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
		built := storetest.OpenWith(t, o) // builds an index of its own
		got, err := built.MatchingLinks(t.Context(), user.ID, waymark.LinkFilter{})
		check(t, err)
		wantEqual(t, "links", got, []int64{1, 5000000, 9223372036854775807})
		wantTotal(t, built, user.ID, "größe 日本", 2)
	})
}
