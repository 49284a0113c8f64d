package storetest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// database makes an empty database on a server, which is dropped when the test
// ends, and returns its URL.
func database(t testing.TB, server string) string {
	t.Helper()
	place, err := url.Parse(server)
	if err != nil {
		t.Fatalf("%s: %v", Variable, err)
	}
	db, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
	name := "waymark_test_" + strings.ToLower(rand.Text())
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatalf("make a database on the server for tests: %v", err)
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		if _, err := db.ExecContext(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("drop the database of the test: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	place.Path = "/" + name
	return place.String()
}
