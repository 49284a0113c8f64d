package store_test

import (
	"errors"
	"fmt"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestUserNamesAreUniqueWhateverTheirCase(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "Ädä")
		_, err := s.CreateUser(t.Context(), waymark.User{Name: "äDÄ", Visibility: waymark.Private}, "")
		wantError(t, "a second user of that name", err, waymark.ErrConflict)
		got, err := s.UserByName(t.Context(), "ÄDä")
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "found by name", got, ada)
		_, err = s.UserByName(t.Context(), "bob")
		wantError(t, "a name that nobody has", err, waymark.ErrNotFound)
	})
}

func TestUsersStandInTheOrderOfTheirNames(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		want := []waymark.User{storetest.User(t, s, "Bob"), storetest.User(t, s, "ada"), storetest.User(t, s, "Žofie"), storetest.User(t, s, "cleo")}
		want = []waymark.User{want[1], want[0], want[3], want[2]}
		got, err := s.Users(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "users", got, want)
	})
}

func TestChangeUserChangesWhatItIsTold(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		user := storetest.User(t, s, "ada")
		storetest.User(t, s, "bob")
		user.Admin, user.Disabled, user.Visibility = true, true, waymark.Internal
		if _, err := s.ChangeUser(t.Context(), "ADA", func(u *waymark.User) error {
			u.Admin, u.Disabled, u.Visibility = true, true, waymark.Internal
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		got, err := s.UserByName(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "the user", got, user)

		_, err = s.ChangeUser(t.Context(), "ada", func(u *waymark.User) error {
			u.Name = "BOB"
			return nil
		})
		wantError(t, "to a name that is taken", err, waymark.ErrConflict)
		refuse := errors.New("no")
		_, err = s.ChangeUser(t.Context(), "ada", func(*waymark.User) error { return refuse })
		wantError(t, "refused", err, refuse)
		_, err = s.ChangeUser(t.Context(), "eve", func(*waymark.User) error { return nil })
		wantError(t, "nobody", err, waymark.ErrNotFound)
	})
}

func TestPasswordHashIsKept(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		user, err := s.CreateUser(t.Context(), waymark.User{Name: "ada", Visibility: waymark.Private}, "first")
		if err != nil {
			t.Fatal(err)
		}
		if hash, err := s.PasswordHash(t.Context(), user.ID); err != nil || hash != "first" {
			t.Errorf("got %q (error %v), want first", hash, err)
		}
		wantError(t, "set", s.SetPasswordHash(t.Context(), user.ID, "second"), nil)
		if hash, err := s.PasswordHash(t.Context(), user.ID); err != nil || hash != "second" {
			t.Errorf("got %q (error %v), want second", hash, err)
		}
		_, err = s.PasswordHash(t.Context(), 999)
		wantError(t, "of nobody", err, waymark.ErrNotFound)
		wantError(t, "set, of nobody", s.SetPasswordHash(t.Context(), 999, "x"), waymark.ErrNotFound)
	})
}

func TestRemovedUserLeavesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		mine := storetest.Link(t, s, ada, "https://a.example/", waymark.Public, "mine")
		before, rows := allLinks(t, s, ada), rowsOfEveryTable(t, s)

		bob := storetest.User(t, s, "bob")
		bobs := storetest.Fill(t, s, bob, 40)
		bobsTag, bobsList := createTag(t, s, bob, "bobs", waymark.Public), createList(t, s, bob, "bobs", waymark.Public)
		setLabels(t, s, ada, mine.ID, []waymark.Ref{{ID: int64(bobsList.ID)}}, []waymark.Ref{{ID: int64(bobsTag.ID)}, {Name: "mine"}})
		createNote(t, s, bob, mine.ID, "by bob", waymark.Public)
		var public waymark.Link
		for _, link := range bobs {
			if link.Visibility == waymark.Public {
				public = link
			}
		}
		note := createNote(t, s, ada, public.ID, "by ada, on a link of bob's", waymark.Private)
		moveToTrash(t, s, bob, waymark.Links, bobs[0].ID, bobs[1].ID)
		if _, err := s.CreateAPIKey(t.Context(), waymark.APIKey{Owner: bob.ID, Name: "phone", Access: waymark.AccessFull}, []byte("hash")); err != nil {
			t.Fatal(err)
		}

		if err := s.DeleteUser(t.Context(), bob.ID); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "rows of every table", rowsOfEveryTable(t, s), rows)
		after := allLinks(t, s, ada)
		after[0].UpdatedAt = before[0].UpdatedAt
		wantEqual(t, "what ada sees", after, before)
		wantIDs(t, "notes of ada's link", notesOf(t, s, ada, mine.ID), noteID)
		_, err := s.Note(t.Context(), ada.ID, note.ID)
		wantError(t, "ada's note on what is gone", err, waymark.ErrNotFound)
		_, _, err = s.APIKeyOwner(t.Context(), []byte("hash"))
		wantError(t, "bob's key", err, waymark.ErrNotFound)
		_, err = s.UserByName(t.Context(), "bob")
		wantError(t, "bob", err, waymark.ErrNotFound)
		wantError(t, "once more", s.DeleteUser(t.Context(), bob.ID), waymark.ErrNotFound)
		if found := searchIDs(t, s, ada, waymark.LinkFilter{Text: "https"}); len(found) != 1 {
			t.Errorf("a search finds %d links, want ada's alone", len(found))
		}

		again := storetest.User(t, s, "bob") // another person of that name
		if again.ID == bob.ID {
			t.Error("the id of a user who is gone is given again")
		}
		wantIDs(t, "the new bob's links", allLinks(t, s, again), linkID, mine.ID)
		wantIDs(t, "the new bob's trash", readTrash(t, s.TrashedLinks, again), linkID)
	})
}

// rowsOfEveryTable are how many rows there are.
func rowsOfEveryTable(t testing.TB, s *store.Store) map[string]string {
	t.Helper()
	counts := map[string]string{}
	for _, table := range []string{"users", "api_keys", "links", "lists", "tags", "notes", "link_lists", "link_tags", "counters"} {
		rows, err := s.Rows(t.Context(), "SELECT count(*) FROM "+table)
		if err != nil {
			t.Fatal(err)
		}
		counts[table] = fmt.Sprint(rows[0][0])
	}
	return counts
}
