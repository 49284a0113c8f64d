package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/pressly/goose/v3"

	"waymark/internal/waymark"
)

// openSQLiteReadOnly opens a database that this process may not write: another user's, or one on a
// read-only disk. It creates no file.
//
// SQLite reads a database in WAL mode through the WAL and its index in shared memory. It
// creates both files if they do not exist, and the last connection that may write deletes
// them. So while a server runs, reading works as usual. While no process has the database
// open, there is no WAL, and the file can be read as one that does not change; a lock
// prevents other processes from opening it at the same time.
func (db *DB) openSQLiteReadOnly(ctx context.Context, o Options) error {
	locks := []string{sqliteOpenLock}
	if o.Exclusive {
		locks = append(locks, sqliteLock)
	}
	unlock, err := lockForReading(ctx, o.Dir, locks...)
	for _, u := range unlock {
		db.onClose(u)
	}
	if err != nil {
		return err
	}

	file := filepath.Join(o.Dir, SQLiteFile)
	settings := append(readOnlySettings(file), cacheSize(readerCache), waitWhileBusy(busyTimeout), "_pragma=temp_store(MEMORY)")
	if err := db.openReadConnections(sqliteURL(file, settings...)); err != nil {
		return err
	}
	db.writer = noWriter{}
	if err := db.read.PingContext(ctx); err != nil {
		return sqliteReadError(file, err)
	}
	current, err := schemaVersion(ctx, db.read, sqliteVersionsExist)
	if err != nil {
		return sqliteReadError(file, err)
	}
	migrations, err := newMigrations(db.read, goose.DialectSQLite3, "sqlite", o)
	if err != nil {
		return err
	}
	return checkReadable(current, "in "+o.Dir, migrations)
}

// lockForReading locks files in a directory that this process cannot write to. The caller
// calls the functions that it returns also after an error.
func lockForReading(ctx context.Context, dir string, names ...string) (unlock []func() error, err error) {
	for _, name := range names {
		lock := flock.New(filepath.Join(dir, name), flock.SetFlag(os.O_RDONLY))
		switch ok, err := tryLock(ctx, lock, lock.TryRLockContext); {
		case errors.Is(err, fs.ErrNotExist): // of a copy that no process has opened
		case err != nil:
			return unlock, err
		case !ok && name == sqliteLock:
			return unlock, inUseError(dir)
		case !ok:
			return unlock, fmt.Errorf("the database in %s is being migrated: try again later", dir)
		default:
			unlock = append(unlock, lock.Unlock)
		}
	}
	return unlock, nil
}

// readOnlySettings returns the settings of a connection to a file that this process cannot
// write to.
func readOnlySettings(file string) []string {
	if _, err := os.Stat(file + "-wal"); errors.Is(err, fs.ErrNotExist) {
		return []string{"mode=ro", "immutable=1"}
	}
	return []string{"mode=ro"}
}

// sqliteReadError explains why a database cannot be read without writing to its directory.
func sqliteReadError(file string, err error) error {
	f, openErr := os.Open(file)
	if openErr != nil {
		return accessError("read", file, openErr)
	}
	f.Close() //nolint:errcheck // nothing was read
	if _, err := os.Stat(file + "-shm"); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot read %s: its last changes are in %s-wal, which can only be read with write permission for the directory", file, file)
	}
	return fmt.Errorf("cannot read %s: %w", file, err)
}

// noWriter is the writer of a database that was opened read-only.
type noWriter struct{}

func (noWriter) writeTx(context.Context, func(context.Context, Querier) error) error {
	return fmt.Errorf("%w: the database was opened read-only", waymark.ErrUnavailable)
}

func (noWriter) addStats(*Stats) {}
