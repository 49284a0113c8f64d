package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"

	"waymark/internal/database"
	"waymark/internal/store/accounts"
	"waymark/internal/store/snapshots"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// HasEntities reports whether an account has a link, list, tag, note, passage or saved search, also in the trash.
func (s *Store) HasEntities(ctx context.Context, id waymark.UserID) (bool, error) {
	for _, table := range []string{"links", "lists", "tags", "notes", "passages", "saved_searches"} {
		used, err := database.Exists(ctx, s.db.Querier(), table+" WHERE user_id = $1", id)
		if used || err != nil {
			return used, err
		}
	}
	return false, nil
}

// ImportSettings sets the settings and the default visibility of an account.
func (s *Store) ImportSettings(ctx context.Context, id waymark.UserID, settings waymark.Settings, visibility waymark.DefaultVisibility) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		row, err := table.Users.Get(ctx, q, "e.id = $1"+q.RowLock(), id)
		if err != nil {
			return err
		}
		row.Settings, row.DefaultVisibility = settings, row.DefaultVisibility.Edit(visibility)
		return recorded(ctx, s, q, &table.Users, []int64{int64(id)}, func() error { return table.Users.Update(ctx, q, int64(id), &row) })
	})
}

// InsertImportedBundles inserts bundles. Their owner is set.
func (s *Store) InsertImportedBundles(ctx context.Context, rows []waymark.Bundle) error {
	return insertAdded[waymark.BundleID](ctx, s, &accounts.Bundles, rows)
}

// InsertImportedSearches inserts saved searches. Their owner is set.
func (s *Store) InsertImportedSearches(ctx context.Context, rows []waymark.SavedSearch) error {
	return insertAdded[waymark.SavedSearchID](ctx, s, &accounts.SavedSearches, rows)
}

// insertAdded inserts rows, which undo deletes.
func insertAdded[ID waymark.ID, T any](ctx context.Context, s *Store, t *table.Table[T], rows []T) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		ids, err := table.Insert[ID](ctx, q, t, rows)
		for _, id := range ids {
			err = errors.Join(err, s.recordAdded(t.Name, int64(id), undo.Values{versionColumn: nil}))
		}
		return err
	})
}

// ImportKeptApart remembers pairs of links or tags that are not to be merged.
func (s *Store) ImportKeptApart(ctx context.Context, owner waymark.UserID, pairs []KeptApart) error {
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		return s.insertApart(ctx, q, waymark.Map(pairs, func(p KeptApart) table.KeptApartRow {
			row := table.KeptApartRow{Owner: owner, Entity: p.Kind.String(), A: min(p.A, p.B), B: max(p.A, p.B)}
			if p.Kind == waymark.Links {
				pair := apartPair(p.A, p.B)
				row.Key, row.A, row.B = table.WeakURLKey(p.A), pair[0], pair[1]
			}
			return row
		}))
	})
}

// ImportTextSnapshot stores the text snapshot of an archive, for a link that the import has added or
// that was there before, and how far the owner has read it. It stores nothing if the link has one, and returns
// waymark.ErrSnapshotQuota if the snapshots of the owner would have more than quota bytes. Call it in StepImport.
func (s *Store) ImportTextSnapshot(ctx context.Context, owner waymark.UserID, link ImportedLink, saved waymark.TextSnapshot, html string, at waymark.ReadingPosition, quota int64) error {
	added, err := s.Snapshots.AddText(ctx, owner, link.ID, saved, html, at, quota)
	if err == nil && added && link.Outcome != LinkAdded { // links that were added go to the trash with their snapshots
		err = s.recordAdded(snapshots.TextSnapshots.Name, int64(link.ID), undo.Values{fetchedColumn: integerJSON(int64(saved.FetchedAt))})
	}
	return err
}

// ImportFullSnapshot is ImportTextSnapshot for a full snapshot.
func (s *Store) ImportFullSnapshot(ctx context.Context, owner waymark.UserID, link ImportedLink, saved waymark.FullSnapshot, file string, quota int64) error {
	added, err := s.Snapshots.AddFull(ctx, owner, link.ID, saved, file, quota)
	if err == nil && added && link.Outcome != LinkAdded {
		err = s.recordAdded(snapshots.FullSnapshots.Name, int64(link.ID), undo.Values{fetchedColumn: integerJSON(int64(saved.FetchedAt))})
	}
	return err
}

// ImportAttachment is ImportTextSnapshot for an attachment of the link. It stores nothing if the link has it
// already: see snapshots.Store.AddAttachment. It returns a waymark.ValidationError if the link has too many.
func (s *Store) ImportAttachment(ctx context.Context, owner waymark.UserID, link ImportedLink, a waymark.Attachment, file snapshots.Packed, quota int64) error {
	a.Link = link.ID
	id, err := s.Snapshots.AddAttachment(ctx, owner, a, file, quota)
	if err == nil && id != 0 && link.Outcome != LinkAdded {
		err = s.recordAdded(snapshots.Attachments.Name, int64(id), undo.Values{versionColumn: nil})
	}
	return err
}

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
		ids, err := table.InsertBatches[waymark.NoteID](ctx, q, &notes.Table, rows)
		if err != nil {
			return err
		}
		return recordInserted(ctx, s, q, &notes, table.PlainIDs(ids), false)
	})
}
