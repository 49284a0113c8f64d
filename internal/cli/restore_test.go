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
	if testing.Short() {
		t.Skip("takes seconds")
	}
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
	check(t, err)
	for _, moment := range []string{"waymark.restore", "waymark.restore/waymark.db", "waymark-before-restore-*.db", "none"} {
		t.Run(moment, func(t *testing.T) {
			dir := t.TempDir()
			check(t, os.WriteFile(filepath.Join(dir, "waymark.db"), text, 0o600))
			restore := exec.Command("waymark", "restore", "--data", dir, backup)
			check(t, restore.Start())
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
			check(t, err)
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
	check(t, err)
	storetest.Fill(t, s, storetest.User(t, s, "ann"), links)
	check(t, s.Close())
}

// countLinks opens a database that exists, as a server does, and counts the links.
func countLinks(t *testing.T, o store.Options) int {
	t.Helper()
	o.Serve, o.MustExist = true, true
	s, err := store.Open(t.Context(), o)
	check(t, err)
	defer s.Close()
	driver, source := "sqlite", filepath.Join(o.Dir, "waymark.db")
	if o.Database != "" {
		driver, source = "pgx", o.Database
	}
	db, err := sql.Open(driver, source)
	check(t, err)
	defer db.Close()
	var n int
	check(t, db.QueryRow("SELECT count(*) FROM links").Scan(&n))
	return n
}

// A restore that is killed while it writes leaves nothing. Running it again completes it.
func TestKilledRestoreLeavesPostgreSQLEmpty(t *testing.T) {
	saved, target := store.Options{Dir: t.TempDir()}, store.Options{Database: dbtest.PostgresURL(t)}
	fill(t, saved, 3000)
	backup := filepath.Join(t.TempDir(), "backup.tar.gz")
	if text, err := exec.Command("waymark", "backup", "--data", saved.Dir, backup).CombinedOutput(); err != nil {
		t.Fatalf("waymark backup: %v\n%s", err, text)
	}
	db, err := sql.Open("pgx", target.Database)
	check(t, err)
	defer db.Close()
	restore := exec.Command("waymark", "restore", "--database", target.Database+"&application_name=restore", backup)
	check(t, restore.Start())
	for writes := false; !writes; {
		check(t, db.QueryRow("SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = 'restore' AND query LIKE '%INSERT INTO links%')").Scan(&writes))
	}
	check(t, restore.Process.Kill())
	restore.Wait()
	if got := countLinks(t, target); got != 0 {
		t.Errorf("after the kill: got %d links, want none", got)
	}
	if text, err := exec.Command("waymark", "restore", "--database", target.Database, backup).CombinedOutput(); err != nil {
		t.Fatalf("waymark restore: %v\n%s", err, text)
	}
	if got := countLinks(t, target); got != 3000 {
		t.Errorf("after another restore: got %d links, want 3000", got)
	}
}
