package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
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
