package store

import (
	"context"
	"errors"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
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
		ok, err = s.storeReverse(ctx, q, r, part.recording)
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

// storeReverse stores the record of a change, and deletes the user's oldest records that no longer
// fit. A record's position is the sum of the bytes before it, so the newest row and a range of an
// index show which those are.
func (s *Store) storeReverse(ctx context.Context, q database.Querier, r UndoRequest, reverse *undo.Record) (ok bool, err error) {
	encoded, err := reverse.Encode()
	if err != nil || encoded == nil || int64(len(encoded)) > undoBytes {
		return false, err
	}
	position, err := database.QueryOne(ctx, q, database.ScanValue[int64], `
		SELECT position + bytes
		FROM undo_records
		WHERE user_id = $1
		ORDER BY position DESC
		LIMIT 1`, r.User)
	if err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return false, err
	}
	bytes := min(undoBytes, max(minUndoBytes, int64(len(encoded))))
	if _, err := q.Exec(ctx, `
		INSERT INTO undo_records (hash, user_id, session_id, api_key_id, created_at, position, bytes, reverse)
		VALUES ($1, $2, $3, nullif(CAST($4 AS BIGINT), 0), $5, $6, $7, $8)`,
		table.HashText(r.Hash), r.User, r.Session, r.APIKey, s.now(), position, bytes, encoded); err != nil {
		return false, err
	}
	_, err = q.Exec(ctx, `
		DELETE FROM undo_records
		WHERE user_id = $1 AND position < $2`, r.User, position+bytes-undoBytes)
	return err == nil, err
}

// PruneUndoRecords deletes undo records that are older than a day. Call it regularly.
func (s *Store) PruneUndoRecords(ctx context.Context) error {
	const batch = 1000 // rows that one transaction deletes, for which others wait in SQLite
	for {
		deleted, err := s.db.Exec(ctx, `
			DELETE FROM undo_records
			WHERE hash IN (
				SELECT hash
				FROM undo_records
				WHERE created_at < $1
				ORDER BY created_at
				LIMIT $2)`, s.now().Add(-undoAge), batch)
		if err != nil || deleted < batch {
			return err
		}
	}
}
