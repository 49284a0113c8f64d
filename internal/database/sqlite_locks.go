package database

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Open waits lockTimeout for an exclusive user that is about to exit.
const (
	lockTimeout  = 2 * time.Second
	lockInterval = 50 * time.Millisecond
)

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

// LockSQLite locks the directory of a SQLite database against servers, which must not run,
// and against processes that open the database. It creates the directory if needed.
func LockSQLite(ctx context.Context, dir string) (unlock func() error, err error) {
	if err := CreateDir(dir); err != nil {
		return nil, accessError("create the data directory", dir, err)
	}
	var unlocks []func() error
	for _, name := range []string{sqliteOpenLock, sqliteLock} {
		if err := CreateFile(filepath.Join(dir, name)); err != nil {
			return nil, errors.Join(accessError("create", filepath.Join(dir, name), err), closeAll(unlocks))
		}
		lock := flock.New(filepath.Join(dir, name))
		switch ok, err := tryLock(ctx, lock); {
		case err != nil:
			return nil, errors.Join(err, closeAll(unlocks))
		case !ok:
			return nil, errors.Join(inUseError(dir), closeAll(unlocks))
		}
		unlocks = append(unlocks, lock.Unlock)
	}
	return func() error { return closeAll(unlocks) }, nil
}
