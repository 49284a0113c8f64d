package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"waymark/internal/waymark"
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

// Open waits lockTimeout for an exclusive user that is about to exit.
const (
	lockTimeout  = 2 * time.Second
	lockInterval = 50 * time.Millisecond
)

func (db *DB) openSQLite(ctx context.Context, o Options) error {
	db.trace = o.Trace
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return fmt.Errorf("find the data directory %s: %w", o.Dir, err)
	}
	o.Dir, db.dir = dir, dir
	health := &sqliteHealth{file: filepath.Join(o.Dir, SQLiteFile), log: o.Log}
	db.dialect = healthDialect(health)
	if o.MustExist {
		if err := requireDatabase(o.Dir); err != nil {
			return err
		}
	}
	if err := createFiles(o.Dir); err != nil {
		if o.Exclusive || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
			return err
		}
		return db.openReadOnly(ctx, o, err)
	}

	// One process opens and migrates the database at a time, so that the others can tell
	// a migration, which ends, from a server that holds the lock until it is stopped.
	opening := flock.New(filepath.Join(o.Dir, sqliteOpenLock))
	if err := waitForLock(ctx, opening, o.Log); err != nil {
		return err
	}
	defer opening.Unlock() //nolint:errcheck // the lock ends with the process at the latest
	exclusive := flock.New(filepath.Join(o.Dir, sqliteLock))
	if o.Exclusive {
		if err := db.lockExclusively(ctx, exclusive, o.Dir); err != nil {
			return err
		}
	}
	if err := protectFiles(o.Dir); err != nil {
		return err
	}
	if err := checkNotLost(o.Dir); err != nil {
		return err
	}
	return db.openSQLiteFile(ctx, health, exclusive, o)
}

// openSQLiteFile opens the database file of a directory that the caller has locked: it opens the
// connections, checks and migrates the database, and starts the writer.
func (db *DB) openSQLiteFile(ctx context.Context, health *sqliteHealth, exclusive *flock.Flock, o Options) (err error) {
	file := health.file
	if err := db.openWriteConnection(ctx, file); err != nil {
		return err
	}
	if health.opened, err = os.Stat(file); err != nil {
		return accessError("open", file, err)
	}
	if err := migrateSQLite(ctx, db.write, exclusive, o); err != nil {
		return err
	}
	if err := db.openReadConnections(sqliteURL(file, connectionSettings(readerCache, "_pragma=query_only(1)", "_pragma=temp_store(MEMORY)")...)); err != nil {
		return err
	}
	w, err := db.startBatchWriter(ctx, health)
	if err != nil {
		return err
	}
	db.writer = w
	db.onClose(w.close)
	return nil
}

// requireDatabase returns an error if there is no database in a directory.
func requireDatabase(dir string) error {
	found, err := hasDatabase(dir)
	if err == nil && !found {
		err = noDatabaseError("in " + dir)
	}
	return err
}

// lockExclusively locks the database until db is closed.
func (db *DB) lockExclusively(ctx context.Context, exclusive *flock.Flock, dir string) error {
	switch ok, err := tryLock(ctx, exclusive); {
	case err != nil:
		return err
	case !ok:
		return inUseError(dir)
	}
	db.onClose(exclusive.Unlock)
	return nil
}

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

// tryLock locks a file, and reports false if another process holds the lock for longer than lockTimeout.
func tryLock(ctx context.Context, lock *flock.Flock) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	ok, err := lock.TryLockContext(limited, lockInterval)
	if ok || ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return ok, nil
	}
	return false, lockError(lock, err)
}

// waitForLock locks a file. It waits for as long as another process holds the lock.
func waitForLock(ctx context.Context, lock *flock.Flock, log *slog.Logger) error {
	ok, err := lock.TryLock()
	if err == nil && !ok {
		log.Info("waiting for another process to open or migrate the database", "lock", lock.Path())
		ok, err = lock.TryLockContext(ctx, lockInterval)
	}
	if !ok {
		return lockError(lock, err)
	}
	return nil
}

func lockError(lock *flock.Flock, err error) error { return accessError("lock", lock.Path(), err) }

func inUseError(dir string) error {
	return fmt.Errorf("the data directory %s is in use by another Waymark server or command: stop that one first, or use another directory", dir)
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

// migrateSQLite applies pending migrations. A process that is not an exclusive user locks the directory for them, so
// that it never changes the schema under a server.
func migrateSQLite(ctx context.Context, db *sql.DB, exclusive *flock.Flock, o Options) error {
	all, err := readMigrations(o.Migrations, "sqlite")
	if err != nil {
		return err
	}
	missing, err := pending(ctx, db, &sqliteDialect, all)
	switch {
	case err != nil || len(missing) == 0:
		return err
	case o.MustExist && len(missing) == len(all):
		return noDatabaseError("in " + o.Dir)
	}
	if !o.Exclusive {
		switch ok, err := tryLock(ctx, exclusive); {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("the database in %s must be migrated, but a Waymark server is using it: stop that server first", o.Dir)
		}
		defer exclusive.Unlock() //nolint:errcheck // the lock ends with the process at the latest
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // no effect after a commit
	if err := migrate(ctx, tx, &sqliteDialect, all, ""); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}

var sqliteDialect = dialect{
	kind:           SQLite,
	readTxOptions:  &sql.TxOptions{},
	mapDriverError: mapSQLiteError,
	jsonRows:       func(parameter string) string { return "json_each(" + parameter + ")" },
	inSubquery:     func(query string) string { return "IN (" + query + ")" },
	tableExists: func(name string) string {
		return "EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '" + name + "')"
	},
	schemaObjects: `
		SELECT tbl_name || ': ' || type || ' ' || name, sql
		FROM sqlite_master
		WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'sqlite!_%' ESCAPE '!'`,
	// limitBranch is nil: SQLite merges ordered branches row by row and stops by itself,
	// while a limited branch would be sorted again.

	// SQLite has one writer at a time, so there is nothing to lock.
	lock: func(context.Context, Querier, int64) error { return nil },
	// https://www.sqlite.org/autoinc.html
	lastID: func(ctx context.Context, q Querier, table string) (int64, error) {
		return QueryOne(ctx, q, ScanValue[int64], "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = $1), 0)", table)
	},
	setLastID: func(ctx context.Context, q Querier, table string, id int64) error {
		if _, err := q.Exec(ctx, "INSERT INTO sqlite_sequence (name, seq) SELECT $1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = $1)", table); err != nil {
			return err
		}
		_, err := q.Exec(ctx, "UPDATE sqlite_sequence SET seq = max(seq, $2) WHERE name = $1", table, id)
		return err
	},
}

// healthDialect returns the dialect of SQLite, whose errors are reported to health.
func healthDialect(health *sqliteHealth) *dialect {
	d := sqliteDialect
	d.mapDriverError = func(err error) error {
		health.observe(err)
		return mapSQLiteError(err)
	}
	return &d
}

// mapSQLiteError maps the result codes of https://www.sqlite.org/rescode.html.
func mapSQLiteError(err error) error {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %w", waymark.ErrConflict, err)
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fmt.Errorf("%w: %w", waymark.ErrNotFound, err)
	}
	switch resultCode(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY,
		sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL:
		return fmt.Errorf("%w: %w", waymark.ErrUnavailable, err)
	}
	return err
}
