package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
)

// What tests cannot see from outside.

// Rows runs a statement on the readers and returns the rows, each with its columns.
func (s *Store) Rows(ctx context.Context, text string, args ...any) ([][]any, error) {
	return rowsOf(ctx, querier{runner: s.read}, text, args...)
}

// WriterRows does the same where changes run.
func (s *Store) WriterRows(ctx context.Context, text string, args ...any) (rows [][]any, err error) {
	err = s.change(ctx, func(ctx context.Context, q querier) error {
		rows, err = rowsOf(ctx, q, text, args...)
		return err
	})
	return rows, err
}

func rowsOf(ctx context.Context, q querier, text string, args ...any) ([][]any, error) {
	return all(ctx, q, func(rows *sql.Rows, row *[]any) error {
		names, err := rows.Columns()
		if err != nil {
			return err
		}
		*row = make([]any, len(names))
		places := make([]any, len(names))
		for i := range places {
			places[i] = &(*row)[i]
		}
		return rows.Scan(places...)
	}, text, args...)
}

// Change runs one change of the test's own.
func (s *Store) Change(ctx context.Context, do func(ctx context.Context, exec func(text string, args ...any) error) error) error {
	return s.change(ctx, func(ctx context.Context, q querier) error {
		return do(ctx, func(text string, args ...any) error {
			_, err := q.exec(ctx, text, args...)
			return err
		})
	})
}

// Waiting is how many changes wait for the one writer of SQLite.
func (s *Store) Waiting() int { return len(s.writer.(*groupWriter).jobs) }

// Statements are the texts that SQLite has prepared, of questions and of changes.
func (s *Store) Statements() []string {
	var texts []string
	for _, c := range []*statements{s.cache, s.writer.(*groupWriter).cache} {
		c.mu.RLock()
		texts = slices.AppendSeq(texts, maps.Keys(c.byText))
		c.mu.RUnlock()
	}
	return texts
}
