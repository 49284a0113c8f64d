package store_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestPageBeyondTheEndIsEmpty(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		storetest.Fill(t, s, ada, 5)
		for _, page := range []waymark.Pagination{{Offset: 5, Limit: 5}, {Offset: math.MaxInt, Limit: waymark.NoLimit}, {Offset: math.MaxInt, Limit: 24}, {Offset: math.MaxInt, Limit: math.MaxInt}} {
			got := readPage(t, s.Links(ada.ID, byID, page))
			if got.Total != 5 || len(got.Entities) != 0 {
				t.Errorf("page %v: %d of %d entities, want none of 5", page, len(got.Entities), got.Total)
			}
		}
		got := readPage(t, s.Links(ada.ID, byID, waymark.Pagination{Limit: math.MaxInt}))
		if len(got.Entities) != 5 {
			t.Errorf("a page of the largest size has %d entities, want 5", len(got.Entities))
		}
	})
}

func TestPageOfAnEmptyListingIsEmpty(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		for _, page := range []waymark.Pagination{unlimited, {Limit: 24}, {Offset: 144, Limit: 24}} {
			got := readPage(t, s.Links(ada.ID, byID, page))
			wantEqual(t, fmt.Sprint(page), got, store.Page[waymark.Link]{})
		}
	})
}

func TestStreamLeavesOutLinksThatWereDeletedMeanwhile(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		links := storetest.Fill(t, s, ada, 1100)
		want := slices.Concat(links[:700], links[701:1000], links[1001:])
		var got []waymark.Link
		err := s.Links(ada.ID, byID, unlimited).Stream(t.Context(), func(total int, entities iter.Seq2[waymark.Link, error]) error {
			for link, err := range entities {
				if err != nil {
					return err
				}
				if len(got) == 0 { // change links that are still to be read
					moveToTrash(t, s, ada, waymark.Links, links[700].ID, links[1000].ID)
					storetest.Link(t, s, ada, "https://new.example/", waymark.Private)
				}
				got = append(got, link)
			}
			if total != len(links) {
				t.Errorf("got total %d, want the %d from the start", total, len(links))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "links", got, want)
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
		storetest.Fill(t, s, ada, 1100)
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
		if n := len(allLinks(t, s, ada)); n != 1100 {
			t.Errorf("the next stream has %d links, want 1100", n)
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

func TestSlowStreamsDoNotBlockOtherRequests(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		links := storetest.Fill(t, s, ada, 600)
		ctx, cancel := context.WithCancel(t.Context())
		var readers sync.WaitGroup
		started := make(chan struct{}, 50)
		for range 50 { // more streams than may run at once
			readers.Go(func() {
				s.Links(ada.ID, byID, unlimited).Stream(ctx, func(_ int, entities iter.Seq2[waymark.Link, error]) error {
					for range entities {
						started <- struct{}{}
						<-ctx.Done()
						return ctx.Err()
					}
					return nil
				})
			})
		}
		<-started
		for range 20 {
			if _, err := s.Link(t.Context(), ada.ID, links[0].ID); err != nil {
				t.Fatal(err)
			}
			readPage(t, s.Links(ada.ID, byID, waymark.Pagination{Limit: 24}))
		}
		storetest.Link(t, s, ada, "https://new.example/", waymark.Private)
		cancel()
		readers.Wait()
	})
}

func TestListingHasTheLinksThatTheViewerSees(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		users := []waymark.User{storetest.User(t, s, "ada"), storetest.User(t, s, "bob"), storetest.User(t, s, "eve")}
		var all []waymark.Link
		for i, user := range users[:2] {
			all = append(all, storetest.Fill(t, s, user, 20*(i+1))...)
		}
		for _, viewer := range users {
			want := visibleLinks(viewer.ID, all)
			got := withoutLabels(s.Links)(t, viewer.ID, byID, unlimited)
			wantEqual(t, "links that "+viewer.Name+" sees", got.Entities, want)
			if got.Total != len(want) {
				t.Errorf("%s: total %d, want %d", viewer.Name, got.Total, len(want))
			}
		}
	})
}
