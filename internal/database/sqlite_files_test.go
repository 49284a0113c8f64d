package database_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/waymark"
)

// checkFileModes fails the test unless only the owner may use the files in dir.
func checkFileModes(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	check(t, err)
	for _, file := range files {
		if !slices.Contains(database.FileNames, file.Name()) {
			t.Errorf("FileNames lacks %s", file.Name())
		}
		info, err := file.Info()
		check(t, err)
		if got := info.Mode().Perm(); got != 0o600 {
			t.Errorf("%s has mode %o, want 600", file.Name(), got)
		}
	}
}

func TestOnlyTheOwnerMayReadTheFiles(t *testing.T) {
	o := sqliteOptions(t.TempDir())
	o.Exclusive = true
	db, err := database.Open(t.Context(), o)
	check(t, err)
	mustWrite(t, db, insert(1))
	checkFileModes(t, o.Dir)

	// Files with other permissions, as an earlier version created them, are changed at
	// the start. The log of a server that was killed is one of them.
	log, err := os.ReadFile(filepath.Join(o.Dir, "waymark.db-wal"))
	check(t, err)
	check(t, db.Close())
	check(t, os.WriteFile(filepath.Join(o.Dir, "waymark.db-wal"), log, 0o600))
	for _, name := range []string{"waymark.db", "waymark.db-wal", "waymark.lock", "waymark.open.lock"} {
		check(t, os.Chmod(filepath.Join(o.Dir, name), 0o644))
	}
	db = dbtest.Open(t, o)
	mustWrite(t, db, insert(2))
	checkFileModes(t, o.Dir)
}

// walHas reports whether the write-ahead log contains a text.
func walHas(t *testing.T, dir, text string) bool {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(dir, "waymark.db-wal"))
	check(t, err)
	return strings.Contains(string(log), text)
}

func TestEmptyWALRemovesWhatWasDeleted(t *testing.T) {
	o := sqliteOptions(t.TempDir())
	db := dbtest.Open(t, o)
	mustWrite(t, db, insertText(1, "a secret"))
	mustWrite(t, db, func(exec exec) error { return exec("DELETE FROM texts") })
	if !walHas(t, o.Dir, "a secret") {
		t.Fatal("the text is not in the log: the test proves nothing")
	}
	if err := db.ReadTx(t.Context(), func(q database.Querier) error { // another transaction reads from the log
		queryValue[int64](t, q, "SELECT count(*) FROM texts")
		wantError(t, "during a read", db.EmptyWAL(t.Context()), waymark.ErrUnavailable)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	wantError(t, "after it", db.EmptyWAL(t.Context()), nil)
	if walHas(t, o.Dir, "a secret") {
		t.Error("the deleted text is in the log")
	}
	file, err := os.ReadFile(filepath.Join(o.Dir, "waymark.db"))
	if err != nil || strings.Contains(string(file), "a secret") {
		t.Errorf("the deleted text is in the database (error %v)", err)
	}
	mustWrite(t, db, insert(2))
	wantIDs(t, db, 2)
}

func TestOpenRefusesALogWithoutItsDatabase(t *testing.T) {
	o := sqliteOptions(t.TempDir())
	db := dbtest.Open(t, o)
	mustWrite(t, db, insert(1))
	log, err := os.ReadFile(filepath.Join(o.Dir, "waymark.db-wal"))
	if err != nil || len(log) == 0 {
		t.Fatalf("got a log of %d bytes, %v", len(log), err)
	}
	for _, lost := range []string{"deleted", "empty"} {
		t.Run(lost, func(t *testing.T) {
			o := sqliteOptions(t.TempDir())
			file := filepath.Join(o.Dir, "waymark.db")
			if lost == "empty" {
				check(t, os.WriteFile(file, nil, 0o600))
			}
			check(t, os.WriteFile(file+"-wal", log, 0o600))
			for range 2 {
				if _, err := database.Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "is empty, but its write-ahead log") {
					t.Fatalf("got %v, want an error that names the log", err)
				}
			}
			if left, err := os.ReadFile(file + "-wal"); err != nil || len(left) != len(log) {
				t.Errorf("%d of %d bytes of the log are left, %v", len(left), len(log), err)
			}
			check(t, os.Remove(file+"-wal"))
			wantIDs(t, dbtest.Open(t, o))
		})
	}
}
