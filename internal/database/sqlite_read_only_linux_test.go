package database_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
)

func TestDatabaseOnAReadOnlyDiskIsRead(t *testing.T) {
	o := sqliteOptions(t.TempDir())
	db := dbtest.Open(t, o)
	mustWrite(t, db, insert(1))
	check(t, db.EmptyWAL(t.Context()))
	mustWrite(t, db, insert(2)) // in the log alone
	for name, files := range map[string][]string{
		"of a server that was killed": {"", "-wal", "-shm"},
		"without a log":               {""},
		"without the log's index":     {"", "-wal"},
	} {
		t.Run(name, func(t *testing.T) {
			disk := dbtest.SmallDisk(t, "8m")
			for _, suffix := range files {
				content, err := os.ReadFile(filepath.Join(o.Dir, database.SQLiteFile+suffix))
				check(t, err)
				check(t, os.WriteFile(filepath.Join(disk, database.SQLiteFile+suffix), content, 0o600))
			}
			check(t, syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
			onDisk := sqliteOptions(disk)
			if name == "without the log's index" {
				if _, err := database.Open(t.Context(), onDisk); err == nil || !strings.Contains(err.Error(), "copy its directory to another disk") {
					t.Errorf("got error %v, want what to do", err)
				}
				return
			}
			want := []int64{1, 2}[:min(len(files), 2)]
			db, err := database.Open(t.Context(), onDisk)
			check(t, err)
			wantIDs(t, db, want...)
			wantIDs(t, db, want...)
			wantError(t, "write", writeTx(t.Context(), db, insert(3)), db.ReadOnly())
			wantError(t, "write", db.ReadOnly(), syscall.EROFS)
			check(t, db.Close())
			copied := filepath.Join(t.TempDir(), "copy.db")
			check(t, database.BackUpSQLite(t.Context(), disk, copied))
			onDisk.Exclusive = true
			if _, err := database.Open(t.Context(), onDisk); !errors.Is(err, syscall.EROFS) || !strings.Contains(err.Error(), "make the disk writable") {
				t.Errorf("a server: got error %v, want what to do", err)
			}
		})
	}
}
