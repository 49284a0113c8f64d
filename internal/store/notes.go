package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// NotesOfLink lists the notes on a link that viewer sees, oldest first.
func (s *Store) NotesOfLink(viewer waymark.UserID, link waymark.LinkID, pagination waymark.Pagination) Listing[waymark.Note] {
	l := newPlainListing(s, &notes, viewer, waymark.Order{By: waymark.SortByCreatedAt}, pagination)
	l.sql = []condition{func(a *database.Args) string { return "e.link_id = " + a.Add(link) }}
	return l
}

// FirstNotes returns, for each link that has one, the oldest note of its owner that viewer sees.
func (s *Store) FirstNotes(ctx context.Context, viewer waymark.UserID, links []waymark.LinkID) (map[waymark.LinkID]waymark.Note, error) {
	first := make(map[waymark.LinkID]waymark.Note, len(links))
	if len(links) == 0 {
		return first, nil
	}
	q := s.db.Querier()
	a := q.Args()
	for note, err := range database.QueryEach(ctx, q, notes.Scan, `
		SELECT `+notes.Selected+`
		FROM links AS l
		JOIN notes AS e ON e.id = (
			SELECT n.id
			FROM notes AS n
			WHERE n.link_id = l.id AND n.user_id = l.user_id AND `+query.VisibleTo(a, database.Unindexed("n.visible_to"), viewer)+`
			ORDER BY n.created_at, n.id
			LIMIT 1)
		WHERE l.id `+database.In(a, table.PlainIDs(links)), a.Values...) {
		if err != nil {
			return nil, err
		}
		first[note.Link] = note
	}
	return first, nil
}

// Note returns an active note on an active link. It returns waymark.ErrNotFound if there is no
// such note, and waymark.ErrForbidden if viewer may not see it.
func (s *Store) Note(ctx context.Context, viewer waymark.UserID, id waymark.NoteID) (waymark.Note, error) {
	note, err := getNote(ctx, s.db.Querier(), id)
	if err == nil && !viewer.MaySee(note.Owner, note.Visibility) {
		return waymark.Note{}, waymark.ErrForbidden
	}
	return note, err
}

// getNote returns an active note on an active link.
func getNote(ctx context.Context, q database.Querier, id waymark.NoteID) (waymark.Note, error) {
	return notes.Get(ctx, q, "e.id = $1 AND "+activeCondition(waymark.Notes)+q.RowLock(), id)
}

// CreateNote creates a note. It returns waymark.ErrNotFound if the link is not active,
// and waymark.ErrForbidden if the note's owner may not see the link.
func (s *Store) CreateNote(ctx context.Context, note waymark.Note) (waymark.Note, error) {
	err := s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		if _, err := links.GetVisible(ctx, q, note.Owner, int64(note.Link)); err != nil {
			return err
		}
		note.CreatedAt = s.now()
		note.UpdatedAt = note.CreatedAt
		ids, err := table.Insert[waymark.NoteID](ctx, q, &notes.Table, []waymark.Note{note})
		if err != nil {
			return err
		}
		note.ID = ids[0]
		return recordInserted(ctx, s, q, &notes, table.PlainIDs(ids), false)
	})
	return note, err
}

// ChangeNote updates an active note on an active link with the function change. If
// change returns an error, nothing is stored.
func (s *Store) ChangeNote(ctx context.Context, id waymark.NoteID, change func(*waymark.Note) error) (waymark.Note, error) {
	var note waymark.Note
	err := s.writeTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		if note, err = getNote(ctx, q, id); err != nil {
			return err
		}
		if err := change(&note); err != nil {
			return err
		}
		note.UpdatedAt = s.now()
		return recorded(ctx, s, q, &notes.Table, []int64{int64(id)}, func() error { return notes.Update(ctx, q, int64(id), &note) })
	})
	return note, err
}
