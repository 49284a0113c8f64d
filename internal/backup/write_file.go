package backup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"waymark/internal/database"
)

// WriteFile creates a file with what write writes. Only its owner may read it. The file appears
// when it is complete and on the disk; until then it is in a directory beside it, which the next
// call deletes if the process is killed. If the file exists, WriteFile returns ErrExists, or replaces
// it if overwrite is set. It replaces only regular files.
func WriteFile(file string, overwrite bool, write func(w io.Writer) error) error {
	if err := mayCreate(file, overwrite); err != nil {
		return err
	}
	dir, release, err := newWorkDir(filepath.Dir(file))
	if err != nil {
		return err
	}
	defer release()
	unfinished := filepath.Join(dir, "file")
	if err := writeNew(unfinished, write); err != nil {
		return err
	}
	return publish(unfinished, file, overwrite)
}

// writeNew creates a file with what write writes, and syncs it.
func writeNew(file string, write func(w io.Writer) error) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// ErrExists means that the file exists already. It is not replaced.
var ErrExists = errors.New("exists")

// mayCreate returns ErrExists if the file exists, unless overwrite is set. A rename would also replace a
// device such as /dev/null, so mayCreate always returns an error for files that are not regular.
func mayCreate(file string, overwrite bool) error {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file: choose another name", file)
	}
	if overwrite {
		return nil
	}
	return mustNotExist(file)
}

// mustNotExist returns ErrExists if the file exists.
func mustNotExist(file string) error {
	switch _, err := os.Lstat(file); {
	case err == nil:
		return fmt.Errorf("%s %w", file, ErrExists)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// publish gives the complete file from the name file in the same file system, and syncs the directory
// of file. Unless overwrite is set, it returns an error if file exists. from can still exist after that.
func publish(from, file string, overwrite bool) error {
	if !overwrite {
		// A hard link, unlike a rename, does not replace a new file. Some file systems have none.
		if err := os.Link(from, file); err == nil {
			return database.SyncDir(filepath.Dir(file))
		}
		if err := mustNotExist(file); err != nil {
			return err
		}
	}
	if err := os.Rename(from, file); err != nil {
		return err
	}
	return database.SyncDir(filepath.Dir(file))
}

// workDirPattern matches the names of the directories for unfinished files.
const workDirPattern = ".waymark-unfinished-*"

// workLock is the name of the file that a process locks while it uses such a directory.
const workLock = "lock"

// newWorkDir creates a directory for unfinished files in a directory, and returns a function that deletes it.
// newWorkDir also deletes such directories of processes that were killed.
func newWorkDir(parent string) (dir string, release func(), err error) {
	deleteAbandoned(parent)
	if dir, err = os.MkdirTemp(parent, workDirPattern); err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err // its path is not the parent's
		}
		return "", nil, fmt.Errorf("cannot write to %s: %w", parent, err)
	}
	lock := flock.New(filepath.Join(dir, workLock))
	release = func() {
		lock.Close()      //nolint:errcheck // the file is deleted
		os.RemoveAll(dir) //nolint:errcheck // the next call of newWorkDir deletes it
	}
	if err := lock.Lock(); err != nil {
		release()
		return "", nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return dir, release, nil
}

// deleteAbandoned deletes directories for unfinished files that no process has locked.
func deleteAbandoned(parent string) {
	found, _ := fs.Glob(os.DirFS(parent), workDirPattern) // the pattern is valid
	for _, name := range found {
		dir := filepath.Join(parent, name)
		lock := flock.New(filepath.Join(dir, workLock), flock.SetFlag(os.O_RDONLY)) // does not create it
		if locked, err := lock.TryLock(); err == nil && locked {
			os.RemoveAll(dir) //nolint:errcheck // fails for a directory of another user
		}
		lock.Close() //nolint:errcheck // nothing was written
	}
}
