package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// FileNames names the files of a SQLite database. Some may not exist.
var FileNames = []string{SQLiteFile, SQLiteFile + "-wal", SQLiteFile + "-shm", sqliteLock, sqliteOpenLock}

// createFiles creates the data directory, and files in it that only their owner may use: SQLite
// would give the database the permissions of the umask. The write-ahead log and its index get the
// permissions of the database. createFiles also checks that this process may write the database, which
// SQLite would open read-only without an error, and the directory, in which SQLite creates the log.
func createFiles(dir string) error {
	if err := CreateDir(dir); err != nil {
		return accessError("create the data directory", dir, err)
	}
	for _, name := range []string{sqliteOpenLock, sqliteLock, SQLiteFile} {
		if err := CreateFile(filepath.Join(dir, name)); err != nil {
			return accessError("create", filepath.Join(dir, name), err)
		}
	}
	file := filepath.Join(dir, SQLiteFile)
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return accessError("open", file, syscall.EISDIR)
	}
	// Opening and closing the file would release the POSIX locks that other connections of
	// this process hold.
	if err := checkAccess(file, writeAccess); err != nil {
		return accessError("open", file, err)
	}
	if err := checkAccess(dir, writeAccess); err != nil {
		return accessError("write to", dir, err)
	}
	return nil
}

// protectFiles lets only their owner read the files, except for those of another user.
func protectFiles(dir string) error {
	for _, name := range FileNames {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(path, info.Mode().Perm()&0o700); err != nil && !errors.Is(err, fs.ErrPermission) {
			return accessError("change the permissions of", path, err)
		}
	}
	return nil
}

// CreateDir creates a directory with its parents, as os.MkdirAll does. Each one gets the
// owner of its parent, as files do in CreateFile.
func CreateDir(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if err := CreateDir(filepath.Dir(dir)); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o700)
	}
	if err == nil {
		return inheritOwner(dir)
	}
	if info, statErr := os.Stat(dir); statErr == nil {
		if info.IsDir() {
			return nil
		}
		return syscall.ENOTDIR
	}
	return err
}

// CreateFile creates an empty file unless it exists. If root creates it, it gets the owner of its
// directory: a command that root runs must not leave files which the service cannot open.
func CreateFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), inheritOwner(path))
}

// hasDatabase reports whether a directory contains a database file that is not empty.
func hasDatabase(dir string) (bool, error) {
	file := filepath.Join(dir, SQLiteFile)
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, accessError("open", file, err)
	}
	return info.Size() > 0, nil
}

// RestoreDir is the directory, in the data directory, for the files of a backup that is being restored.
const RestoreDir = "waymark.restore"

// checkNotLost returns an error if a database file is empty although a restore was interrupted, or
// although its write-ahead log has changes: SQLite would delete the log and create a new database.
// SQLite itself never leaves the two so, because it writes the first page to the file before it
// creates the log.
func checkNotLost(dir string) error {
	if found, err := hasDatabase(dir); err != nil || found {
		return err
	}
	restore := filepath.Join(dir, RestoreDir)
	if _, err := os.Stat(restore); err == nil {
		return fmt.Errorf("a restore into %s was interrupted: run waymark restore again, or delete %s to start with an empty database", dir, restore)
	}
	file := filepath.Join(dir, SQLiteFile)
	log := file + "-wal"
	changes, err := os.Stat(log)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return accessError("open", log, err)
	case changes.Size() == 0:
		return nil
	}
	return fmt.Errorf("%s is empty, but its write-ahead log %s has %d bytes: the database was deleted or damaged. "+
		"Restore a backup with waymark restore, or delete the log to start with an empty database", file, log, changes.Size())
}

// accessError explains an error of the system, and says what to do about those that are common.
func accessError(action, path string, err error) error {
	cause := err
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		cause = e.Err // the message below has the path
	}
	advice := ""
	switch {
	case errors.Is(err, fs.ErrPermission):
		advice = "run this command as root or as the user who owns the data directory, or change the owner of its files with chown"
	case errors.Is(err, syscall.EROFS):
		advice = "make the disk writable, or use another directory. Meanwhile waymark search, export, doctor and backup can read the database"
	}
	if advice != "" {
		return fmt.Errorf("cannot %s %s: %w: %s", action, path, cause, advice)
	}
	return fmt.Errorf("cannot %s %s: %w", action, path, cause)
}

// requireDatabase returns an error if there is no database in a directory.
func requireDatabase(dir string) error {
	found, err := hasDatabase(dir)
	if err == nil && !found {
		err = noDatabaseError("in " + dir)
	}
	return err
}

// fileSize returns the size of a file in bytes, 0 if there is none.
func fileSize(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}
