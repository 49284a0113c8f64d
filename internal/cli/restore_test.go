package cli_test

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
)

// Each round kills a restore at another moment, when it has created a certain file, and looks
// at what is there. Running it again completes it.
func TestKilledRestoreLeavesTheOldOrTheNewDatabase(t *testing.T) {
	old, saved := t.TempDir(), t.TempDir()
	for dir, links := range map[string]int{old: 40, saved: 3000} {
		s, err := store.Open(t.Context(), store.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		storetest.Fill(t, s, storetest.User(t, s, "ann"), links)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
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
			if got := countLinks(t, dir); got != 40 && got != 3000 {
				t.Errorf("after the kill: got %d links, want 40 or 3000", got)
			}
			run("restore", "--data", dir, backup)
			if got := countLinks(t, dir); got != 3000 {
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

// countLinks opens the database in a directory, as a server does, and counts the links.
func countLinks(t *testing.T, dir string) int {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Serve: true, MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	db, err := sql.Open("sqlite", filepath.Join(dir, "waymark.db"))
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
