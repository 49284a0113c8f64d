package store

import (
	"context"
	"errors"
	"time"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

const (
	undoAge = 24 * time.Hour // how long a change can be undone
	// undoBytes is the maximum size of a user's records, compressed, without those of imports. All tags of
	// 100,000 links take about 2 MiB.
	undoBytes    = 16 << 20
	minUndoBytes = 512 // what a record counts as at least, which limits their number
)

// UndoRequest says who may undo a change, and what kind of change it is.
type UndoRequest struct {
	User    waymark.UserID
	Session waymark.SessionID // 0 if a program made the change
	APIKey  waymark.APIKeyID  // of the program, else 0
	Hash    []byte            // of the token
	Bulk    bool              // whether it changes many entities
}

// Undoable calls do, and stores how to undo the changes that do makes through its store, in
// one transaction. ok is false if there is nothing to undo, or if it would take more than
// 16 MiB; the changes are stored nevertheless. do may run more than once, so it must
// assign its results: see database.DB.WriteTx.
func (s *Store) Undoable(ctx context.Context, r UndoRequest, do func(ctx context.Context, s *Store) error) (ok bool, err error) {
	change := func(ctx context.Context, q database.Querier) error {
		part := s.within(q)
		part.recording = &undo.Record{}
		if err := do(ctx, part); err != nil {
			return err
		}
		var err error
		ok, err = s.storeRecord(ctx, q, r, part.recording)
		return err
	}
	err = s.bulkIf(ctx, r.Bulk, r.User, change)
	return ok, err
}

// InTransaction calls do with a store whose changes are one transaction, in which no other changes links,
// lists or tags of the user. do may run more than once, so it must assign its results. It must not search: the index
// does not have what the transaction has changed.
func (s *Store) InTransaction(ctx context.Context, user waymark.UserID, do func(ctx context.Context, s *Store) error) error {
	return s.userTx(ctx, user, func(ctx context.Context, q database.Querier) error {
		return do(ctx, s.within(q))
	})
}

var undoColumns = table.ParseColumns("user_id BIGINT, hash TEXT, session_id BIGINT, api_key_id BIGINT, import_id BIGINT, part BIGINT, created_at BIGINT, position BIGINT, bytes BIGINT, steps HEX")

// storeRecord stores the record of a change, and deletes the user's oldest records that no longer
// fit. A record's position is the sum of the bytes before it, so the newest row and a range of an
// index show which those are.
func (s *Store) storeRecord(ctx context.Context, q database.Querier, r UndoRequest, record *undo.Record) (ok bool, err error) {
	parts, size, err := record.Parts()
	if err != nil || !record.Changes || size > undoBytes {
		return false, err
	}
	position, err := database.QueryOne(ctx, q, database.ScanValue[int64], `
		SELECT position + bytes
		FROM undo_records
		WHERE user_id = $1 AND import_id IS NULL
		ORDER BY position DESC
		LIMIT 1`, r.User)
	if err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return false, err
	}
	end := position + min(undoBytes, max(minUndoBytes, int64(size)))
	rows := make([][]any, len(parts))
	for i, part := range parts {
		rows[i] = []any{r.User, table.HashText(r.Hash), r.Session, nil, nil, i + 1, s.now(), position, end - position, database.NewHex(part)}
		if r.APIKey != 0 {
			rows[i][3] = r.APIKey
		}
	}
	a := q.Args()
	if _, err := q.Exec(ctx, table.InsertSQL(a, "undo_records", undoColumns, rows), a.Values...); err != nil {
		return false, err
	}
	_, err = q.Exec(ctx, `
		DELETE FROM undo_records
		WHERE user_id = $1 AND import_id IS NULL AND position < $2`, r.User, end-undoBytes)
	return err == nil, err
}

// storeImportStep stores what a step of an import has changed.
func (s *Store) storeImportStep(ctx context.Context, q database.Querier, i *waymark.Import, record *undo.Record) error {
	parts, _, err := record.Parts()
	if err != nil || len(parts) == 0 {
		return err
	}
	rows := make([][]any, len(parts))
	for n, part := range parts {
		i.Steps++
		rows[n] = []any{i.Owner, nil, 0, nil, i.ID, i.Steps, s.now(), 0, 0, database.NewHex(part)}
	}
	a := q.Args()
	_, err = q.Exec(ctx, table.InsertSQL(a, "undo_records", undoColumns, rows), a.Values...)
	return err
}

// PruneUndoRecords deletes undo records that are older than a day, and what people have changed before in the lists and
// links of others. Call it regularly.
func (s *Store) PruneUndoRecords(ctx context.Context) error {
	if _, err := s.db.Exec(ctx, `
		DELETE FROM shared_changes
		WHERE created_at < $1`, s.now().Add(-undoAge)); err != nil {
		return err
	}
	const batch = 1000 // rows that one transaction deletes, for which others wait in SQLite
	for {
		deleted, err := s.db.Exec(ctx, `
			DELETE FROM undo_records
			WHERE id IN (
				SELECT id
				FROM undo_records
				WHERE created_at < $1 AND import_id IS NULL
				ORDER BY created_at
				LIMIT $2)`, s.now().Add(-undoAge), batch)
		if err != nil || deleted < batch {
			return err
		}
	}
}
