package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/store"
)

func TestDatabaseOnAReadOnlyDiskIsCopied(t *testing.T) {
	dir, disk := t.TempDir(), dbtest.SmallDisk(t, "8m")
	run := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("waymark", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	createStore(t, store.Options{Dir: dir})
	run("user", "add", "ann", "--no-password", "--data", dir)
	content, err := os.ReadFile(filepath.Join(dir, database.SQLiteFile))
	if err == nil {
		err = os.WriteFile(filepath.Join(disk, database.SQLiteFile), content, 0o600)
	}
	if err == nil {
		err = syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	run("migrate", "database", "--from", "sqlite:"+disk, "--to", "sqlite:"+filepath.Join(t.TempDir(), "copy"))
}
