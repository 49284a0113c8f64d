package backup_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"waymark/internal/backup"
	"waymark/internal/database"
)

func TestBackupOnAFullDiskLeavesNothing(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("cannot mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Errorf("unmount %s: %v", disk, err)
		}
	})
	dir := newDir(t, 1000)
	filler := filepath.Join(disk, "another program")
	fill := func(ctx context.Context, file string) error {
		if err := database.BackUpSQLite(ctx, dir, file); err != nil {
			return err
		}
		f, err := os.Create(filler)
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		return f.Close()
	}
	if _, err := backup.Create(t.Context(), backup.Source{Dir: dir, Copy: fill}, disk, false); err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("a disk that fills up: got %v", err)
	}
	if _, err := backup.Create(t.Context(), backup.Source{Dir: dir}, disk, false); err == nil || !strings.Contains(err.Error(), "not enough space in "+disk) {
		t.Errorf("a full disk: got %v", err)
	}
	if got := files(t, disk); len(got) != 1 {
		t.Errorf("got %q, want nothing of the backups", got)
	}
}
