package store

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

func openSQLite(ctx context.Context, o Options) (_ *Store, err error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("the data folder %s cannot be made: %w", o.Dir, err)
	}
	s := &Store{dialect: sqliteDialect, now: o.Now}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()

	lock := flock.New(filepath.Join(o.Dir, sqliteLock))
	if o.Serve {
		if err := takeLock(ctx, lock); err != nil {
			return nil, fmt.Errorf("the data folder %s is in use by another Waymark server, or %w", o.Dir, err)
		}
		s.close = append(s.close, lock.Unlock)
	}

	file := filepath.Join(o.Dir, sqliteFile)
	write, err := sql.Open("sqlite", sqliteURL(file, writerCache, "_txlock=immediate", "_pragma=wal_autocheckpoint(0)"))
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	s.close = append([]func() error{write.Close}, s.close...)
	if err := write.PingContext(ctx); err != nil {
		return nil, fmt.Errorf("the database %s cannot be opened for writing: %w", file, err)
	}
	if err := migrateSQLite(ctx, write, lock, o); err != nil {
		return nil, err
	}
	if s.read, err = sql.Open("sqlite", sqliteURL(file, readerCache, "_pragma=query_only(1)")); err != nil {
		return nil, err
	}
	s.read.SetMaxOpenConns(sqliteReaders)
	s.read.SetMaxIdleConns(sqliteReaders)
	s.write = write
	s.allotConnections(sqliteReaders)
	s.cache = &stmtCache{on: s.read}
	s.close = append([]func() error{s.cache.close, s.read.Close}, s.close...)

	w, err := startSQLiteWriter(ctx, write, file, newCheckpoints(s.streams))
	if err != nil {
		return nil, err
	}
	s.writer = w
	s.close = append([]func() error{w.close}, s.close...)
	return s, nil
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
	if !o.Serve {
		if err := takeLock(ctx, lock); err != nil {
			return fmt.Errorf("the database in %s must be brought up to date first, but its folder is in use: stop the server that uses it", o.Dir)
		}
		defer lock.Unlock() //nolint:errcheck // the lock ends with the process at the latest
	}
	return m.up(ctx)
}

var sqliteDialect = dialect{
	readTxOptions: &sql.TxOptions{},
	mapError:      mapSQLiteError,
	jsonRows:      func(place string) string { return "json_each(" + place + ")" },
	inSubquery:    func(query string) string { return "IN (" + query + ")" },
	indexScans:    func(terms []string) []way { return []way{{terms: terms}} },
	// It merges queries as it goes and stops by itself, but a limited one it sorts again.
	limit:    func(query, most string) string { return query },
	contains: sqliteContains,
	findText: sqliteText,
	// There is one writer: everybody waits.
	lock: func(context.Context, querier, waymark.UserID) error { return nil },
	// AUTOINCREMENT goes on behind the largest id by itself.
	resetSequence: func(context.Context, querier, string) error { return nil },
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

func sqliteContains(column, place string) string { return "instr(" + column + ", " + place + ") > 0" }

// sqliteText asks the text index. Of a text of more than three characters that tells
// only that its parts are in the columns: so it looks again. Fewer than three the
// index does not know.
func sqliteText(t textQuery) finder {
	test := t.test(sqliteContains)
	runes := []rune(t.text)
	if len(runes) < trigram {
		return finder{
			id: "e.id",
			find: func(a *args, shelf waymark.UserID) string {
				return "FROM links AS e WHERE e.shelf = " + a.add(shelf) + " AND " + test.sql(a)
			},
			test: test,
		}
	}
	match := func(a *args, shelf waymark.UserID) string {
		return "links_text MATCH " + a.add(trigrams(t, shelf, runes))
	}
	f := finder{
		id: "e.id",
		find: func(a *args, shelf waymark.UserID) string {
			from := "FROM links_text CROSS JOIN links AS e WHERE " + match(a, shelf) + " AND e.id = links_text.rowid"
			if len(runes) > trigram {
				from += " AND " + test.sql(a)
			}
			return from
		},
		most:   func(a *args, shelf waymark.UserID) string { return "FROM links_text WHERE " + match(a, shelf) },
		test:   test,
		marked: true,
	}
	if len(runes) == trigram {
		f.alone, f.aloneID = f.most, "links_text.rowid"
	}
	return f
}

// mostTrigrams is how many the text index is asked for: each costs, and the links
// that have so many in common are few.
const mostTrigrams = 60

// trigrams is the question to the text index for so many of a text's groups of three
// characters that each character is in one, or for some of a long text; and for what
// the triggers write beside a link's texts: three characters that no text has.
func trigrams(t textQuery, shelf waymark.UserID, text []rune) string {
	var match strings.Builder
	match.WriteString(`shelf : "` + string([]rune{0xF0000 + rune(shelf>>30&0x7FFF), 0xF0000 + rune(shelf>>15&0x7FFF), 0xF0000 + rune(shelf&0x7FFF)}) + `"`)
	for _, v := range t.visibility {
		match.WriteString(` AND visibility : "` + string([]rune{0xF8000, 0xF8000, 0xF8000 + rune(v)}) + `"`)
	}
	if t.broken {
		match.WriteString(` AND broken : "` + string([]rune{0xF8001, 0xF8001, 0xF8001}) + `"`)
	}
	among := strings.ReplaceAll(strings.Join(t.columns, " "), "_key", "")
	last := len(text) - trigram
	step := max(trigram, last/mostTrigrams+1)
	for i := 0; ; i = min(i+step, last) {
		part := strings.ReplaceAll(string(text[i:i+trigram]), `"`, `""`)
		match.WriteString(` AND {` + among + `} : "` + part + `"`)
		if i == last {
			return match.String()
		}
	}
}
