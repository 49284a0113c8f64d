package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// prunedRows is the number of rows that one transaction deletes, for which others wait in SQLite.
const prunedRows = 1000

// pruneOld deletes the rows created before a time. key are the columns of the primary key.
func (s *Store) pruneOld(ctx context.Context, table, key string, before waymark.Time) error {
	for {
		old, err := database.QueryOne(ctx, s.db.Querier(), database.ScanValue[bool], `
			SELECT EXISTS (
				SELECT 1
				FROM `+table+`
				WHERE created_at < $1)`, before)
		if err != nil || !old { // the usual case needs no write transaction
			return err
		}
		if err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
			_, err := q.Exec(ctx, `
				DELETE FROM `+table+`
				WHERE (`+key+`) IN (
					SELECT `+key+`
					FROM `+table+`
					WHERE created_at < $1
					ORDER BY created_at
					LIMIT $2)`, before, prunedRows)
			return err
		}); err != nil {
			return err
		}
	}
}
