package store

import (
	"context"
	"crypto/sha256"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// ImportedNote identifies a note of a link, with the SHA-256 of its text.
type ImportedNote struct {
	Link      waymark.LinkID
	CreatedAt waymark.Time
	Text      [sha256.Size]byte
}

// NotesOf returns owner's notes on these links, also those in the trash.
func (s *Store) NotesOf(ctx context.Context, owner waymark.UserID, ids []waymark.LinkID) ([]ImportedNote, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	q := s.db.Querier()
	a := q.Args(owner)
	scan := func(rows *sql.Rows, n *ImportedNote) error {
		var text sql.RawBytes
		err := rows.Scan(&n.Link, &n.CreatedAt, &text)
		n.Text = sha256.Sum256(text)
		return err
	}
	return database.QueryAll(ctx, q, scan, `
		SELECT n.link_id, n.created_at, n.note
		FROM notes AS n
		WHERE n.link_id `+database.In(a, ids)+` AND n.user_id = $1`, a.Values...)
}

// InsertImportedNotes inserts notes. Their owner and link are set.
func (s *Store) InsertImportedNotes(ctx context.Context, rows []waymark.Note) error {
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		ids, err := table.InsertBatches[waymark.NoteID](ctx, ctx, q, &notes.Table, rows)
		if err == nil {
			s.imported(func(i *undo.Import) { i.Add(waymark.Notes, table.PlainIDs(ids)...) })
		}
		return err
	})
}
