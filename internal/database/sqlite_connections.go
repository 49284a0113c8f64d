package database

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// SQLiteFile is the name of the database in the directory of a SQLite database.
const SQLiteFile = "waymark.db"

const (
	sqliteLock     = "waymark.lock"      // locked by an exclusive user, or for a migration
	sqliteOpenLock = "waymark.open.lock" // locked while a process opens the database
	pageSize       = 4096                // bytes
)

// busyTimeout is how long a statement waits for other processes.
const busyTimeout = 10 * time.Second

// sqliteReaders returns the number of connections for reads: more of them than there are processors,
// because streams wait for their clients. A connection takes about 1 MB, and on two processors 12
// are not faster than 8.
func sqliteReaders() int { return min(12, 6+runtime.GOMAXPROCS(0)) }

// The size of the page cache of a connection, in KiB. It takes nearly twice that memory.
// A larger one gains nothing: a reader discards its cache after each commit, and the
// system caches the file anyway. With 4000 KiB or less, the writer takes up to a quarter
// longer to change a thousand links at once.
const (
	writerCache = 6000
	readerCache = 250
)

// openWriteConnection opens the connection for writes, and switches the file to WAL mode, which lets
// reads run at the same time as a write. It leaves a database of another program unchanged. SQLite keeps what
// a savepoint can roll back in a temporary file: with temp_store=MEMORY, the deletion of 100 MB took 200 MB.
func (db *DB) openWriteConnection(ctx context.Context, file string) error {
	write, err := sql.Open("sqlite", sqliteURL(file, connectionSettings(writerCache, "_txlock=immediate", "_pragma=wal_autocheckpoint(0)", "_pragma=secure_delete(1)")...))
	if err != nil {
		return err
	}
	write.SetMaxOpenConns(1)
	db.write = write
	db.onClose(write.Close)
	var foreign bool
	if err := write.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM sqlite_master) AND NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name IN ('waymark_schema', 'goose_db_version'))").Scan(&foreign); err != nil {
		return sqliteOpenError(file, err)
	}
	if foreign {
		return fmt.Errorf("%s is a database of another program: use another directory. Nothing was changed.", file) //nolint:revive,staticcheck // sentences for the operator
	}
	// The file stays in this mode, so other connections need not set it.
	if _, err := write.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return sqliteOpenError(file, err)
	}
	return nil
}

func (db *DB) openReadConnections(source string) (err error) {
	if db.read, err = sql.Open("sqlite", source); err != nil {
		return err
	}
	readers := sqliteReaders()
	db.read.SetMaxOpenConns(readers)
	db.read.SetMaxIdleConns(readers)
	db.onClose(db.read.Close)
	db.stmts = &stmtCache{preparer: db.read}
	db.onClose(db.stmts.close)
	db.limits = newLimits(SQLite, readers)
	return nil
}

// connectionSettings returns the settings of a connection to a file that this process can write to,
// and which exists: if it was deleted while the server ran, a new connection must not create another.
// synchronous=FULL syncs the disk at each commit.
func connectionSettings(cacheKiB int, more ...string) []string {
	return append([]string{
		"mode=rw",
		cacheSize(cacheKiB),
		waitWhileBusy(busyTimeout),
		"_pragma=synchronous(FULL)",
		"_pragma=foreign_keys(1)",
		"_pragma=journal_size_limit(67108864)",
	}, more...)
}

// cacheSize returns the setting for the size of the page cache.
func cacheSize(kib int) string { return fmt.Sprintf("_pragma=cache_size(-%d)", kib) }

// waitWhileBusy returns the setting for how long a statement waits for other connections.
func waitWhileBusy(timeout time.Duration) string {
	return fmt.Sprintf("_pragma=busy_timeout(%d)", timeout.Milliseconds())
}

// sqliteURL returns the URL of a file with settings of a connection.
func sqliteURL(file string, settings ...string) string {
	return "file:" + (&url.URL{Path: file}).EscapedPath() + "?" + strings.Join(settings, "&")
}

// sqliteOpenError explains why a database file cannot be opened.
func sqliteOpenError(file string, err error) error {
	switch resultCode(err) {
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%s is not a SQLite database: if it was one, %s", file, DamageAdvice)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("the database file %s is damaged (%w): %s", file, err, DamageAdvice)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("cannot write %s (%w): the user that runs this command must be able to write the directory and the files in it", file, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("cannot write %s (%w): free space on its disk", file, err)
	}
	return fmt.Errorf("cannot open %s: %w", file, err)
}
