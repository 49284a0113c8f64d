package store_test

import (
	"maps"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestFindListsPrefersOwnLists(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		zoe, ada, bob := storetest.User(t, s, "zoe"), storetest.User(t, s, "ada"), storetest.User(t, s, "Bob")
		both := createList(t, s, zoe, "Both", waymark.Public)
		own := createList(t, s, ada, "both", waymark.Private)
		public := createList(t, s, zoe, "Shared", waymark.Public)
		internal := createList(t, s, bob, "SHARED", waymark.Internal)
		createList(t, s, bob, "secret", waymark.Private)
		moveToTrash(t, s, bob, waymark.Lists, createList(t, s, bob, "trashed", waymark.Public).ID)
		for viewer, want := range map[waymark.UserID]map[string]waymark.ListID{
			ada.ID:        {"BOTH": own.ID, "shared": internal.ID},
			waymark.Guest: {"BOTH": both.ID, "shared": public.ID},
		} {
			found, err := s.FindLists(t.Context(), viewer, refs("BOTH", "shared", "secret", "trashed"))
			got := map[string]waymark.ListID{}
			for ref, list := range found {
				got[ref.Name] = list.ID
			}
			if err != nil || !maps.Equal(got, want) {
				t.Errorf("user %d: got %v, %v, want %v", viewer, got, err, want)
			}
		}
	})
}
