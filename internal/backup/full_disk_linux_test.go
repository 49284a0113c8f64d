package backup_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"waymark/internal/backup"
	"waymark/internal/database"
	"waymark/internal/database/dbtest"
)

func TestBackupOnAFullDiskLeavesNothing(t *testing.T) {
	disk := dbtest.SmallDisk(t, "8m")
	dir := newDir(t, 1000)
	fill := func(ctx context.Context, file string) error {
		err := database.BackUpSQLite(ctx, dir, file)
		dbtest.FillDisk(t, disk)
		return err
	}
	if _, err := backup.Create(t.Context(), backup.Source{Dir: dir, Copy: fill}, disk, false); err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("a disk that fills up: got %v", err)
	}
	if _, err := backup.Create(t.Context(), backup.Source{Dir: dir}, disk, false); err == nil || !strings.Contains(err.Error(), "not enough space in "+disk) {
		t.Errorf("a full disk: got %v", err)
	}
	t.Setenv("TMPDIR", disk)
	if _, err := backup.Write(t.Context(), backup.Source{Dir: dir}, io.Discard); err == nil || !strings.Contains(err.Error(), "are free: set TMPDIR to use another directory") {
		t.Errorf("a full disk for temporary files: got %v", err)
	}
	if got := files(t, disk); len(got) != 1 {
		t.Errorf("got %q, want nothing of the backups", got)
	}
}
