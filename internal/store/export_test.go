package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
)

// Rows runs a query outside a transaction and returns its rows, each with its columns.
func (s *Store) Rows(ctx context.Context, text string, args ...any) ([][]any, error) {
	return queryRows(ctx, s.db.Querier(), text, args...)
}

func queryRows(ctx context.Context, q database.Querier, text string, args ...any) ([][]any, error) {
	scan := func(rows *sql.Rows, row *[]any) error {
		names, err := rows.Columns()
		if err != nil {
			return err
		}
		*row = make([]any, len(names))
		targets := make([]any, len(names))
		for i := range targets {
			targets[i] = &(*row)[i]
		}
		return rows.Scan(targets...)
	}
	return database.QueryAll(ctx, q, scan, text, args...)
}

// Change runs statements in one write transaction.
func (s *Store) Change(ctx context.Context, do func(ctx context.Context, exec func(text string, args ...any) error) error) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		return do(ctx, func(text string, args ...any) error {
			_, err := q.Exec(ctx, text, args...)
			return err
		})
	})
}
