package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waymark/internal/store"
)

// newMigrationSource starts a server with a collection of ada. Waymark speaks LinkAce's API.
func newMigrationSource(t *testing.T) *crash {
	t.Helper()
	c := &crash{t: t, dir: t.TempDir(), client: &http.Client{Timeout: time.Minute}}
	createStore(t, store.Options{Dir: c.dir})
	c.command("user", "add", "ada", "--no-password")
	c.key = strings.TrimSpace(c.command("key", "add", "--user", "ada", "test"))
	c.start()
	check(t, c.call("POST", "/lists", map[string]any{"name": "empty", "description": "nothing in it", "visibility": 1}, new(any)))
	check(t, c.call("POST", "/tags", map[string]any{"name": "unused", "visibility": 2}, new(any)))
	links := make([]map[string]any, 230) // three pages
	for n := range links {
		links[n] = map[string]any{
			"url": fmt.Sprintf("https://example.org/%d", n), "title": fmt.Sprintf("Link %d ✓", n), "description": "a *text*",
			"visibility": 1 + n%3, "lists": []string{fmt.Sprintf("list %d", n%4)}, "tags": []string{"all", fmt.Sprintf("tag %d", n%7)},
			"status": 1 + n%3, "check_disabled": n%2 == 0,
		}
	}
	var created []struct{ ID int64 }
	check(t, c.call("POST", "/bulk/links", map[string]any{"models": links}, &created))
	for n := 0; n < len(created); n += 10 {
		check(t, c.call("POST", "/notes", map[string]any{"link_id": created[n].ID, "note": fmt.Sprintf("note on %d", n), "visibility": 3}, new(any)))
	}
	return c
}

// addAda adds the user into whose account the collection is migrated.
func addAda(t *testing.T, dir string) {
	t.Helper()
	if text, err := exec.Command("waymark", "user", "add", "ada", "--no-password", "--data", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// migrateInto runs a migration into a directory, with the key on standard input.
func (c *crash) migrateInto(dir string, args ...string) (output string, err error) {
	command := exec.Command("waymark", append([]string{"migrate", "linkace", "--key", "-", "--user", "ada", "--data", dir}, args...)...)
	command.Stdin = strings.NewReader(c.key + "\n")
	text, err := command.CombinedOutput()
	return string(text), err
}

// export returns the archive of ada.
func export(t *testing.T, dir string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "archive.ndjson")
	if text, err := exec.Command("waymark", "export", "--user", "ada", "--format", "archive", "--output", file, "--data", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := os.ReadFile(file)
	check(t, err)
	return string(text)
}

func TestMigrationGivesAnEqualCollection(t *testing.T) {
	from := newMigrationSource(t)
	to := t.TempDir()
	createStore(t, store.Options{Dir: to})
	addAda(t, to)
	for round := range 2 {
		output, err := from.migrateInto(to, "--url", from.url)
		if err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		if want := "ada: 5 lists, 9 tags, 230 links and 23 notes were read from LinkAce.\n"; !strings.Contains(output, want) {
			t.Errorf("round %d: got %s\nwant %s", round, output, want)
		}
		if got, want := export(t, to), export(t, from.dir); got != want {
			t.Errorf("round %d: the archive of the migrated collection differs:\n%.3000s\nwant\n%.3000s", round, got, want)
		}
	}
}

func TestMigrationWithAWrongKeySaysThatNothingWasImported(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer refusing.Close()
	to := t.TempDir()
	createStore(t, store.Options{Dir: to})
	addAda(t, to)
	output, err := (&crash{t: t, key: "wrong"}).migrateInto(to, "--url", refusing.URL)
	if err == nil || !strings.HasSuffix(output, " does not accept the key: check --key; no links were imported\n") {
		t.Errorf("got %v\n%s", err, output)
	}
	list, err := exec.Command("waymark", "import", "list", "--user", "ada", "--data", to).CombinedOutput()
	if err != nil || strings.Contains(string(list), "failed") {
		t.Errorf("got imports %s, %v, want none", list, err)
	}
}
