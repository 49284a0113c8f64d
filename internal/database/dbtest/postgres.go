package dbtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// Variable is the environment variable with the postgres:// URL of a server on which
// tests may create and drop schemas. scripts/postgres.sh starts one and sets it.
const Variable = "WAYMARK_TEST_POSTGRES"

// PostgresURL creates an empty schema, which takes a tenth of the time of a database, and
// returns a URL with that schema in its search path. The schema is dropped when the test
// ends. Without a server the test is skipped, or fails if the environment variable CI is
// true.
func PostgresURL(t testing.TB) string {
	t.Helper()
	server, db := openServer(t)
	schema := "waymark_test_" + strings.ToLower(rand.Text())
	if _, err := db.ExecContext(t.Context(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatalf("create a schema on the server for tests: %v", err)
	}
	t.Cleanup(func() {
		// The context of the test has ended by now.
		if _, err := db.ExecContext(context.Background(), "SET client_min_messages = warning; DROP SCHEMA "+schema+" CASCADE"); err != nil {
			t.Errorf("drop the schema of the test: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	query := server.Query()
	query.Set("search_path", schema+",public")
	server.RawQuery = query.Encode()
	return server.String()
}

// PostgresDatabase creates an empty database, for tests of pg_dump, pg_restore and psql, and returns
// its URL. It is dropped when the test ends. The test is skipped as by PostgresURL, and if one of
// these programs is not installed.
func PostgresDatabase(t testing.TB) string {
	t.Helper()
	server, db := openServer(t)
	for _, program := range []string{"pg_dump", "pg_restore", "psql"} {
		if _, err := exec.LookPath(program); err != nil {
			skip(t, program+" is not installed")
		}
	}
	name := "waymark_test_" + strings.ToLower(rand.Text())
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		t.Fatalf("create a database on the server for tests: %v", err)
	}
	t.Cleanup(func() {
		// The context of the test has ended by now.
		if _, err := db.ExecContext(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop the database of the test: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	server.Path = "/" + name
	return server.String()
}

// openServer returns the URL of the server for tests, and a connection to it.
func openServer(t testing.TB) (*url.URL, *sql.DB) {
	t.Helper()
	server := os.Getenv(Variable)
	if server == "" {
		skip(t, Variable+" is not set: scripts/postgres.sh starts a server and sets it")
	}
	parsed, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s: %v", Variable, err)
	}
	db, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
	return parsed, db
}

// skip skips the test, or fails it if the environment variable CI is true.
func skip(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s, and with CI=true no test is skipped", reason)
	}
	t.Skip(reason)
}
