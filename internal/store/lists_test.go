package store_test

import (
	"fmt"
	"maps"
	"strings"
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

// Descriptions of more than a MiB are read in several batches.
func TestFindListsWithLongDescriptions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		drafts := make([]waymark.List, 300)
		for i := range drafts {
			drafts[i] = waymark.List{Name: fmt.Sprint("list ", i), Visibility: waymark.Private, Description: strings.Repeat("x", waymark.MaxListDescription)}
		}
		created, err := s.CreateLists(t.Context(), ada.ID, drafts)
		check(t, err)
		refs := make([]waymark.Ref, len(created))
		for i, list := range created {
			refs[i] = waymark.Ref{ID: int64(list.ID)}
		}
		found, err := s.FindLists(t.Context(), ada.ID, refs)
		if err != nil || len(found) != len(refs) || found[refs[7]].Name != "list 7" {
			t.Errorf("got %d lists, %v, want %d", len(found), err, len(refs))
		}
	})
}
