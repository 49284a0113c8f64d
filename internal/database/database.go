// Package database opens SQLite or PostgreSQL and runs statements on them: read and
// write transactions, prepared statements, batched commits, WAL checkpoints,
// fail-over, and errors mapped to the domain's. It knows no table: the statements
// and the migrations are the caller's.
package database

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"time"
)

// Kind is a database system.
type Kind int

// The supported database systems.
const (
	SQLite Kind = iota
	PostgreSQL
)

// DB is an open database. Its methods may be called from many goroutines.
type DB struct {
	dialect *dialect
	read    *sql.DB
	stmts   *stmtCache // the prepared statements of read; nil to prepare nothing
	trace   func(text string)
	writer  writer
	write   *sql.DB        // nil where read writes too
	close   []func() error // in the order in which Close runs them

	// The concurrent read transactions of each kind. Together they never use all
	// connections: a transaction may need a second one to prepare a statement.
	readSlots, searchSlots semaphore
	streams                *streams
}

// Options say which database to open, and how.
type Options struct {
	Dir       string // the folder of the SQLite file; created if missing
	URL       string // "" for SQLite in Dir, else a postgres:// URL
	Exclusive bool   // lock Dir against other exclusive users until Close
	// Connections is the maximum number of connections to PostgreSQL: at least 3, 0 for 20.
	Connections int
	// StreamMinRun is how long a streaming read runs before another one may preempt it;
	// 0 for a minute.
	StreamMinRun time.Duration
	// Migrations has the folders sqlite and postgres with numbered .sql files.
	Migrations fs.FS
	Log        *slog.Logger // nil to discard
	// Trace is called with the text of each statement before it runs; nil for none. It
	// must be safe for concurrent use.
	Trace func(text string)
}

// Open opens the database, creates it if it does not exist, and applies pending
// migrations. Its errors are sentences for the operator.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Connections == 0 {
		o.Connections = 20
	}
	if o.StreamMinRun == 0 {
		o.StreamMinRun = time.Minute
	}
	switch {
	case o.URL == "":
		return openSQLite(ctx, o)
	case IsPostgresURL(o.URL):
		return openPostgres(ctx, o)
	}
	return nil, errors.New("the database setting must be empty, for SQLite, or start with postgres://")
}

// IsPostgresURL reports whether s is a URL of a PostgreSQL database.
func IsPostgresURL(s string) bool {
	return strings.HasPrefix(s, "postgres://") || strings.HasPrefix(s, "postgresql://")
}

// Kind returns the database system.
func (db *DB) Kind() Kind { return db.dialect.kind }

// Close waits for running write transactions and closes the database.
func (db *DB) Close() error {
	var errs []error
	for _, c := range db.close {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// Ping reports whether the database responds, and can be written where that is known
// without writing.
func (db *DB) Ping(ctx context.Context) error {
	return db.dialect.mapError(db.read.PingContext(ctx))
}

// Querier returns a querier for single SELECT statements outside a transaction.
func (db *DB) Querier() Querier {
	return Querier{runner: db.read, dialect: db.dialect, stmts: db.stmts, trace: db.trace}
}

// WriteTx runs do in a write transaction, on the goroutine of the writer. The changes
// are durable when WriteTx returns nil, and rolled back when it returns an error. do
// may run more than once (PostgreSQL: after a serialization failure), so it must
// assign its results, not add to them.
func (db *DB) WriteTx(ctx context.Context, do func(ctx context.Context, q Querier) error) error {
	return db.writer.change(ctx, do)
}

// writer runs write transactions.
type writer interface {
	change(ctx context.Context, do func(ctx context.Context, q Querier) error) error
	stats(into *Stats)
}
