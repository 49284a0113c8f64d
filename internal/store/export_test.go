package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"
)

// What tests cannot see from outside.

// KnowAtMost makes long answers forget the lists and tags that they have read, once
// there are more than so many. It returns how many there were.
func KnowAtMost(n int) int {
	before := mostKnown
	mostKnown = n
	return before
}

// FewAre says how many links a search counts as few. It returns how many they were.
func FewAre(n int) int {
	before := few
	few = n
	return before
}

// HoldSearches takes the turns of all searches until it is told to release them.
func (s *Store) HoldSearches() (release func()) {
	for range cap(s.searchSlots) {
		s.searchSlots <- struct{}{}
	}
	return func() {
		for range cap(s.searchSlots) {
			s.searchSlots.release()
		}
	}
}

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
	return queryAll(ctx, q, func(rows *sql.Rows, row *[]any) error {
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
func (s *Store) Waiting() int { return len(s.writer.(*batchWriter).jobs) }

// Statements are the texts that SQLite has prepared, of questions and of changes.
func (s *Store) Statements() []string {
	var texts []string
	for _, c := range []*stmtCache{s.cache, s.writer.(*batchWriter).cache} {
		c.mu.RLock()
		texts = slices.AppendSeq(texts, maps.Keys(c.byText))
		c.mu.RUnlock()
	}
	return texts
}

// KeepLog sets what checkpoints are run by: sizes in bytes, and how long changes
// wait for readers.
func (s *Store) KeepLog(ctx context.Context, every, long, tooLong int64, patience time.Duration) error {
	return s.change(ctx, func(context.Context, querier) error {
		c := s.writer.(*batchWriter).checkpoints
		c.interval, c.blockAt, c.preemptAt, c.maxWait = every, long, tooLong, patience
		return nil
	})
}

// Snapshot begins to read, like a question that takes until end is called.
func (s *Store) Snapshot(ctx context.Context) (end func() error, err error) {
	tx, err := s.read.BeginTx(ctx, s.dialect.readTxOptions)
	if err != nil {
		return nil, err
	}
	_, err = rowsOf(ctx, querier{runner: tx}, "SELECT count(*) FROM users")
	return tx.Rollback, err
}

// SafeStreams sets how long a stream runs that cannot be broken off.
func (s *Store) SafeStreams(d time.Duration) { s.streams.minRun = d }
