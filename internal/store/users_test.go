package store_test

import (
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestDeleteUserDeletesAllRowsOfTheUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		mine := storetest.Link(t, s, ada, "https://a.example/", waymark.Public, "mine")
		wantError(t, "take the audit events", s.Accounts.TakeAuditEvents(t.Context(), func(waymark.AuditEvent) {}), nil)
		before, counts := allLinks(t, s, ada), rowCounts(t, s)

		bob := storetest.User(t, s, "bob")
		bobs := storetest.Fill(t, s, bob, 40)
		bobsTag, bobsList := createTag(t, s, bob, "bobs", waymark.Public), createList(t, s, bob, "bobs", waymark.Public)
		lists, tags := []waymark.Ref{{ID: int64(bobsList.ID)}}, []waymark.Ref{{ID: int64(bobsTag.ID)}, {Name: "mine"}}
		_, err := s.ChangeLink(t.Context(), ada, mine.ID, &lists, &tags, func(*waymark.Link, waymark.Target) error { return nil })
		check(t, err)
		createNote(t, s, bob, mine.ID, "by bob", waymark.Public)
		var public waymark.Link
		for _, link := range bobs {
			if link.Visibility == waymark.Public {
				public = link
			}
		}
		note := createNote(t, s, ada, public.ID, "by ada", waymark.Private)
		moveToTrash(t, s, bob, waymark.Links, bobs[0].ID, bobs[1].ID)
		if _, err := s.Accounts.CreateAPIKey(t.Context(), waymark.APIKey{Owner: bob.ID, Name: "phone", Access: waymark.AccessFull}, []byte("hash")); err != nil {
			t.Fatal(err)
		}

		check(t, storetest.RemoveUser(t.Context(), s, bob.ID))
		wantError(t, "take the audit events", s.Accounts.TakeAuditEvents(t.Context(), func(waymark.AuditEvent) {}), nil)
		wantEqual(t, "number of rows", rowCounts(t, s), counts)
		after := allLinks(t, s, ada)
		after[0].UpdatedAt = before[0].UpdatedAt
		wantEqual(t, "links that ada sees", after, before)
		wantIDs(t, "notes on ada's link", readPage(t, s.NotesOfLink(ada.ID, mine.ID, unlimited)).Entities, noteID)
		_, err = s.Note(t.Context(), ada.ID, note.ID)
		wantError(t, "ada's note on a deleted link", err, waymark.ErrNotFound)
		_, _, err = s.Accounts.APIKeyOwner(t.Context(), []byte("hash"))
		wantError(t, "bob's API key", err, waymark.ErrNotFound)
		_, err = s.Accounts.UserByName(t.Context(), "bob")
		wantError(t, "find bob", err, waymark.ErrNotFound)
		wantError(t, "delete bob again", storetest.RemoveUser(t.Context(), s, bob.ID), waymark.ErrNotFound)
		if found := searchIDs(t, s, ada, where(inURL("https"))); len(found) != 1 {
			t.Errorf("a search finds %d links, want only ada's", len(found))
		}

		again := storetest.User(t, s, "bob")
		if again.ID == bob.ID {
			t.Error("a new user has the id of the deleted one")
		}
		wantIDs(t, "the new bob's links", allLinks(t, s, again), linkID, mine.ID)
		wantIDs(t, "the new bob's trash", readTrash(t, s.TrashedLinks, again), linkID)
	})
}

// rowCounts returns the number of rows of each table.
func rowCounts(t testing.TB, s *store.Store) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for table, rows := range allRows(t, s) {
		counts[table] = len(rows)
	}
	return counts
}

// A text that no column can have finds nothing. PostgreSQL refuses it otherwise.
func TestTextsThatCannotBeStoredAreNotFound(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		for _, text := range []string{"a\x00da", "a\xffda"} {
			_, err := s.Accounts.UserByName(t.Context(), text)
			wantError(t, "find a user", err, waymark.ErrNotFound)
			_, _, err = s.Accounts.PasswordHash(t.Context(), text)
			wantError(t, "find a password", err, waymark.ErrNotFound)
			_, err = s.Snapshots.Picture(t.Context(), ada.ID, text)
			wantError(t, "find a picture", err, waymark.ErrNotFound)
			wantError(t, "delete an API key", s.Accounts.DeleteAPIKey(t.Context(), ada.ID, text), waymark.ErrNotFound)
		}
	})
}
