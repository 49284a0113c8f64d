// Package store stores users, API keys, links, lists, tags and notes. It has every SQL
// statement about their tables, and the migrations. Its queries return only entities that
// the viewer may see; package service decides who may change them.
//
// A write is one transaction; a result is read from one snapshot.
package store

import (
	"context"
	"embed"
	"io/fs"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waymark/internal/database"
	"waymark/internal/store/accounts"
	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
	"waymark/internal/store/queue"
	"waymark/internal/store/snapshots"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

//go:embed migrations
var migrations embed.FS

// Store is an open database with Waymark's tables. It is safe for concurrent use.
type Store struct {
	Accounts  *accounts.Store  // users, and what they sign in with
	Snapshots *snapshots.Store // what is kept of pages
	Queue     *queue.Store     // the jobs that the server runs on links

	db        *database.DB
	dialect   *query.Dialect
	now       func() waymark.Time
	fetch     waymark.FetchPolicy
	index     *linkindex.Index
	recording *undo.Record // nil unless Undoable or StepImport records the changes
}

// Options say which database to open, and how.
type Options struct {
	Dir      string // the data folder, with the SQLite file
	Database string // "" for SQLite in Dir, else a postgres:// URL
	Serve    bool   // lock the data folder against a second server until Close
	// MustExist makes Open return an error if there is no database, instead of creating it.
	MustExist bool
	// KeepSchema makes Open return an error if the database must be migrated, instead of migrating it; PostgreSQL only.
	KeepSchema bool
	// Connections is the maximum number of connections to PostgreSQL: at least 4, 0 for 20.
	Connections int
	Log         *slog.Logger // nil to discard
	// Trace is called with the text of each SQL statement before it runs; nil for none.
	// It must be safe for concurrent use.
	Trace func(text string)

	Now func() waymark.Time // the clock; nil for the system's

	// Fetch says which pages of new and changed links are added to the queue of pages to be fetched.
	Fetch waymark.FetchPolicy
}

// Open opens the store of a database: see OpenDatabase. Its errors are sentences for the operator.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = func() waymark.Time { return waymark.FromTime(time.Now()) }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	db, err := OpenDatabase(ctx, o)
	if err != nil {
		return nil, err
	}
	s := &Store{
		dialect: query.NewDialect(db.Kind()),
		now:     o.Now,
		fetch:   o.Fetch,
		index:   linkindex.New(db, o.Log),
	}
	s.use(db)
	return s, nil
}

// OpenDatabase opens the database alone, for package doctor. It creates the database unless o.MustExist is
// set, and applies pending migrations.
func OpenDatabase(ctx context.Context, o Options) (*database.DB, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return database.Open(ctx, database.Options{
		Dir:         o.Dir,
		URL:         o.Database,
		Exclusive:   o.Serve,
		MustExist:   o.MustExist,
		KeepSchema:  o.KeepSchema,
		Connections: o.Connections,
		Migrations:  files,
		Log:         o.Log,
		Trace:       o.Trace,
	})
}

// use makes db the database of the store and of its parts.
func (s *Store) use(db *database.DB) {
	s.db = db
	s.Accounts = accounts.New(db, s.now)
	s.Snapshots = snapshots.New(db, s.now)
	s.Queue = queue.New(db, s.now, s.fetch)
}

// IsDiskFull reports whether the database found no space on its disk: see database.IsDiskFull.
func IsDiskFull(err error) bool { return database.IsDiskFull(err) }

// Close waits for running writes and closes the database.
func (s *Store) Close() error { return s.db.Close() }

// within returns the store as a part of a write transaction sees it. It has no search index, because the index must not
// have changes that can still be rolled back: in a transaction there are no searches.
func (s *Store) within(q database.Querier) *Store {
	part := *s
	part.use(s.db.Within(q))
	part.index = nil
	return &part
}

// writeTx runs a transaction that changes entities. It records nothing if it fails.
func (s *Store) writeTx(ctx context.Context, do change) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if s.recording == nil {
			return do(ctx, q)
		}
		before := *s.recording
		err := do(ctx, q)
		if err != nil {
			*s.recording = before
		}
		return err
	})
}

// change is what a transaction does.
type change = func(ctx context.Context, q database.Querier) error

// userTx is writeTx with the lock of a user, see table.LockUser.
func (s *Store) userTx(ctx context.Context, user waymark.UserID, do change) error {
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := table.LockUser(ctx, q, user); err != nil {
			return err
		}
		return do(ctx, q)
	})
}

// bulk is userTx for a transaction that changes many entities, with a permit for bulk changes.
func (s *Store) bulk(ctx context.Context, user waymark.UserID, do change) error {
	return s.db.Bulk(ctx, int64(user), func() error { return s.userTx(ctx, user, do) })
}

// bulkIf is bulk if many is true, and userTx otherwise.
func (s *Store) bulkIf(ctx context.Context, many bool, user waymark.UserID, do change) error {
	if many {
		return s.bulk(ctx, user, do)
	}
	return s.userTx(ctx, user, do)
}

// Ping returns waymark.ErrUnavailable if the database does not respond or cannot be
// written, on SQLite also if its file was found to be damaged.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// BackUp copies a SQLite database to a new file, as it is at one moment, while reads and writes
// go on. On PostgreSQL it is not supported.
func (s *Store) BackUp(ctx context.Context, file string) error { return s.db.BackUp(ctx, file) }

// Schemas returns the oldest schema that this version can migrate, and its own.
func Schemas() (first, last int64, err error) {
	return database.Schemas(migrations, "migrations/sqlite")
}

// Metrics returns the metrics of the database. They run no statement.
func (s *Store) Metrics() []prometheus.Collector { return s.db.Metrics() }

// SearchIndexBytes returns the memory that the search index takes, 0 before it is built.
func (s *Store) SearchIndexBytes() int64 { return s.index.Bytes() }

// Now returns the time of the store's clock.
func (s *Store) Now() waymark.Time { return s.now() }

// PruneChanges deletes old rows of the log of changes, which the search index reads.
func (s *Store) PruneChanges(ctx context.Context) error { return linkindex.Prune(ctx, s.db) }
