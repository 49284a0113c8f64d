package dbtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"strings"
	"sync"
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
	schema := newName()
	if _, err := db.ExecContext(t.Context(), "CREATE SCHEMA "+schema); err != nil {
		t.Fatalf("create a schema on the server for tests: %v", err)
	}
	atEnd(t, db, "SET client_min_messages = warning; DROP SCHEMA "+schema+" CASCADE")
	query := server.Query()
	query.Set("search_path", schema+",public")
	server.RawQuery = query.Encode()
	return server.String()
}

// PostgresTemplate is a database that tests get copies of.
type PostgresTemplate struct {
	fill func(url string) error

	create sync.Once
	name   string
	err    error
}

// NewPostgresTemplate returns a template that is created when it is needed first. fill creates its
// tables.
func NewPostgresTemplate(fill func(url string) error) *PostgresTemplate {
	return &PostgresTemplate{fill: fill}
}

// Copy creates a database as a copy of the template, and returns its URL. It is dropped when the test
// ends. The test is skipped as by PostgresURL.
func (p *PostgresTemplate) Copy(t testing.TB) string {
	t.Helper()
	server, db := openServer(t)
	p.create.Do(func() {
		name := newName()
		if _, p.err = db.ExecContext(t.Context(), "CREATE DATABASE "+name+" TEMPLATE template0"); p.err == nil {
			p.name = name
			p.err = p.fill(urlOf(server, name))
		}
	})
	if p.err != nil {
		t.Fatalf("create the template of the databases for tests: %v", p.err)
	}
	return createDatabase(t, server, db, p.name)
}

// Drop drops the template, if it was created. Call it when all tests have ended.
func (p *PostgresTemplate) Drop() error {
	if p.name == "" {
		return nil
	}
	db, err := sql.Open("pgx", os.Getenv(Variable))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(context.Background(), "DROP DATABASE "+p.name+" WITH (FORCE)")
	return errors.Join(err, db.Close())
}

// createDatabase creates a database, and drops it and closes db when the test ends. It returns the URL
// of the database.
func createDatabase(t testing.TB, server *url.URL, db *sql.DB, template string) string {
	t.Helper()
	name := newName()
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name+" TEMPLATE "+template); err != nil {
		t.Fatalf("create a database on the server for tests: %v", err)
	}
	atEnd(t, db, "DROP DATABASE "+name+" WITH (FORCE)")
	return urlOf(server, name)
}

// atEnd executes a statement and closes db when the test ends.
func atEnd(t testing.TB, db *sql.DB, statement string) {
	t.Helper()
	t.Cleanup(func() {
		// The context of the test has ended by now.
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Errorf("%s: %v", statement, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// newName returns a new name of a database or schema.
func newName() string { return "waymark_test_" + strings.ToLower(rand.Text()) }

// urlOf returns the URL of a database on a server.
func urlOf(server *url.URL, database string) string {
	u := *server
	u.Path = "/" + database
	return u.String()
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
