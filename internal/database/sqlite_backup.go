package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// BackUp copies a SQLite database to a new file, as it is at one moment. Reads and writes go
// on. Checkpoints that wait for reads to end would wait for the copy, so there are none
// until it ends, and the write-ahead log grows. On PostgreSQL BackUp is not supported.
func (db *DB) BackUp(ctx context.Context, file string) error {
	if db.Kind() != SQLite {
		return errors.ErrUnsupported
	}
	defer db.beginLongRead()()
	return BackUpSQLite(ctx, db.dir, file)
}

// BackUpSQLite copies the SQLite database in a directory to a new file, as it is at one
// moment. Other processes may use the database at the same time. It does not migrate the
// database. Its errors are sentences for the operator.
func BackUpSQLite(ctx context.Context, dir, file string) (err error) {
	if err := requireDatabase(dir); err != nil {
		return err
	}
	mode, err := readingMode(ctx, dir)
	if err != nil {
		return err
	}
	from := filepath.Join(dir, SQLiteFile)
	source, err := sql.Open("sqlite", sqliteURL(from, mode, waitWhileBusy(busyTimeout)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if err := CreateFile(file); err != nil { // so that only its owner can read it
		return err
	}
	if _, err := source.ExecContext(ctx, "VACUUM INTO $1", file); err != nil {
		if isDamage(err) {
			return sqliteOpenError(from, err)
		}
		return fmt.Errorf("copy the database to %s: %w", file, err)
	}
	return nil
}

// InspectSQLite checks a SQLite database that no process has open. It returns the number of
// its schema, 0 if it is not a database of Waymark, and the damage that SQLite finds, in its
// words. It creates no files.
func InspectSQLite(ctx context.Context, file string) (schema int64, damage []string, err error) {
	db, err := sql.Open("sqlite", sqliteURL(file, "mode=ro", "immutable=1", "_pragma=temp_store(MEMORY)"))
	if err != nil {
		return 0, nil, err
	}
	defer db.Close() //nolint:errcheck // nothing is lost with it
	damage, err = sqliteDamage(ctx, Querier{runner: db, dialect: &sqliteDialect})
	if err != nil || len(damage) > 0 {
		return 0, damage, err
	}
	row, err := readSchemaRow(ctx, db, &sqliteDialect)
	return row.version, nil, err
}

// ReplaceSQLite puts a new database in the place of the one in a directory, which LockSQLite
// has locked, and keeps the old one under the name aside in that directory. The new file must
// be in the same file system. It reports whether there was an old one.
//
// If the process is killed, the complete old or new database is in place, unless SQLite cannot
// open the old one or the file system has no hard links: then the old one may be aside with
// nothing in its place.
func ReplaceSQLite(ctx context.Context, dir, newFile, aside string) (kept bool, err error) {
	file := filepath.Join(dir, SQLiteFile)
	if err := removeLog(ctx, dir); err != nil {
		return false, err
	}
	kept, err = hasDatabase(dir)
	if err != nil {
		return false, err
	}
	old := filepath.Join(dir, aside)
	if kept {
		// With a second name there is no moment without a database. Some file systems have no links.
		if err := os.Link(file, old); err != nil {
			if err := os.Rename(file, old); err != nil {
				return false, accessError("rename", file, err)
			}
		}
	}
	// Only a damaged database still has these. SQLite would apply the log to the new one.
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Rename(file+suffix, old+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kept, accessError("rename", file+suffix, err)
		}
	}
	if err := SyncDir(dir); err != nil {
		return kept, err
	}
	if err := os.Rename(newFile, file); err != nil {
		return kept, accessError("rename", newFile, err)
	}
	return kept, SyncDir(dir)
}

// removeLog copies the write-ahead log of a database into its file and deletes the log.
// It returns an error if another process has the database open. It leaves a database that
// SQLite cannot open as it is.
func removeLog(ctx context.Context, dir string) error {
	if found, err := hasDatabase(dir); err != nil || !found {
		return err
	}
	file, wait := filepath.Join(dir, SQLiteFile), waitWhileBusy(lockTimeout)
	readable, err := sql.Open("sqlite", sqliteURL(file, wait, "mode=ro")) // it would delete the log of a damaged file otherwise
	if err != nil {
		return err
	}
	defer readable.Close() //nolint:errcheck // nothing was written
	var value string
	if err := readable.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&value); err != nil && !isBusy(err) {
		return ctx.Err()
	}
	readable.Close() //nolint:errcheck // nothing was written
	db, err := sql.Open("sqlite", sqliteURL(file, wait, "mode=rw", "_pragma=synchronous(FULL)"))
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // nothing is lost with it
	// This fails while any other connection is open.
	err = db.QueryRowContext(ctx, "PRAGMA journal_mode = DELETE").Scan(&value)
	if isBusy(err) || err == nil && value != "delete" {
		return fmt.Errorf("another process has the database in %s open: stop it first", dir)
	}
	return ctx.Err()
}

// SyncDir makes changes of the names in a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // nothing was written
	// Some file systems cannot sync a directory.
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return nil
}
