package store_test

import (
	"fmt"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestAPIKeyOwnerFindsTheKeyByHash(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		key, err := s.CreateAPIKey(t.Context(), waymark.APIKey{Owner: ada.ID, Name: "phone", Access: waymark.AccessRead, ExpiresAt: 12345}, []byte{0, 1, 255})
		if err != nil {
			t.Fatal(err)
		}
		owner, got, err := s.APIKeyOwner(t.Context(), []byte{0, 1, 255})
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "owner", owner, ada)
		wantEqual(t, "key", got, key)
		_, _, err = s.APIKeyOwner(t.Context(), []byte{0, 1})
		wantError(t, "another hash", err, waymark.ErrNotFound)
		_, _, err = s.APIKeyOwner(t.Context(), nil)
		wantError(t, "no hash", err, waymark.ErrNotFound)
	})
}

// The statement that reads a key with a link must return what two statements return.
func TestAPIKeyOwnerAndLinkAreThoseOfAPIKeyOwnerAndLink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		for _, user := range []waymark.User{ada, bob} {
			if _, err := s.CreateAPIKey(ctx, waymark.APIKey{Owner: user.ID, Name: "phone", Access: waymark.AccessAdd, ExpiresAt: 12345}, []byte(user.Name)); err != nil {
				t.Fatal(err)
			}
		}
		visibilities := []waymark.Visibility{waymark.Public, waymark.Internal, waymark.Private}
		for i, v := range visibilities {
			createList(t, s, ada, fmt.Sprintf("list %d", i), v)
			createTag(t, s, ada, fmt.Sprintf("tag %d", i), v)
		}
		ids := []waymark.LinkID{-1, 0, 999}
		for i, v := range visibilities {
			for _, url := range []string{"active", "trashed"} {
				link := storetest.CreateLinks(t, s, ada, waymark.LinkDraft{
					Link:  waymark.Link{URL: fmt.Sprintf("https://a.example/%s/%d", url, i), Title: "A", Visibility: v, Status: waymark.StatusOK},
					Lists: refs("list 0", "list 1", "list 2"),
					Tags:  refs("tag 0", "tag 1", "tag 2"),
				}, waymark.LinkDraft{
					Link: waymark.Link{URL: fmt.Sprintf("https://a.example/%s/%d without", url, i), Visibility: v, Status: waymark.StatusOK},
				})
				ids = append(ids, link[0].ID, link[1].ID)
				if url == "trashed" {
					moveToTrash(t, s, ada, waymark.Links, link[0].ID, link[1].ID)
				}
			}
		}
		for _, user := range []waymark.User{ada, bob} {
			found := 0
			for _, id := range ids {
				what := fmt.Sprintf("%s, link %d: ", user.Name, id)
				want, wantErr := s.Link(ctx, user.ID, id)
				wantUser, wantKey, err := s.APIKeyOwner(ctx, []byte(user.Name))
				wantError(t, what+"key", err, nil)
				gotUser, gotKey, got, err := s.APIKeyOwnerAndLink(ctx, []byte(user.Name), id)
				wantError(t, what+"both", err, wantErr)
				if wantErr == nil {
					found++
					wantEqual(t, what+"owner", gotUser, wantUser)
					wantEqual(t, what+"key", gotKey, wantKey)
					wantEqual(t, what+"link", got, want)
				}
			}
			if want := map[string]int{"ada": 6, "bob": 4}[user.Name]; found != want {
				t.Errorf("%s sees %d links, want %d", user.Name, found, want)
			}
		}
		_, _, _, err := s.APIKeyOwnerAndLink(ctx, []byte("another"), ids[3])
		wantError(t, "another hash", err, waymark.ErrNotFound)
	})
}

func TestAPIKeyNamesAreUniquePerOwner(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		create := func(owner waymark.UserID, name, hash string) error {
			_, err := s.CreateAPIKey(t.Context(), waymark.APIKey{Owner: owner, Name: name, Access: waymark.AccessFull}, []byte(hash))
			return err
		}
		wantError(t, "first key", create(ada.ID, "phone", "1"), nil)
		wantError(t, "second key of that name", create(ada.ID, "phone", "2"), waymark.ErrConflict)
		wantError(t, "same name, another owner", create(bob.ID, "phone", "3"), nil)
		wantError(t, "another name", create(ada.ID, "laptop", "4"), nil)
		wantError(t, "unknown owner", create(999, "phone", "5"), waymark.ErrNotFound)
		keys, err := s.APIKeys(t.Context(), ada.ID)
		if err != nil || len(keys) != 2 || keys[0].Name != "laptop" || keys[1].Name != "phone" {
			t.Errorf("ada's keys are %+v (error %v), want laptop and phone", keys, err)
		}
	})
}

func TestDeletedAPIKeyIsNotFound(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		if _, err := s.CreateAPIKey(t.Context(), waymark.APIKey{Owner: ada.ID, Name: "phone", Access: waymark.AccessFull}, []byte("1")); err != nil {
			t.Fatal(err)
		}
		wantError(t, "delete by another user", s.DeleteAPIKey(t.Context(), bob.ID, "phone"), waymark.ErrNotFound)
		wantError(t, "delete by its owner", s.DeleteAPIKey(t.Context(), ada.ID, "phone"), nil)
		_, _, err := s.APIKeyOwner(t.Context(), []byte("1"))
		wantError(t, "find after the deletion", err, waymark.ErrNotFound)
		wantError(t, "delete again", s.DeleteAPIKey(t.Context(), ada.ID, "phone"), waymark.ErrNotFound)
	})
}

func TestSaveAPIKeyUseKeepsTheLatestTime(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		var ids []waymark.APIKeyID
		for _, name := range []string{"a", "b", "c"} {
			key, err := s.CreateAPIKey(t.Context(), waymark.APIKey{Owner: ada.ID, Name: name, Access: waymark.AccessFull}, []byte(name))
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, key.ID)
		}
		for _, used := range []map[waymark.APIKeyID]waymark.Time{
			{ids[0]: 1000, ids[1]: 2000, 999: 5},
			{ids[0]: 1500, ids[1]: 1999},
			{},
		} {
			if err := s.SaveAPIKeyUse(t.Context(), used); err != nil {
				t.Fatal(err)
			}
		}
		keys, err := s.APIKeys(t.Context(), ada.ID)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]waymark.Time{}
		for _, key := range keys {
			got[key.Name] = key.LastUsedAt
		}
		wantEqual(t, "times of last use", got, map[string]waymark.Time{"a": 1500, "b": 2000, "c": 0})
	})
}
