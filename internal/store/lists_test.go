package store_test

import (
	"errors"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestCreateListsKeepsEveryField(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		drafts := []waymark.List{
			{Name: "Für später", Description: "to \"read\"", Visibility: waymark.Public},
			{Name: "für Später", Visibility: waymark.Private}, // names need not be unique
		}
		created, err := s.CreateLists(t.Context(), ada.ID, drafts)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range drafts {
			want.ID, want.Owner, want.CreatedAt, want.UpdatedAt = created[i].ID, ada.ID, created[i].CreatedAt, created[i].CreatedAt
			wantEqual(t, "created list", created[i], want)
			got, err := s.List(t.Context(), ada.ID, created[i].ID)
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, "the list as it is read", got, want)
		}
	})
}

func TestChangeListChangesWhatItIsTold(t *testing.T) {
	storetest.EachWith(t, store.Options{Now: repeatingClock()}, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		list := createList(t, s, ada, "list", waymark.Private)
		want := list
		want.Name, want.Description, want.Visibility = "Another", "with a description", waymark.Public
		changed, err := s.ChangeList(t.Context(), list.ID, func(list *waymark.List) error {
			list.Name, list.Description, list.Visibility = want.Name, want.Description, want.Visibility
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if changed.UpdatedAt == list.UpdatedAt {
			t.Error("the time of the change is not kept")
		}
		want.UpdatedAt = changed.UpdatedAt
		wantEqual(t, "changed list", changed, want)
		got, err := s.List(t.Context(), ada.ID, list.ID)
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "the list as it is read", got, want)

		refuse := errors.New("no")
		_, err = s.ChangeList(t.Context(), list.ID, func(list *waymark.List) error {
			list.Name = "third"
			return refuse
		})
		wantError(t, "a change that is refused", err, refuse)
		if got, _ := s.List(t.Context(), ada.ID, list.ID); got != want {
			t.Errorf("after a refused change the list is %+v, want %+v", got, want)
		}
	})
}

func TestListIsForThoseWhoMaySeeIt(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		for v, want := range map[waymark.Visibility]error{waymark.Public: nil, waymark.Internal: nil, waymark.Private: waymark.ErrForbidden} {
			list := createList(t, s, ada, v.String(), v)
			_, err := s.List(t.Context(), bob.ID, list.ID)
			wantError(t, v.String()+", another", err, want)
			moveToTrash(t, s, ada, waymark.Lists, list.ID)
			_, err = s.List(t.Context(), ada.ID, list.ID)
			wantError(t, v.String()+", in the trash", err, waymark.ErrNotFound)
			_, err = s.ChangeList(t.Context(), list.ID, func(*waymark.List) error { return nil })
			wantError(t, v.String()+", change in the trash", err, waymark.ErrNotFound)
		}
		_, err := s.List(t.Context(), ada.ID, 999)
		wantError(t, "unknown", err, waymark.ErrNotFound)
	})
}
