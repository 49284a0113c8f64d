package database

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
)

// openReadOnly opens a database whose files or directory this process cannot write, which why says. Reads work, and
// every write returns why.
func (db *DB) openReadOnly(ctx context.Context, o Options, why error) error {
	if found, err := hasDatabase(o.Dir); err != nil || !found || checkAccess(filepath.Join(o.Dir, SQLiteFile), readAccess) != nil {
		return why
	}
	mode, err := readingMode(ctx, o.Dir)
	if err != nil {
		return err
	}
	if err := db.openReadConnections(sqliteURL(filepath.Join(o.Dir, SQLiteFile), mode, cacheSize(readerCache), waitWhileBusy(busyTimeout), "_pragma=query_only(1)", "_pragma=temp_store(MEMORY)")); err != nil {
		return err
	}
	all, err := readMigrations(o.Migrations, "sqlite")
	if err != nil {
		return err
	}
	missing, err := pending(ctx, db.read, &sqliteDialect, all)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("the database in %s must be migrated: %w", o.Dir, why)
	}
	db.writer = readOnly{why}
	return err
}

// readOnly is the writer of a database that cannot be written.
type readOnly struct{ why error }

func (w readOnly) writeTx(context.Context, func(context.Context, Querier) error) error { return w.why }

// ReadOnly returns why the database cannot be written, or nil if it can. Open with Options.Exclusive returns that error
// itself.
func (db *DB) ReadOnly() error {
	if w, ok := db.writer.(readOnly); ok {
		return w.why
	}
	return nil
}

// readingMode returns the mode in which the database in a directory can be read. SQLite reads the write-ahead log with an
// index in a file beside it. Where it cannot create that file, it must exist; or the log must be empty.
func readingMode(ctx context.Context, dir string) (mode string, err error) {
	file := filepath.Join(dir, SQLiteFile)
	if checkAccess(dir, writeAccess) == nil && checkAccess(file, writeAccess) == nil {
		return "mode=rw", nil
	}
	db, err := sql.Open("sqlite", sqliteURL(file, "mode=ro"))
	if err != nil {
		return "", err
	}
	defer db.Close() //nolint:errcheck // nothing was written
	var tables int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables)
	switch {
	case err == nil:
		return "mode=ro", nil
	case isDamage(err) || ctx.Err() != nil:
	case fileSize(file+"-wal") == 0:
		return "immutable=1", nil
	case fileSize(file+"-shm") == 0:
		return "", fmt.Errorf("%s has a write-ahead log without an index, and cannot be read where nothing can be written: copy its directory to another disk, and use --data", file)
	}
	return "", sqliteOpenError(file, err)
}
