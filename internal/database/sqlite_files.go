package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// FileNames are the names of the files in the directory of a SQLite database. Not all of
// them exist at all times.
var FileNames = []string{sqliteFile, sqliteFile + "-wal", sqliteFile + "-shm", sqliteLock, sqliteOpenLock, reserveFile}

// protectFiles makes the files of a SQLite database readable for their owner alone. It
// creates the database file for that, since SQLite would give it the permissions of the
// umask; the write-ahead log and its index get those of the database file. Files of
// another user stay as they are.
func protectFiles(dir string) error {
	file := filepath.Join(dir, sqliteFile)
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("cannot open %s: %w", file, pathCause(err))
	}
	f.Close() //nolint:errcheck // nothing was written
	for _, name := range FileNames {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(path, info.Mode().Perm()&0o700); err != nil && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("cannot change the permissions of %s: %w", path, pathCause(err))
		}
	}
	return nil
}
