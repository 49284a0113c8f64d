package store_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// notesOf returns the notes on a link that viewer sees.
func notesOf(t testing.TB, s *store.Store, viewer waymark.User, link waymark.LinkID) []waymark.Note {
	t.Helper()
	got := readPage(t, s.NotesOfLink(viewer.ID, link, unlimited))
	if got.Total != len(got.Entities) {
		t.Errorf("got total %d and %d notes", got.Total, len(got.Entities))
	}
	return got.Entities
}

func TestNotesOfALinkAreSortedByTime(t *testing.T) {
	storetest.EachWith(t, store.Options{Now: repeatingClock()}, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
		other := storetest.Link(t, s, ada, "https://b.example/", waymark.Public)
		var all []waymark.Note
		for i := range 12 {
			owner := []waymark.User{ada, bob}[i%2]
			all = append(all, createNote(t, s, owner, link.ID, fmt.Sprint("note ", i), waymark.Visibility(1+i%3)))
			createNote(t, s, owner, other.ID, "on another link", waymark.Public)
		}
		for _, viewer := range []waymark.User{ada, bob} {
			var want []waymark.Note
			for _, note := range all {
				if viewer.ID.MaySee(note.Owner, note.Visibility) {
					want = append(want, note)
				}
			}
			slices.SortFunc(want, func(a, b waymark.Note) int {
				return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
			})
			wantEqual(t, "notes that "+viewer.Name+" sees", notesOf(t, s, viewer, link.ID), want)
		}
	})
}

func TestCreateNoteRequiresAVisibleLink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		public := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
		private := storetest.Link(t, s, ada, "https://b.example/", waymark.Private)
		trashed := storetest.Link(t, s, ada, "https://c.example/", waymark.Public)
		moveToTrash(t, s, ada, waymark.Links, trashed.ID)
		for id, want := range map[waymark.LinkID]error{
			public.ID:  nil,
			private.ID: waymark.ErrForbidden,
			trashed.ID: waymark.ErrNotFound,
			999:        waymark.ErrNotFound,
		} {
			_, err := s.CreateNote(t.Context(), waymark.Note{Owner: bob.ID, Link: id, Text: "by bob", Visibility: waymark.Private})
			wantError(t, fmt.Sprint("on link ", id), err, want)
		}
	})
}

func TestNotesOfATrashedLinkAreNotFound(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
		note := createNote(t, s, bob, link.ID, "by bob", waymark.Public)
		moveToTrash(t, s, ada, waymark.Links, link.ID)
		_, err := readNote(t, s, bob.ID, note.ID)
		wantError(t, "read", err, waymark.ErrNotFound)
		_, err = s.ChangeNote(t.Context(), note.ID, func(*waymark.Note) error { return nil })
		wantError(t, "change", err, waymark.ErrNotFound)
		restore(t, s, ada, waymark.Links, link.ID)
		wantIDs(t, "after the restore", notesOf(t, s, ada, link.ID), noteID, note.ID)
	})
}

func TestChangeNoteStoresTextAndVisibility(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
		note := createNote(t, s, ada, link.ID, "text", waymark.Private)
		changed, err := s.ChangeNote(t.Context(), note.ID, func(note *waymark.Note) error {
			note.Text, note.Visibility = "another", waymark.Public
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := readNote(t, s, ada.ID, note.ID)
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "note when read again", got, changed)
		if got.Text != "another" || got.Visibility != waymark.Public {
			t.Errorf("got note %+v, want the changed text and visibility", got)
		}
	})
}

// readNote returns an active note on an active link as NotesOfLink lists it to a viewer,
// else waymark.ErrForbidden.
func readNote(t testing.TB, s *store.Store, viewer waymark.UserID, id waymark.NoteID) (waymark.Note, error) {
	t.Helper()
	rows, err := s.Rows(t.Context(), `
		SELECT n.link_id
		FROM notes AS n
		JOIN links AS l ON l.id = n.link_id
		WHERE n.id = $1 AND n.visible_to IS NOT NULL AND l.visible_to IS NOT NULL`, id)
	if err != nil || len(rows) == 0 {
		return waymark.Note{}, cmp.Or(err, waymark.ErrNotFound)
	}
	link := waymark.LinkID(rows[0][0].(int64)) //nolint:errcheck // a column of integers
	for _, note := range readPage(t, s.NotesOfLink(viewer, link, unlimited)).Entities {
		if note.ID == id {
			return note, nil
		}
	}
	return waymark.Note{}, waymark.ErrForbidden
}
