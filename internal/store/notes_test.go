package store_test

import (
	"cmp"
	"testing"

	"waymark/internal/store"
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
