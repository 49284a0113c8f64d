package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"waymark/internal/database"
)

// Files are the files of a SQLite database and their state when FindFiles was called.
type Files struct {
	dir   string
	infos map[string]fs.FileInfo // by name

	unreadable bool // the process may not read the directory
}

// FindFiles returns the files in a data directory. Open changes their permissions.
func FindFiles(dir string) Files {
	f := Files{dir: dir, infos: map[string]fs.FileInfo{}}
	for _, name := range database.FileNames {
		info, err := os.Stat(filepath.Join(dir, name))
		if err == nil {
			f.infos[name] = info
		}
		f.unreadable = f.unreadable || errors.Is(err, fs.ErrPermission)
	}
	return f
}

// Exist reports whether there is a database, or can be one in a directory that the process may not
// read: Open says then what is wrong.
func (f Files) Exist() bool { return f.unreadable || f.infos[database.FileNames[0]] != nil }

// Check compares the permissions and the owner of the files before and after Open.
func (f Files) Check() Result {
	c := Result{Name: "files", Status: OK, Detail: fmt.Sprintf("only their owner can read the %d files in %s", len(f.infos), f.dir)}
	var open, closed, foreign []string
	dir, err := os.Stat(f.dir)
	if err != nil {
		c.Status, c.Detail = Problem, err.Error()
		return c
	}
	if f.unreadable {
		c.Status, c.Detail = Problem, fmt.Sprintf("the files in %s cannot be read: permission denied", f.dir)
		return c
	}
	for _, name := range database.FileNames {
		before := f.infos[name]
		if before == nil {
			continue
		}
		if !database.SameOwner(before, dir) {
			foreign = append(foreign, name)
		}
		if before.Mode().Perm()&0o077 == 0 {
			continue
		}
		now, err := os.Stat(filepath.Join(f.dir, name))
		if err == nil && now.Mode().Perm()&0o077 != 0 {
			open = append(open, name)
		} else {
			closed = append(closed, name)
		}
	}
	switch {
	case len(foreign) > 0:
		c.Status = Problem
		c.Detail = fmt.Sprintf("%s in %s and the directory have different owners", strings.Join(foreign, ", "), f.dir)
		c.Advice = "change their owner to the user that runs the server, with chown"
	case len(open) > 0:
		c.Status = Problem
		c.Detail = fmt.Sprintf("other users of this machine can open %s in %s", strings.Join(open, ", "), f.dir)
		c.Advice = "chmod 600 these files"
	case len(closed) > 0:
		c.Status = Repaired
		c.Detail = fmt.Sprintf("other users of this machine could open %s in %s", strings.Join(closed, ", "), f.dir)
	}
	if mode := dir.Mode().Perm(); mode&0o077 != 0 && (c.Status == OK || c.Status == Repaired) {
		c.Status = Warning
		c.Detail += fmt.Sprintf("; other users can open the directory (mode %04o)", mode)
		c.Advice = "chmod 700 this directory"
	}
	return c
}

// Below these sizes in bytes, the free space on the disk is a problem or a warning.
const (
	tooLittleSpace = 16 << 20
	littleSpace    = 256 << 20
)

// CheckFreeSpace reports the free space on the disk of the data directory.
func (f Files) CheckFreeSpace() Result {
	const mib = 1 << 20
	free := database.FreeSpace(filepath.Join(f.dir, database.FileNames[0]))
	c := Result{Name: "free space", Status: OK, Detail: fmt.Sprintf("%d MiB", free/mib)}
	switch {
	case free == math.MaxInt64:
		c.Detail = "not known on this system"
	case free < tooLittleSpace:
		c.Status, c.Advice = Problem, "delete other files on this disk: soon nothing can be saved"
	case free < littleSpace:
		c.Status, c.Advice = Warning, "delete other files on this disk"
	}
	return c
}
