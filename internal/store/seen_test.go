package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// found returns the ids of the links that a viewer finds, in an order.
func found(t *testing.T, s *store.Store, viewer waymark.UserID, where waymark.Condition, order waymark.Order, part waymark.Pagination) []waymark.LinkID {
	t.Helper()
	page := readPage(t, s.SearchLinks(viewer, waymark.LinkFilter{Where: where}, order, part))
	return waymark.Map(page.Entities, func(l waymark.Link) waymark.LinkID { return l.ID })
}

func TestSeenAtIsOfTheOwnerAndNoEdit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, ben := storetest.User(t, s, "ada"), storetest.User(t, s, "ben")
		seen := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
		never := storetest.Link(t, s, ada, "https://b.example/", waymark.Public)
		if _, err := s.MarkSeen(t.Context(), ben, seen.ID); !errors.Is(err, waymark.ErrForbidden) {
			t.Errorf("another user: got %v, want %v", err, waymark.ErrForbidden)
		}
		undoable(t, s, ada, "token", func(ctx context.Context, s *store.Store) error {
			_, err := s.MarkSeen(ctx, ada, seen.ID)
			return err
		})
		got := readLink(t, s, ada, seen.ID)
		if got.SeenAt == 0 || got.UpdatedAt != seen.UpdatedAt {
			t.Errorf("got seen at %s, updated at %s, want it seen and not updated since %s", got.SeenAt, got.UpdatedAt, seen.UpdatedAt)
		}
		for _, links := range [][]waymark.Link{{readLink(t, s, ben, seen.ID)}, readPage(t, s.Links(ben.ID, waymark.Order{}, waymark.Pagination{})).Entities} {
			if links[0].ID != seen.ID || links[0].SeenAt != 0 {
				t.Errorf("another user reads %+v, want link %d without the time", links[0], seen.ID)
			}
		}
		for viewer, want := range map[waymark.UserID][]waymark.LinkID{ada.ID: {seen.ID}, ben.ID: nil, waymark.Guest: nil} {
			if got := found(t, s, viewer, waymark.Dated{Field: waymark.SeenOn, Period: "1d"}, waymark.Order{}, waymark.Pagination{}); !slices.Equal(got, want) {
				t.Errorf("seen:1d as %d: got %v, want %v", viewer, got, want)
			}
		}
		notSeen := waymark.Not{Condition: waymark.Dated{Field: waymark.SeenOn, Period: "2y"}}
		if got := found(t, s, ada.ID, notSeen, waymark.Order{}, waymark.Pagination{}); !slices.Equal(got, []waymark.LinkID{never.ID}) {
			t.Errorf("-seen:2y: got %v, want the link that was never seen", got)
		}
		wantUndo(t, s, ada, "token", 1, 0)
		if got := readLink(t, s, ada, seen.ID); got.SeenAt != 0 || got.UpdatedAt != seen.UpdatedAt {
			t.Errorf("after undo: got seen at %s, updated at %s, want never and %s", got.SeenAt, got.UpdatedAt, seen.UpdatedAt)
		}
	})
}

// TestPagesInARandomOrderNeitherRepeatNorMiss reads pages while other links come and go.
func TestPagesInARandomOrderNeitherRepeatNorMiss(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		all := storetest.Fill(t, s, ada, 40)
		order := waymark.Order{By: waymark.SortByRandom, Seed: 7}
		before := found(t, s, ada.ID, nil, order, waymark.Pagination{})
		known := map[waymark.LinkID]bool{}
		for _, l := range all {
			known[l.ID] = true
		}
		storetest.Fill(t, s, storetest.User(t, s, "ben"), 40)
		after := slices.DeleteFunc(found(t, s, ada.ID, nil, order, waymark.Pagination{}), func(id waymark.LinkID) bool { return !known[id] })
		if !slices.Equal(before, after) {
			t.Errorf("got %v after others came, want %v", after, before)
		}
		if slices.IsSorted(before) || slices.Equal(before, found(t, s, ada.ID, waymark.IsMine, waymark.Order{By: waymark.SortByRandom, Seed: 8}, waymark.Pagination{})) {
			t.Errorf("got %v, want another order for each seed", before)
		}
		if page := found(t, s, ada.ID, waymark.IsMine, order, waymark.Pagination{Offset: 10, Limit: 10}); !slices.Equal(page, before[10:20]) {
			t.Errorf("second page: got %v, want %v", page, before[10:20])
		}
	})
}
