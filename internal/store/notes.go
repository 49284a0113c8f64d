package store

import (
	"context"

	"waymark/internal/waymark"
)

var notes = entityTable[waymark.Note]{
	table:   "notes",
	columns: `e.id, e.user_id, e.link_id, e.note, e.visibility, e.created_at, e.updated_at, e.deleted_at`,
	id:      func(n *waymark.Note) int64 { return int64(n.ID) },
	owner:   func(n *waymark.Note) waymark.UserID { return n.Owner },
	scanTargets: func(n *waymark.Note) []any {
		return []any{&n.ID, &n.Owner, &n.Link, &n.Text, &n.Visibility, &n.CreatedAt, &n.UpdatedAt, &n.DeletedAt}
	},
	orderColumns: map[waymark.SortField][]string{
		waymark.SortByID:        {},
		waymark.SortByCreatedAt: {"e.created_at"},
	},
}

// NotesOfLink shows a page of the notes on a link that viewer may see, oldest first.
func (s *Store) NotesOfLink(ctx context.Context, viewer waymark.UserID, link waymark.LinkID, page waymark.Pagination, show Emit[waymark.Note]) error {
	w := walk{
		viewer:  viewer,
		shelves: []waymark.UserID{shared, viewer},
		order:   waymark.Order{By: waymark.SortByCreatedAt},
		from: func(a *args, shelf waymark.UserID) string {
			return "FROM notes AS e WHERE e.link_id = " + a.add(link) + " AND e.shelf = " + a.add(shelf)
		},
		id: "e.id",
	}
	return browse(ctx, s, &notes, w, page, show)
}

// Note returns an active note on an active link, if viewer may see it.
func (s *Store) Note(ctx context.Context, viewer waymark.UserID, id waymark.NoteID) (waymark.Note, error) {
	note, err := reachableNote(ctx, s.ask(), id)
	if err == nil && !viewer.MaySee(note.Owner, note.Visibility) {
		err = waymark.ErrForbidden
	}
	return note, s.dialect.mapError(err)
}

func reachableNote(ctx context.Context, q querier, id waymark.NoteID) (waymark.Note, error) {
	return queryOne(ctx, q, notes.scan, `
		SELECT `+notes.columns+`
		FROM notes AS e
		JOIN links AS l ON l.id = e.link_id
		WHERE e.id = $1 AND e.shelf IS NOT NULL AND l.shelf IS NOT NULL`+q.rowLock, id)
}

// CreateNote keeps a new note. The link must be active, else waymark.ErrNotFound,
// and its owner must see it, else waymark.ErrForbidden.
func (s *Store) CreateNote(ctx context.Context, note waymark.Note) (waymark.Note, error) {
	err := s.change(ctx, func(ctx context.Context, q querier) error {
		link, err := getActive(ctx, q, &links, int64(note.Link))
		if err != nil {
			return err
		}
		if !note.Owner.MaySee(link.Owner, link.Visibility) {
			return waymark.ErrForbidden
		}
		note.CreatedAt = s.now()
		note.UpdatedAt = note.CreatedAt
		note.ID, err = queryOne(ctx, q, scanValue[waymark.NoteID], `
			INSERT INTO notes (user_id, link_id, visibility, created_at, updated_at, note)
			VALUES ($1, $2, $3, $4, $5, $6)
			RETURNING id`,
			note.Owner, note.Link, note.Visibility, note.CreatedAt, note.UpdatedAt, note.Text)
		return err
	})
	return note, err
}

// ChangeNote changes a note as change says.
func (s *Store) ChangeNote(ctx context.Context, id waymark.NoteID, change func(*waymark.Note) error) (waymark.Note, error) {
	var note waymark.Note
	err := s.change(ctx, func(ctx context.Context, q querier) (err error) {
		if note, err = reachableNote(ctx, q, id); err != nil {
			return err
		}
		if err := change(&note); err != nil {
			return err
		}
		note.UpdatedAt = s.now()
		_, err = q.exec(ctx, `
			UPDATE notes
			SET visibility = $1, updated_at = $2, note = $3
			WHERE id = $4`, note.Visibility, note.UpdatedAt, note.Text, id)
		return err
	})
	return note, err
}
