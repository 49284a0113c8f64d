package cli_test

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/database/dbtest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
)

// Each round kills a restore at another moment, when it has created a certain file, and looks
// at what is there. Running it again completes it.
func TestKilledRestoreLeavesTheOldOrTheNewDatabase(t *testing.T) {
	old, saved := t.TempDir(), t.TempDir()
	fill(t, store.Options{Dir: old}, 40)
	fill(t, store.Options{Dir: saved}, 3000)
	backup := filepath.Join(saved, "backup.tar.gz")
	run := func(args ...string) {
		t.Helper()
		if text, err := exec.Command("waymark", args...).CombinedOutput(); err != nil {
			t.Fatalf("waymark %v: %v\n%s", args, err, text)
		}
	}
	run("backup", "--data", saved, backup)
	text, err := os.ReadFile(filepath.Join(old, "waymark.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, moment := range []string{"waymark.restore", "waymark.restore/waymark.db", "waymark-before-restore-*.db", "none"} {
		t.Run(moment, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "waymark.db"), text, 0o600); err != nil {
				t.Fatal(err)
			}
			restore := exec.Command("waymark", "restore", "--data", dir, backup)
			if err := restore.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() { restore.Wait(); close(ended) }()
			for running := true; running; {
				if found, _ := filepath.Glob(filepath.Join(dir, moment)); len(found) > 0 {
					restore.Process.Kill()
				}
				select {
				case <-ended:
					running = false
				default:
				}
			}
			if got := countLinks(t, store.Options{Dir: dir}); got != 40 && got != 3000 {
				t.Errorf("after the kill: got %d links, want 40 or 3000", got)
			}
			run("restore", "--data", dir, backup)
			if got := countLinks(t, store.Options{Dir: dir}); got != 3000 {
				t.Errorf("after another restore: got %d links, want 3000", got)
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, entry := range entries {
				if name := entry.Name(); strings.Contains(name, "-wal") || name == "waymark.restore" {
					t.Errorf("%s was left", name)
				}
			}
		})
	}
}

// fill creates a database with a user who has that many links.
func fill(t *testing.T, o store.Options, links int) {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	storetest.Fill(t, s, storetest.User(t, s, "ann"), links)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// countLinks opens a database that exists, as a server does, and counts the links.
func countLinks(t *testing.T, o store.Options) int {
	t.Helper()
	o.Serve, o.MustExist = true, true
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	driver, source := "sqlite", filepath.Join(o.Dir, "waymark.db")
	if o.Database != "" {
		driver, source = "pgx", o.Database
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var n int
	if err := db.QueryRow("SELECT count(*) FROM links").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Each round kills a restore while pg_restore runs, which is a script here.
func TestKilledRestoreLeavesTheTablesOfPostgreSQL(t *testing.T) {
	target, saved := store.Options{Database: dbtest.PostgresDatabase(t)}, store.Options{Database: dbtest.PostgresDatabase(t)}
	tool, err := exec.LookPath("pg_restore")
	if err != nil {
		t.Fatal(err)
	}
	fill(t, target, 40)
	fill(t, saved, 300)
	backup := filepath.Join(t.TempDir(), "backup.tar.gz")
	if text, err := exec.Command("waymark", "backup", "--database", saved.Database, backup).CombinedOutput(); err != nil {
		t.Fatalf("waymark backup: %v\n%s", err, text)
	}
	restore := func(path string) *exec.Cmd {
		command := exec.Command("waymark", "restore", "--replace", "--database", target.Database, backup)
		command.Env = append(os.Environ(), "PATH="+path)
		return command
	}
	for moment, output := range map[string]string{
		"before the tables": "",
		"among the tables":  tool + ` "$@" | head -n 400`,
		"after the tables":  tool + ` "$@"`,
	} {
		t.Run(moment, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "pg_restore"), []byte("#!/bin/sh\n"+output+"\nkill -9 $PPID\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := restore(dir + string(os.PathListSeparator) + os.Getenv("PATH")).Run(); err == nil {
				t.Fatal("the restore was not killed")
			}
			if got := countLinks(t, target); got != 40 {
				t.Errorf("got %d links, want 40", got)
			}
		})
	}
	if text, err := restore(os.Getenv("PATH")).CombinedOutput(); err != nil {
		t.Fatalf("waymark restore: %v\n%s", err, text)
	}
	if got := countLinks(t, target); got != 300 {
		t.Errorf("after another restore: got %d links, want 300", got)
	}
}
