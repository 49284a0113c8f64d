package cli_test

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/cli"
)

// scripts/release_fixture.sh makes the fixtures: databases of each released version with a new schema. doctor migrates
// a database, and checks all of it.
func TestReleasedSchemasAreUpgraded(t *testing.T) {
	releases, err := filepath.Glob("testdata/releases/*")
	if err != nil || len(releases) == 0 {
		t.Fatalf("got %q, %v, want the fixtures of all releases", releases, err)
	}
	for _, release := range releases {
		t.Run(filepath.Base(release)+"/SQLite", func(t *testing.T) {
			dir := t.TempDir()
			check(t, os.WriteFile(filepath.Join(dir, "waymark.db"), gunzip(t, filepath.Join(release, "waymark.db.gz")), 0o600))
			t.Setenv("WAYMARK_DATA", dir)
			checkUpgraded(t)
		})
		t.Run(filepath.Base(release)+"/PostgreSQL", func(t *testing.T) {
			t.Setenv("WAYMARK_DATA", t.TempDir())
			t.Setenv("WAYMARK_DATABASE", restorePostgres(t, string(gunzip(t, filepath.Join(release, "postgres.sql.gz")))))
			checkUpgraded(t)
		})
	}
}

func gunzip(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	check(t, err)
	r, err := gzip.NewReader(bytes.NewReader(content))
	check(t, err)
	text, err := io.ReadAll(r)
	check(t, err)
	return text
}

// restorePostgres runs a dump in a new database, because it names the schema public.
func restorePostgres(t *testing.T, dump string) string {
	t.Helper()
	server, err := url.Parse(os.Getenv("WAYMARK_TEST_POSTGRES"))
	if err != nil || server.Host == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("there is no PostgreSQL server for tests")
		}
		t.Skip("needs a PostgreSQL server: run it with scripts/postgres.sh")
	}
	run := func(u *url.URL, statements string) {
		db, err := sql.Open("pgx", u.String())
		check(t, err)
		defer db.Close()
		if _, err := db.Exec(statements); err != nil {
			t.Fatal(err)
		}
	}
	const name = "waymark_release_test"
	run(server, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8'")
	t.Cleanup(func() { run(server, "DROP DATABASE "+name+" WITH (FORCE)") })
	database := *server
	database.Path = "/" + name
	run(&database, dump)
	return database.String()
}

// checkUpgraded upgrades the database that the environment names, and reads what the fixture has.
func checkUpgraded(t *testing.T) {
	t.Helper()
	run := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := cli.Main(args, strings.NewReader(""), &stdout, &stderr); code != 0 {
			t.Fatalf("waymark %s: got exit code %d\n%s%s", strings.Join(args, " "), code, &stdout, &stderr)
		}
		return stdout.String()
	}
	run("doctor")
	if users := run("user", "list"); !strings.Contains(users, "ann") || !strings.Contains(users, "bob") {
		t.Errorf("got the users\n%s\nwant ann and bob", users)
	}
	for query, want := range map[string]int{"page": 39, "straße": 38, "#größe": 0, "list:Reading #go": 39, "is:favorite": 1, "title:edited": 1} {
		var links []json.RawMessage
		check(t, json.Unmarshal([]byte(run("search", "--user", "ann", "--limit", "0", "--json", query)), &links))
		if len(links) != want {
			t.Errorf("%s: got %d links, want %d", query, len(links), want)
		}
	}
	archive := filepath.Join(t.TempDir(), "ann.ndjson")
	run("export", "--user", "ann", "--format", "archive", "--output", archive)
	text, err := os.ReadFile(archive)
	check(t, err)
	for _, want := range []string{"A note with **stars**", "https://host3.example/page/3", "größe", `"query":"go"`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the archive has no %q", want)
		}
	}
	run("key", "list", "--user", "ann")
}
