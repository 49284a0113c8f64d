package database_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/waymark"
)

// With temp_store 2, the memory of a write would have no limit: see openWriteConnection.
func TestWriterSyncsEachCommitAndKeepsSavepointsInFiles(t *testing.T) {
	db := openSQLite(t)
	for name, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "temp_store": "0"} {
		if err := db.WriteTx(t.Context(), func(ctx context.Context, q database.Querier) error {
			got, err := database.QueryOne(ctx, q, database.ScanValue[string], "PRAGMA "+name)
			if got != want {
				t.Errorf("%s is %s, want %s", name, got, want)
			}
			return err
		}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadConnectionsCannotWrite(t *testing.T) {
	db := openSQLite(t)
	mustWrite(t, db, insert(1))
	write := func(q database.Querier) error {
		_, err := database.QueryAll(t.Context(), q, database.ScanValue[int64], "DELETE FROM texts RETURNING id")
		return err
	}
	wantError(t, "a query", write(db.Querier()), waymark.ErrUnavailable)
	wantError(t, "a read transaction", db.ReadTx(t.Context(), write), waymark.ErrUnavailable)
	wantIDs(t, db, 1)
}

// checkOpens opens and closes a database in dir.
func checkOpens(t *testing.T, dir string) {
	t.Helper()
	db, err := database.Open(t.Context(), sqliteOptions(dir))
	if err != nil {
		t.Errorf("%q: %v", dir, err)
		return
	}
	if err := writeTx(t.Context(), db, insert(1)); err != nil {
		t.Errorf("%q: %v", dir, err)
	}
	if err := db.Close(); err != nil {
		t.Errorf("%q: close: %v", dir, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "waymark.db")); err != nil {
		t.Errorf("%q: the database is not in it: %v", dir, err)
	}
}

func TestDirectoryMayHaveAnyName(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"new/folder", "with space", "per%20cent", "que?stion", "ha#sh", "a&b=c", "Ünï 東京", "co:lon", "bra[cket", "'quote\""} {
		checkOpens(t, filepath.Join(root, name))
	}
}

func TestDirectoryMayBeRelative(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{".", "data", "./a:b"} {
		checkOpens(t, dir)
	}
}

func TestSecondServerInADirectoryIsRefused(t *testing.T) {
	t.Parallel() // it waits for the lock
	o := sqliteOptions(t.TempDir())
	o.Exclusive = true
	first := dbtest.Open(t, o)
	mustWrite(t, first, insert(1))
	_, err := database.Open(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), o.Dir+" is in use by another Waymark server") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got error %v, want one line with the directory and the reason", err)
	}

	command := dbtest.Open(t, sqliteOptions(o.Dir)) // is not exclusive
	mustWrite(t, command, insert(2))
	wantIDs(t, first, 1, 2)
}

func TestOpenSaysWhyItFails(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "file")
	check(t, os.WriteFile(file, nil, 0o600))
	damaged, occupied, readOnly := filepath.Join(root, "damaged"), filepath.Join(root, "occupied"), filepath.Join(root, "readonly")
	restored := filepath.Join(root, "restored")
	for _, dir := range []string{damaged, filepath.Join(occupied, "waymark.db"), readOnly, filepath.Join(restored, database.RestoreDir)} {
		check(t, os.MkdirAll(dir, 0o700))
	}
	check(t, os.WriteFile(filepath.Join(damaged, "waymark.db"), []byte(strings.Repeat("no database ", 1000)), 0o600))
	check(t, os.Chmod(readOnly, 0o500))
	cutOff := filepath.Join(root, "cutoff")
	db := dbtest.Open(t, sqliteOptions(cutOff))
	fill(t, db, 1000)
	check(t, db.Close())
	check(t, os.Truncate(filepath.Join(cutOff, "waymark.db"), 8192))
	tests := []struct {
		name, want string
		options    database.Options
	}{
		{"a file that was cut off", "the database file " + cutOff + "/waymark.db is damaged (database disk image is malformed (11)): " + database.DamageAdvice, database.Options{Dir: cutOff}},
		{"a file where the directory should be", "cannot create the data directory " + file + ": not a directory", database.Options{Dir: file}},
		{"a file that is not a database", damaged + "/waymark.db is not a SQLite database: if it was one, " + database.DamageAdvice, database.Options{Dir: damaged}},
		{"a directory where the file should be", "cannot open " + occupied + "/waymark.db: is a directory", database.Options{Dir: occupied, Exclusive: true}},
		{"a restore that was interrupted", "a restore into " + restored + " was interrupted: run waymark restore again, or delete " + restored + "/waymark.restore to start with an empty database", database.Options{Dir: restored}},
		{"another database system", "invalid database URL: leave it empty for SQLite, or use postgres://user:password@host:5432/name", database.Options{Dir: root, URL: "mysql://ann:secret@localhost"}},
	}
	if os.Getuid() != 0 { // root may write anywhere
		tests = append(tests, struct {
			name, want string
			options    database.Options
		}{"a directory without write permission", "cannot create " + readOnly + "/waymark.open.lock: permission denied: change the permissions with chmod", database.Options{Dir: readOnly}})
	}
	for _, test := range tests {
		test.options.Migrations = schema
		db, err := database.Open(t.Context(), test.options)
		if err == nil {
			t.Errorf("%s: got no error (close: %v)", test.name, db.Close())
			continue
		}
		if err.Error() != test.want {
			t.Errorf("%s: got error %q, want %q", test.name, err, test.want)
		}
	}
}

func TestDatabaseOfAnotherProgramIsNotChanged(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "waymark.db")
	other, err := sql.Open("sqlite", file)
	if err == nil {
		_, err = other.ExecContext(t.Context(), "CREATE TABLE bookmarks (id INTEGER)")
		err = errors.Join(err, other.Close())
	}
	wantError(t, "create the file", err, nil)
	before, err := os.ReadFile(file)
	wantError(t, "read the file", err, nil)
	_, err = database.Open(t.Context(), sqliteOptions(dir))
	if want := file + " is a database of another program: use another directory. Nothing was changed."; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
	after, err := os.ReadFile(file)
	wantError(t, "read the file", err, nil)
	if !bytes.Equal(after, before) {
		t.Error("the file was changed")
	}
}
