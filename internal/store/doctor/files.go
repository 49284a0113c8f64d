package doctor

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"waymark/internal/database"
)

// CheckFiles reports the files of a SQLite database in a directory that other users own or can open, after the
// database was opened, which closes the files of its own user to others.
func CheckFiles(dir string) Result {
	c := Result{Name: "files", Status: OK, Detail: "only their owner can read the files in " + dir}
	parent, err := os.Stat(dir)
	if err != nil {
		c.Status, c.Detail = Problem, err.Error()
		return c
	}
	var open []string
	for _, name := range database.FileNames {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && (info.Mode().Perm()&0o077 != 0 || !database.SameOwner(info, parent)) {
			open = append(open, name)
		}
	}
	switch mode := parent.Mode().Perm(); {
	case len(open) > 0:
		c.Status = Problem
		c.Detail = fmt.Sprintf("other users of this machine own or can open %s in %s", strings.Join(open, ", "), dir)
		c.Advice = "give these files to the owner of the directory with chown, and chmod 600 them"
	case mode&0o077 != 0:
		c.Status = Warning
		c.Detail = fmt.Sprintf("other users can open %s (mode %04o)", dir, mode)
		c.Advice = "chmod 700 this directory"
	}
	return c
}

// Below these sizes in bytes, the free space on the disk is a problem or a warning.
const (
	tooLittleSpace = 16 << 20
	littleSpace    = 256 << 20
)

// CheckFreeSpace reports the free space on the disk of a data directory.
func CheckFreeSpace(dir string) Result {
	const mib = 1 << 20
	free := database.FreeSpace(filepath.Join(dir, database.SQLiteFile))
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
