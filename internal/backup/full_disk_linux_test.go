package backup_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"waymark/internal/backup"
	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
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

// Such a copy was incomplete, and called damaged: its write-ahead log could not be copied into the file.
func TestBackupOfPostgreSQLSaysThatTheDiskIsFull(t *testing.T) {
	from := store.Options{Database: dbtest.PostgresURL(t)}
	s, err := store.Open(t.Context(), from)
	check(t, err)
	storetest.Fill(t, s, storetest.User(t, s, "ann"), 3000)
	closeStore(t, s)
	for _, size := range []string{"2m", "3m"} {
		_, err := backup.Create(t.Context(), backup.Source{Database: from.Database}, dbtest.SmallDisk(t, size), false)
		if err == nil || !strings.Contains(err.Error(), "disk is full") {
			t.Errorf("a disk of %s: got %v, want that it is full", size, err)
		}
	}
}
