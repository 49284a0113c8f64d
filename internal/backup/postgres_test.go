package backup_test

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/backup"
	"waymark/internal/database/dbtest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
)

// newPostgres creates an empty PostgreSQL database, with a password in its URL.
func newPostgres(t *testing.T) string {
	t.Helper()
	database, err := url.Parse(dbtest.PostgresDatabase(t))
	if err != nil {
		t.Fatal(err)
	}
	database.User = url.UserPassword(database.User.Username(), "not checked")
	return database.String()
}

func openPostgres(t *testing.T, database string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Database: database})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPostgreSQLIsRestored(t *testing.T) {
	from := newPostgres(t)
	s := openPostgres(t, from)
	ann := storetest.User(t, s, "ann")
	storetest.Fill(t, s, ann, 50)
	file := filepath.Join(t.TempDir(), "backup.tar.gz")
	if _, err := backup.Create(t.Context(), backup.Source{Database: from}, file, false); err != nil {
		t.Fatal(err)
	}
	storetest.Fill(t, s, storetest.User(t, s, "ben"), 5)

	if _, err := backup.RestorePostgres(t.Context(), file, from, true); err == nil || !strings.Contains(err.Error(), "is connected to the database") {
		t.Errorf("while a server runs: got %v", err)
	}
	closeStore(t, s)
	if _, err := backup.RestorePostgres(t.Context(), file, from, false); err == nil || !strings.Contains(err.Error(), "tables: restore into an empty database, or use --replace") {
		t.Errorf("a database that is not empty: got %v", err)
	}
	if _, err := backup.Restore(t.Context(), file, t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a backup of PostgreSQL") {
		t.Errorf("into SQLite: got %v", err)
	}
	replaced, err := backup.RestorePostgres(t.Context(), file, from, true)
	if err != nil || replaced.Kept == "" {
		t.Fatalf("got %+v, %v, want the old tables to be kept", replaced, err)
	}
	empty := newPostgres(t)
	if restored, err := backup.RestorePostgres(t.Context(), file, empty, false); err != nil || restored.Kept != "" {
		t.Fatalf("got %+v, %v, want nothing to be kept", restored, err)
	}
	for _, database := range []string{from, empty} {
		s := openPostgres(t, database)
		if got := search(t, s, ann, "http"); got != 50 {
			t.Errorf("got %d links, want 50", got)
		}
		if _, err := s.UserByName(t.Context(), "ben"); err == nil {
			t.Error("there is a user who was added after the backup")
		}
		storetest.Fill(t, s, storetest.User(t, s, "cat"), 5)
		closeStore(t, s)
	}
	// A backup of a database with kept tables has the others.
	again := filepath.Join(t.TempDir(), "backup.tar.gz")
	if _, err := backup.Create(t.Context(), backup.Source{Database: from}, again, false); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.RestorePostgres(t.Context(), again, empty, true); err != nil {
		t.Fatal(err)
	}
}

// A restore that fails leaves the tables as they were.
func TestFailedRestoreOfPostgreSQLChangesNothing(t *testing.T) {
	from := newPostgres(t)
	s := openPostgres(t, from)
	ann := storetest.User(t, s, "ann")
	storetest.Fill(t, s, ann, 5)
	closeStore(t, s)
	file := filepath.Join(t.TempDir(), "backup.tar.gz")
	if _, err := backup.Create(t.Context(), backup.Source{Database: from}, file, false); err != nil {
		t.Fatal(err)
	}
	pgRestore, err := exec.LookPath("pg_restore")
	if err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	for _, test := range []struct{ tool, script, want string }{
		{"pg_restore", "echo no; echo 'it does not work' >&2; exit 1", "pg_restore failed (exit status 1): it does not work"},
		{"pg_restore", pgRestore + ` "$@" | head -n 400; echo 'it does not work' >&2; exit 1`, "pg_restore failed (exit status 1): it does not work"},
		{"pg_restore", pgRestore + ` "$@"; echo 'SELECT nothing;'`, `column "nothing" does not exist`},
		{"psql", "echo 'it does not work' >&2; exit 1", "psql failed (exit status 1): it does not work"},
	} {
		t.Setenv("PATH", fakeTool(t, test.tool, test.script)+path)
		if _, err := backup.RestorePostgres(t.Context(), file, from, true); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s that runs %s: got %v, want %s", test.tool, test.script, err, test.want)
		}
		s = openPostgres(t, from)
		if got := search(t, s, ann, "http"); got != 5 {
			t.Errorf("%s that runs %s: got %d links, want 5", test.tool, test.script, got)
		}
		closeStore(t, s)
	}
}

// fakeTool returns the beginning of a PATH with a program.
func fakeTool(t *testing.T, name, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir + string(os.PathListSeparator)
}

func TestPasswordIsNotAnArgument(t *testing.T) {
	from := newPostgres(t)
	closeStore(t, openPostgres(t, from))
	seen := filepath.Join(t.TempDir(), "seen")
	t.Setenv("PATH", fakeTool(t, "pg_dump", `echo "$@" "PGPASSWORD=$PGPASSWORD" >`+seen+`; exit 1`)+os.Getenv("PATH"))
	if _, err := backup.Create(t.Context(), backup.Source{Database: from + "&default_query_exec_mode=exec"}, t.TempDir(), false); err == nil {
		t.Error("got no error")
	}
	text, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	args, password, _ := strings.Cut(strings.TrimSpace(string(text)), "PGPASSWORD=")
	if password != "not checked" || strings.Contains(args, "checked") || strings.Contains(args, "default_query_exec_mode") {
		t.Errorf("got %q, want the password in the environment only", text)
	}
}

func TestMissingToolIsAClearError(t *testing.T) {
	from := newPostgres(t)
	closeStore(t, openPostgres(t, from))
	t.Setenv("PATH", t.TempDir())
	_, err := backup.Create(t.Context(), backup.Source{Database: from}, t.TempDir(), false)
	if err == nil || !strings.Contains(err.Error(), "pg_dump is not installed: install the client programs of PostgreSQL") {
		t.Errorf("got %v", err)
	}
}
