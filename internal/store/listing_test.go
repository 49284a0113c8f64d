package store_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestStreamLeavesOutLinksThatWereDeletedMeanwhile(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		links := storetest.Fill(t, s, ada, 600)
		want := slices.Concat(links[:550], links[551:580], links[581:])
		var got []waymark.Link
		err := s.Links(ada.ID, byID, unlimited).Stream(t.Context(), func(total int, entities iter.Seq2[waymark.Link, error]) error {
			for link, err := range entities {
				if err != nil {
					return err
				}
				if len(got) == 0 { // change links that are still to be read
					moveToTrash(t, s, ada, waymark.Links, links[550].ID, links[580].ID)
					storetest.Link(t, s, ada, "https://new.example/", waymark.Private)
				}
				got = append(got, link)
			}
			if total != len(links) {
				t.Errorf("got total %d, want the %d from the start", total, len(links))
			}
			return nil
		})
		check(t, err)
		wantEqual(t, "links", got, want)
	})
}

// Clients take a short page for the last one.
func TestPageLooksAgainForLinksThatWereDeletedMeanwhile(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		links := storetest.Fill(t, s, ada, 20)
		left := links
		list := func() store.Listing[waymark.Link] {
			deletions := 2
			return store.BeforeRows(s.Links(ada.ID, byID, waymark.Pagination{Limit: 10}), func() {
				if deletions--; deletions >= 0 {
					moveToTrash(t, s, ada, waymark.Links, left[0].ID)
					left = left[1:]
				}
			})
		}
		page, err := list().Page(t.Context())
		check(t, err)
		wantEqual(t, "page", page.Entities, left[:10])
		err = list().Stream(t.Context(), func(total int, entities iter.Seq2[waymark.Link, error]) error {
			var got []waymark.Link
			for link, err := range entities {
				check(t, err)
				got = append(got, link)
			}
			wantEqual(t, "stream", got, left[:10])
			if total != len(left) {
				t.Errorf("got the total %d, want %d", total, len(left))
			}
			return nil
		})
		check(t, err)
	})
}

func TestStreamReturnsTheErrorOfEmit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		storetest.Fill(t, s, ada, 600)
		stop := errors.New("stop")
		for range 8 { // more streams than may run at once
			err := s.Links(ada.ID, byID, unlimited).Stream(t.Context(), func(_ int, entities iter.Seq2[waymark.Link, error]) error {
				for range entities {
					return stop
				}
				return nil
			})
			if !errors.Is(err, stop) {
				t.Fatalf("got error %v, want %v", err, stop)
			}
		}
	})
}

func TestStreamEndsWithItsContext(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		storetest.Fill(t, s, ada, 600)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		err := s.Links(ada.ID, byID, unlimited).Stream(ctx, func(_ int, entities iter.Seq2[waymark.Link, error]) error {
			for _, err := range entities {
				if err != nil {
					return err
				}
				cancel()
				n++
			}
			return nil
		})
		if err == nil {
			t.Errorf("got %d links and no error after the context ended", n)
		}
		if n := len(allLinks(t, s, ada)); n != 600 {
			t.Errorf("the next stream has %d links, want 600", n)
		}
	})
}

// A read transaction holds one connection, and may need a second one to prepare its
// statements.
func TestManyConcurrentReadsDoNotDeadlock(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		storetest.Fill(t, s, ada, 30)
		var readers sync.WaitGroup
		for i := range 60 {
			readers.Go(func() {
				order := waymark.Order{By: waymark.LinkSortFields[i%10], Desc: i%20 >= 10}
				if _, err := s.Links(ada.ID, order, waymark.Pagination{Limit: 10}).Page(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		readers.Wait()
	})
}
