package backup_test

import (
	"database/sql"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waymark/internal/backup"
	"waymark/internal/database/dbtest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// newPostgres creates an empty PostgreSQL database, with a password in its URL.
func newPostgres(t *testing.T) string {
	t.Helper()
	database, err := url.Parse(dbtest.PostgresDatabase(t))
	check(t, err)
	database.User = url.UserPassword(database.User.Username(), "not checked")
	return database.String()
}

func openPostgres(t *testing.T, database string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Database: database})
	check(t, err)
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
		if _, err := s.Accounts.UserByName(t.Context(), "ben"); err == nil {
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

// The default of a database for its clients need not be UTF-8.
func TestTextsOfPostgreSQLAreRestoredWhateverTheClientEncodingIs(t *testing.T) {
	from, to := newPostgres(t), newPostgres(t)
	for _, database := range []string{from, to} {
		db, err := sql.Open("pgx", database)
		check(t, err)
		defer db.Close()
		if _, err := db.Exec("DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET client_encoding = LATIN1', current_database()); END$$"); err != nil {
			t.Fatal(err)
		}
	}
	s := openPostgres(t, from)
	storetest.User(t, s, "東京")
	closeStore(t, s)
	file := filepath.Join(t.TempDir(), "backup.tar.gz")
	if _, err := backup.Create(t.Context(), backup.Source{Database: from}, file, false); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.RestorePostgres(t.Context(), file, to, false); err != nil {
		t.Fatal(err)
	}
	s = openPostgres(t, to)
	defer closeStore(t, s)
	if _, err := s.Accounts.UserByName(t.Context(), "東京"); err != nil {
		t.Error(err)
	}
}

// backupOfFiveLinks returns a database with five links of a user, its backup, and the path of
// pg_restore.
func backupOfFiveLinks(t *testing.T) (database, file, pgRestore string, ann waymark.User) {
	t.Helper()
	database = newPostgres(t)
	s := openPostgres(t, database)
	ann = storetest.User(t, s, "ann")
	storetest.Fill(t, s, ann, 5)
	closeStore(t, s)
	file = filepath.Join(t.TempDir(), "backup.tar.gz")
	if _, err := backup.Create(t.Context(), backup.Source{Database: database}, file, false); err != nil {
		t.Fatal(err)
	}
	pgRestore, err := exec.LookPath("pg_restore")
	check(t, err)
	return database, file, pgRestore, ann
}

// A restore that fails leaves the tables as they were.
func TestFailedRestoreOfPostgreSQLChangesNothing(t *testing.T) {
	from, file, pgRestore, ann := backupOfFiveLinks(t)
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
		s := openPostgres(t, from)
		if got := search(t, s, ann, "http"); got != 5 {
			t.Errorf("%s that runs %s: got %d links, want 5", test.tool, test.script, got)
		}
		closeStore(t, s)
	}
}

// pg_restore of PostgreSQL 17 and newer sets a parameter that older servers do not have.
func TestToolsCanBeNewerThanPostgreSQL(t *testing.T) {
	_, file, pgRestore, ann := backupOfFiveLinks(t)
	newer := pgRestore + ` "$@" | sed -e '/^SET transaction_timeout/d' -e 's/^SET lock_timeout = 0;$/&\nSET transaction_timeout = 0;/'`
	t.Setenv("PATH", fakeTool(t, "pg_restore", newer)+os.Getenv("PATH"))
	empty := newPostgres(t)
	if _, err := backup.RestorePostgres(t.Context(), file, empty, false); err != nil {
		t.Fatal(err)
	}
	s := openPostgres(t, empty)
	if got := search(t, s, ann, "http"); got != 5 {
		t.Errorf("got %d links, want 5", got)
	}
	closeStore(t, s)
}

// fakeTool returns the beginning of a PATH with a program.
func fakeTool(t *testing.T, name, script string) string {
	t.Helper()
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	return dir + string(os.PathListSeparator)
}

// restoreWaitingFor restores a backup with a tool that waits before it runs. It returns when the tool
// waits. finish lets it run, and returns the error of the restore.
func restoreWaitingFor(t *testing.T, tool, file, database string) (finish func() error) {
	t.Helper()
	path, err := exec.LookPath(tool)
	check(t, err)
	dir := t.TempDir()
	waits, goOn := filepath.Join(dir, "waits"), filepath.Join(dir, "go-on")
	t.Setenv("PATH", fakeTool(t, tool, "touch "+waits+"; until [ -e "+goOn+" ]; do sleep 0.01; done; exec "+path+` "$@"`)+os.Getenv("PATH"))
	restored := make(chan error, 1)
	go func() {
		_, err := backup.RestorePostgres(t.Context(), file, database, true)
		restored <- err
	}()
	await(t, tool+" waits", func() bool {
		_, err := os.Stat(waits)
		return err == nil
	})
	return func() error {
		check(t, os.WriteFile(goOn, nil, 0o600))
		return <-restored
	}
}

// await returns when done returns true.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

func TestRestoreOfPostgreSQLFailsIfAProcessConnectsBeforeItBegins(t *testing.T) {
	database := newPostgres(t)
	s := openPostgres(t, database)
	ann := storetest.User(t, s, "ann")
	closeStore(t, s)
	file := filepath.Join(t.TempDir(), "backup.tar.gz")
	if _, err := backup.Create(t.Context(), backup.Source{Database: database}, file, false); err != nil {
		t.Fatal(err)
	}
	finish := restoreWaitingFor(t, "psql", file, database)
	s = openPostgres(t, database)
	storetest.Fill(t, s, ann, 5)
	if err := finish(); err == nil || !strings.Contains(err.Error(), "a Waymark server or command has connected to the database") {
		t.Errorf("got %v", err)
	}
	if got := search(t, s, ann, "http"); got != 5 {
		t.Errorf("got %d links, want 5", got)
	}
	closeStore(t, s)
}

// The restore cannot detect a process with another application_name, or without a connection at
// that time.
func TestWritesWaitForARestoreOfPostgreSQL(t *testing.T) {
	database := newPostgres(t)
	s := openPostgres(t, database+"&application_name=other")
	file := filepath.Join(t.TempDir(), "backup.tar.gz")
	if _, err := backup.Create(t.Context(), backup.Source{Database: database}, file, false); err != nil {
		t.Fatal(err)
	}
	observer, err := sql.Open("pgx", database+"&application_name=observer")
	check(t, err)
	t.Cleanup(func() { _ = observer.Close() })
	isThere := func(connection string) bool {
		var found bool
		err := observer.QueryRowContext(t.Context(), "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND "+connection+")").Scan(&found)
		return err == nil && found
	}
	finish := restoreWaitingFor(t, "pg_restore", file, database)
	await(t, "the old tables are set aside", func() bool {
		return isThere("state = 'idle in transaction' AND query LIKE 'CREATE SCHEMA%'")
	})
	written := make(chan struct{})
	go func() {
		defer close(written)
		storetest.User(t, s, "ann")
	}()
	await(t, "the write ends or waits", func() bool {
		select {
		case <-written:
			return true
		default:
			return isThere("application_name = 'other' AND wait_event_type = 'Lock'")
		}
	})
	check(t, finish())
	<-written
	closeStore(t, s)
	s = openPostgres(t, database)
	if _, err := s.Accounts.UserByName(t.Context(), "ann"); err != nil {
		t.Errorf("a user who was added during the restore: got %v", err)
	}
	closeStore(t, s)
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
	check(t, err)
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

// An undetected writer can wait for a table that the restore has locked, while the restore waits
// for a table of the writer.
func TestRestoreOfPostgreSQLThatLosesADeadlockSaysWhatToDo(t *testing.T) {
	database, file, _, _ := backupOfFiveLinks(t)
	// The restore looks for a deadlock, the writer does not.
	writer, err := sql.Open("pgx", database+"&application_name=writer&deadlock_timeout=60000")
	check(t, err)
	t.Cleanup(func() { _ = writer.Close() })
	tx, err := writer.BeginTx(t.Context(), nil)
	check(t, err)
	var first, last string
	if err := tx.QueryRowContext(t.Context(), `
		SELECT min(tablename), max(tablename)
		FROM pg_tables
		WHERE schemaname = current_schema() AND tablename <> 'waymark_schema' -- which the restore reads first`).Scan(&first, &last); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), "LOCK TABLE "+last); err != nil {
		t.Fatal(err)
	}
	restored := make(chan error, 1)
	go func() {
		_, err := backup.RestorePostgres(t.Context(), file, database, true)
		restored <- err
	}()
	await(t, "the restore waits", func() bool {
		var waits bool
		err := writer.QueryRowContext(t.Context(), "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits)
		return err == nil && waits
	})
	if _, err := tx.ExecContext(t.Context(), "LOCK TABLE "+first); err != nil { // waits until the restore has failed
		t.Fatal(err)
	}
	check(t, tx.Rollback())
	if err := <-restored; err == nil || !strings.Contains(err.Error(), "another program writes to the tables: stop it, or restore again") {
		t.Errorf("got %v", err)
	}
}
