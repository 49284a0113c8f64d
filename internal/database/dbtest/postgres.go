package dbtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
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
	server := os.Getenv(Variable)
	if server == "" && os.Getenv("CI") == "true" {
		t.Fatalf("%s is not set, and with CI=true no test is skipped", Variable)
	}
	if server == "" {
		t.Skipf("%s is not set: scripts/postgres.sh starts a server and sets it", Variable)
	}
	parsed, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s: %v", Variable, err)
	}
	db, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
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
	query := parsed.Query()
	query.Set("search_path", schema+",public")
	parsed.RawQuery = query.Encode()
	return parsed.String()
}
