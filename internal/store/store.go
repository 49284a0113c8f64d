// Package store remembers the collection: the SQL for every question and every
// change, the migrations, and what SQLite and PostgreSQL do differently. It knows
// who may see an entry, since that is part of each question; what a person may do
// is decided above, in the library.
//
// A change is one transaction that no caller ever sees; a question is answered
// from one snapshot.
package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"strings"
	"time"

	"waymark/internal/waymark"
)

// Store is an open database. Its methods may be called from many goroutines.
type Store struct {
	dialect dialect
	read    *sql.DB
	cache   *stmtCache // the prepared statements of read
	writer  writer
	write   *sql.DB        // nil where read writes too
	close   []func() error // in the order of their running
	now     func() waymark.Time

	// How many snapshots may be open at a time, for what is read at once, for searches among
	// that, and for what is shown while it is read. They never take all the connections: a
	// snapshot may need a second one to prepare a statement, and slow readers of
	// long answers must not keep the others waiting.
	readSlots, searchSlots semaphore
	streams                *streams
}

// Options say which database to open, and how.
type Options struct {
	Dir      string // the folder with the SQLite file and all else; made if missing
	Database string // "" for SQLite in Dir, else a postgres:// URL
	Serve    bool   // hold the folder against a second server until Close
	// Connections is how many connections to PostgreSQL may be open: at least 3, 0 for 20.
	Connections int
	Log         *slog.Logger

	Now func() waymark.Time // the clock; nil for the machine's
}

// Open opens the database, creates it where there is none, and applies the
// migrations that it lacks. Its errors are sentences for the operator.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = func() waymark.Time { return waymark.FromTime(time.Now()) }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Connections == 0 {
		o.Connections = 20
	}
	switch {
	case o.Database == "":
		return openSQLite(ctx, o)
	case strings.HasPrefix(o.Database, "postgres://"), strings.HasPrefix(o.Database, "postgresql://"):
		return openPostgres(ctx, o)
	}
	return nil, errors.New("the database setting must be empty, for SQLite, or start with postgres://")
}

// Close waits for running changes and closes the database.
func (s *Store) Close() error {
	var errs []error
	for _, c := range s.close {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// Ping tells whether the database answers, and can be written where that is known
// without writing.
func (s *Store) Ping(ctx context.Context) error {
	return s.dialect.mapError(s.read.PingContext(ctx))
}

// ask is the querier for questions of a single statement.
func (s *Store) ask() querier { return querier{runner: s.read, dialect: &s.dialect, cache: s.cache} }

// change runs one whole change: it is durable when change returns nil, and has
// left no trace when it returns an error. Where the database asks for it, do runs
// again from the start, so it must set what it returns and add to nothing.
func (s *Store) change(ctx context.Context, do func(ctx context.Context, q querier) error) error {
	return s.dialect.mapError(s.writer.change(ctx, do))
}

// writer runs changes, each one whole or not at all.
type writer interface {
	change(ctx context.Context, do func(ctx context.Context, q querier) error) error
	stats(into *Stats)
}
