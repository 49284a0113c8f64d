package store_test

import (
	"errors"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestCreateTagsRejectsNamesThatExist(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		createTag(t, s, ada, "Straße", waymark.Private)
		createTag(t, s, ada, "e\u0301te\u0301", waymark.Private)
		_, err := s.CreateTags(t.Context(), ada.ID, []waymark.Tag{
			{Name: "new", Visibility: waymark.Private},
			{Name: "STRASSE", Visibility: waymark.Private},
			{Name: "NEW", Visibility: waymark.Private},
			{Name: "ÉTÉ", Visibility: waymark.Private},
		})
		var conflict *waymark.ConflictError
		if !errors.As(err, &conflict) {
			t.Fatalf("got error %v, want a ConflictError", err)
		}
		wantEqual(t, "indexes of existing names", conflict.Indexes, []int{1, 2, 3})
		tags, err := s.SuggestTags(ada.ID, "", 0).Page(t.Context())
		if err != nil || tags.Total != 2 {
			t.Errorf("got %d tags (error %v), want the 2 first ones", tags.Total, err)
		}
		createTag(t, s, bob, "straße", waymark.Private) // another owner
	})
}

func TestNameOfATrashedTagCanBeUsedAgain(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		old := createTag(t, s, ada, "name", waymark.Private)
		moveToTrash(t, s, ada, waymark.Tags, old.ID)
		createTag(t, s, ada, "Name", waymark.Private)
		err := s.Restore(t.Context(), waymark.Tags, int64(old.ID), ownedBy(ada))
		wantError(t, "restore", err, waymark.ErrConflict)
		wantIDs(t, "trash", readTrash(t, s.TrashedTags, ada), tagID, old.ID)
	})
}

func TestChangeTagRejectsANameThatExists(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		createTag(t, s, ada, "existing", waymark.Private)
		tag := createTag(t, s, ada, "tag", waymark.Private)
		rename := func(name string) error {
			_, err := s.ChangeTag(t.Context(), ada.ID, tag.ID, func(tag *waymark.Tag) error {
				tag.Name = name
				return nil
			})
			return err
		}
		wantError(t, "rename to an existing name", rename("EXISTING"), waymark.ErrConflict)
		wantError(t, "rename to its own name in another case", rename("TAG"), nil)
		got, err := s.Tag(t.Context(), ada.ID, tag.ID)
		if err != nil || got.Name != "TAG" {
			t.Errorf("the tag is %+v (error %v), want TAG", got, err)
		}
	})
}
