package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
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

// lockPatience is how long Open waits for another process to finish a migration.
const lockPatience = 2 * time.Second

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
	s.share(sqliteReaders)
	s.cache = &statements{on: s.read}
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
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
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
	snapshot:  &sql.TxOptions{},
	translate: translateSQLite,
	rows:      func(place string) string { return "json_each(" + place + ")" },
	among:     func(query string) string { return "IN (" + query + ")" },
	order:     slices.Clone[[]string],
	// It merges queries as it goes and stops by itself, but a limited one it sorts again.
	first:     func(query, most string) string { return query },
	contains:  sqliteContains,
	textMatch: sqliteTextMatch,
	textCount: sqliteTextCount,
	// There is one writer: everybody waits.
	claimNames: func(context.Context, querier, waymark.UserID) error { return nil },
	// AUTOINCREMENT goes on behind the largest id by itself.
	continueIDs: func(context.Context, querier, string) error { return nil },
}

func translateSQLite(err error) error {
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

// shelfToken is a shelf as it stands in the text index: three characters that no
// text has, hence one trigram. The triggers write the same.
func shelfToken(shelf waymark.UserID) string {
	return string([]rune{0xF0000 + rune(shelf>>30&0x7FFF), 0xF0000 + rune(shelf>>15&0x7FFF), 0xF0000 + rune(shelf&0x7FFF)})
}

func sqliteContains(column, place string) string { return "instr(" + column + ", " + place + ") > 0" }

// sqliteTextMatch asks the text index for every three characters of text. Where
// there are more, it tells only that all of them are in the columns: so it looks
// again. Fewer than three it does not know.
func sqliteTextMatch(a *args, shelf waymark.UserID, text string, columns []string) string {
	from := "FROM links AS e WHERE e.shelf = " + a.add(shelf)
	runes := []rune(text)
	if len(runes) >= 3 {
		from = "FROM links_text CROSS JOIN links AS e WHERE links_text MATCH " + a.add(trigrams(shelf, runes, columns)) + " AND e.id = links_text.rowid"
	}
	if len(runes) == 3 {
		return from
	}
	return from + " AND " + containsAny(sqliteContains, a.add(text), columns)
}

// sqliteTextCount counts by the text index alone, where that tells all.
func sqliteTextCount(text string, columns []string) func(a *args, shelf waymark.UserID) string {
	runes := []rune(text)
	if len(runes) != 3 {
		return nil
	}
	return func(a *args, shelf waymark.UserID) string {
		return "FROM links_text WHERE links_text MATCH " + a.add(trigrams(shelf, runes, columns))
	}
}

// mostTrigrams is how many the text index is asked for: each costs, and the links
// that have so many in common are few.
const mostTrigrams = 60

// trigrams is the question to the text index for so many of a text's groups of three
// characters that each character is in one, or for some of a long text.
func trigrams(shelf waymark.UserID, text []rune, columns []string) string {
	var match strings.Builder
	match.WriteString(`shelf : "` + shelfToken(shelf) + `"`)
	among := strings.ReplaceAll(strings.Join(columns, " "), "_key", "")
	last := len(text) - 3
	step := max(3, last/mostTrigrams+1)
	for i := 0; ; i = min(i+step, last) {
		part := strings.ReplaceAll(string(text[i:i+3]), `"`, `""`)
		match.WriteString(` AND {` + among + `} : "` + part + `"`)
		if i == last {
			break
		}
	}
	return match.String()
}
