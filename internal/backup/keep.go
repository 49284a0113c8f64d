package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Extension is the extension of the names of backups.
const Extension = ".tar.gz"

const (
	namePrefix = "waymark-"
	nameTime   = "20060102T150405Z"
)

// FileName returns the name of a backup that was begun at a time.
func FileName(at time.Time) string { return namePrefix + at.UTC().Format(nameTime) + Extension }

// Found is a backup in a directory.
type Found struct {
	File  string    // its path
	At    time.Time // when the backup was begun, from its name
	Bytes int64     // its size
}

// List returns the backups in a directory whose names have the format of FileName, newest first. If
// the directory does not exist, List returns none.
func List(dir string) ([]Found, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var found []Found
	for _, entry := range entries {
		text, isBackup := strings.CutSuffix(strings.TrimPrefix(entry.Name(), namePrefix), Extension)
		at, err := time.Parse(nameTime, text)
		if !isBackup || err != nil || entry.Name() != FileName(at) || !entry.Type().IsRegular() {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			continue // it was deleted meanwhile
		}
		found = append(found, Found{filepath.Join(dir, entry.Name()), at, info.Size()})
	}
	slices.SortFunc(found, func(a, b Found) int { return b.At.Compare(a.At) })
	return found, nil
}

// Past leaves out the backups that were begun more than a day after now: the clock was wrong then. They are neither
// the newest, for years, nor deleted.
func Past(found []Found, now time.Time) []Found {
	return slices.DeleteFunc(found, func(f Found) bool { return f.At.After(now.Add(24 * time.Hour)) })
}

// dirLock is the name of the file that LockDir locks.
const dirLock = ".waymark-backup.lock"

// LockDir locks a directory for backups until the caller calls unlock, because several servers of one
// database can share a directory. ok is false if another process holds the lock.
func LockDir(dir string) (unlock func() error, ok bool, err error) {
	lock := flock.New(filepath.Join(dir, dirLock), flock.SetPermissions(0o600))
	ok, err = lock.TryLock()
	if err != nil {
		return nil, false, fmt.Errorf("no backup can be written to %s: %w", dir, err)
	}
	if !ok {
		return nil, false, nil
	}
	return lock.Close, true, nil
}

// Prune deletes the backups in a directory that Past leaves, except the newest keep of them; keep must not be
// negative. It returns the deleted ones, also together with an error.
func Prune(dir string, keep int, now time.Time) (deleted []Found, err error) {
	found, err := List(dir)
	if found = Past(found, now); err != nil || len(found) <= keep {
		return nil, err
	}
	for _, old := range found[keep:] {
		if removeErr := os.Remove(old.File); removeErr != nil {
			err = errors.Join(err, removeErr)
			continue
		}
		deleted = append(deleted, old)
	}
	return deleted, err
}
