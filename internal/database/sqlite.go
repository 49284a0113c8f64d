package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"waymark/internal/waymark"
)

const (
	sqliteFile    = "waymark.db"
	sqliteLock    = "waymark.lock"
	sqliteReaders = 12
	pageSize      = 4096 // of the file, which SQLite writes page by page
)

// busyTimeout is how long a statement waits for other processes.
const busyTimeout = 10 * time.Second

// How much of the database a connection keeps in memory, in KiB. What it takes is
// nearly twice that, and a reader throws it all away whenever somebody has written,
// so there is little to gain: the system keeps the file in memory anyway.
const (
	writerCache = 8000
	readerCache = 2000
)

// lockTimeout is how long Open waits for another process to finish a migration.
const lockTimeout = 2 * time.Second

func openSQLite(ctx context.Context, o Options) (_ *DB, err error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("the data folder %s cannot be made: %w", o.Dir, err)
	}
	db := &DB{dialect: &sqliteDialect, trace: o.Trace}
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()

	lock := flock.New(filepath.Join(o.Dir, sqliteLock))
	if o.Exclusive {
		if err := takeLock(ctx, lock); err != nil {
			return nil, fmt.Errorf("the data folder %s is in use by another Waymark server, or %w", o.Dir, err)
		}
		db.close = append(db.close, lock.Unlock)
	}

	file := filepath.Join(o.Dir, sqliteFile)
	write, err := sql.Open("sqlite", sqliteURL(file, writerCache, "_txlock=immediate", "_pragma=wal_autocheckpoint(0)"))
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	db.close = append([]func() error{write.Close}, db.close...)
	if err := write.PingContext(ctx); err != nil {
		return nil, fmt.Errorf("the database %s cannot be opened for writing: %w", file, err)
	}
	if err := migrateSQLite(ctx, write, lock, o); err != nil {
		return nil, err
	}
	if db.read, err = sql.Open("sqlite", sqliteURL(file, readerCache, "_pragma=query_only(1)")); err != nil {
		return nil, err
	}
	db.read.SetMaxOpenConns(sqliteReaders)
	db.read.SetMaxIdleConns(sqliteReaders)
	db.write = write
	db.allotConnections(sqliteReaders, o.StreamMinRun)
	db.stmts = &stmtCache{on: db.read}
	db.close = append([]func() error{db.stmts.close, db.read.Close}, db.close...)

	w, err := startSQLiteWriter(ctx, write, file, newCheckpoints(db.streams), o.Trace)
	if err != nil {
		return nil, err
	}
	db.writer = w
	db.close = append([]func() error{w.close}, db.close...)
	return db, nil
}

// sqliteURL says how every connection is set up. FULL makes each commit reach the
// disk before it is answered; WAL lets readers go on meanwhile.
func sqliteURL(file string, cache int, more ...string) string {
	settings := append([]string{
		fmt.Sprintf("_pragma=cache_size(-%d)", cache),
		fmt.Sprintf("_pragma=busy_timeout(%d)", busyTimeout.Milliseconds()),
		"_pragma=journal_mode(WAL)",
		"_pragma=synchronous(FULL)",
		"_pragma=foreign_keys(1)",
		"_pragma=temp_store(MEMORY)",
		"_pragma=journal_size_limit(67108864)",
	}, more...)
	return "file:" + (&url.URL{Path: file}).EscapedPath() + "?" + strings.Join(settings, "&")
}

func takeLock(ctx context.Context, lock *flock.Flock) error {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	ok, err := lock.TryLockContext(ctx, 50*time.Millisecond)
	switch {
	case ok:
		return nil
	case err == nil, errors.Is(err, context.DeadlineExceeded):
		return errors.New("by a command that runs for long: stop that one first, or choose another folder with --data")
	}
	return fmt.Errorf("cannot be locked: %w", err)
}

// migrateSQLite brings the tables up to date. A command that finds something to do
// takes the folder's lock for it, so that it never changes the tables under a server.
func migrateSQLite(ctx context.Context, db *sql.DB, lock *flock.Flock, o Options) error {
	m, err := newMigration(db, "sqlite", o)
	if err != nil {
		return err
	}
	pending, err := m.pending(ctx)
	if err != nil || !pending {
		return err
	}
	if !o.Exclusive {
		if err := takeLock(ctx, lock); err != nil {
			return fmt.Errorf("the database in %s must be brought up to date first, but its folder is in use: stop the server that uses it", o.Dir)
		}
		defer lock.Unlock() //nolint:errcheck // the lock ends with the process at the latest
	}
	return m.up(ctx)
}

var sqliteDialect = dialect{
	kind:          SQLite,
	readTxOptions: &sql.TxOptions{},
	mapError:      mapSQLiteError,
	jsonRows:      func(parameter string) string { return "json_each(" + parameter + ")" },
	inSubquery:    func(query string) string { return "IN (" + query + ")" },
	// limitBranch is nil: SQLite merges ordered branches as it goes and stops by itself,
	// but sorts a limited branch again.
	// There is one writer, so a write transaction has locked everything already.
	lock: func(context.Context, Querier, int64) error { return nil },
	// AUTOINCREMENT follows the largest id by itself.
	resetSequence: func(context.Context, Querier, string) error { return nil },
}

func mapSQLiteError(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %w", waymark.ErrConflict, err)
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fmt.Errorf("%w: %w", waymark.ErrNotFound, err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY,
		sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL:
		return fmt.Errorf("%w: %w", waymark.ErrUnavailable, err)
	}
	return err
}
