// Package database opens SQLite or PostgreSQL and runs statements on them: read and write
// transactions, prepared statements, batched commits, WAL checkpoints, fail-over, and errors mapped
// to errors of package waymark. It knows no table: the caller brings the statements and the
// migrations.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"waymark/internal/waymark"
)

// DB is an open database. Its methods may be called from many goroutines.
type DB struct {
	dialect *dialect
	dir     string // of the SQLite file
	read    *sql.DB
	stmts   *stmtCache // the prepared statements of read; nil to prepare nothing
	trace   func(text string)
	writer  writer
	commits prometheus.Histogram
	write   *sql.DB  // nil where read writes too
	health  *sql.DB  // PostgreSQL only: the pool of Ping
	within  *Querier // the transaction that this is a part of, if any

	closers []func() error
	closing sync.Once

	limits *limits
}

// Options say which database to open, and how.
type Options struct {
	Dir       string // the directory of the SQLite file
	URL       string // "" for SQLite in Dir, else a postgres:// URL
	Exclusive bool   // lock Dir against other exclusive users until Close; SQLite only
	MustExist bool   // return an error if there is no database, instead of creating it
	// KeepSchema makes Open return an error if the database must be migrated, instead of migrating it; PostgreSQL only.
	KeepSchema bool
	// Connections is the maximum number of connections to PostgreSQL: at least 4, 0 for 20.
	Connections int
	// Migrations has the folders sqlite and postgres with numbered .sql files.
	Migrations fs.FS
	Log        *slog.Logger // nil to discard
	// Trace gets the text of each statement before it runs, concurrently; nil for none.
	Trace func(text string)
}

// Kind returns the database system.
func (db *DB) Kind() Kind { return db.dialect.kind }

// Close waits for running write transactions and closes the database. Later calls of
// WriteTx return waymark.ErrUnavailable, and later calls of Close nil.
func (db *DB) Close() error {
	var err error
	db.closing.Do(func() { err = closeAll(db.closers) })
	return err
}

// closeAll calls functions that close something, the last one first.
func closeAll(closers []func() error) error {
	var errs []error
	for _, closer := range slices.Backward(closers) {
		errs = append(errs, closer())
	}
	return errors.Join(errs...)
}

// onClose adds a function that Close runs, before those that were added earlier.
func (db *DB) onClose(closer func() error) { db.closers = append(db.closers, closer) }

// Querier returns a querier for single SELECT statements outside a transaction.
func (db *DB) Querier() Querier {
	if db.within != nil {
		return *db.within
	}
	return Querier{runner: db.read, dialect: db.dialect, stmts: db.stmts, trace: db.trace}
}

// ErrCommitUnknown means that the changes of a write transaction may or may not be stored,
// because the COMMIT was sent and its result is not known. It wraps waymark.ErrUnavailable.
var ErrCommitUnknown = fmt.Errorf("%w: the result of the COMMIT is not known", waymark.ErrUnavailable)

// WriteTx runs do in a write transaction. The changes are durable when WriteTx returns
// nil, and rolled back when it returns another error than ErrCommitUnknown. Errors of do
// are returned as they are.
//
// On SQLite do runs on the goroutine of the one writer, and its statements are not interrupted when ctx
// ends: once do has started, WriteTx waits for its end and the commit. Between many statements do can
// look whether ctx has ended, and return its error. On PostgreSQL WriteTx returns
// when ctx ends. If the COMMIT was not sent yet, the transaction is rolled back; otherwise
// the COMMIT continues.
//
// do may run more than once on PostgreSQL, for example after a serialization failure. So it must
// assign its results, not add to them.
func (db *DB) WriteTx(ctx context.Context, do func(ctx context.Context, q Querier) error) error {
	return db.writer.writeTx(ctx, do)
}

// Exec runs a statement in a write transaction of its own, and returns the number of rows that it changed.
func (db *DB) Exec(ctx context.Context, text string, args ...any) (changed int64, err error) {
	err = db.WriteTx(ctx, func(ctx context.Context, q Querier) (err error) {
		changed, err = q.Exec(ctx, text, args...)
		return err
	})
	return changed, err
}

// writer runs write transactions.
type writer interface {
	writeTx(ctx context.Context, do func(ctx context.Context, q Querier) error) error
}
