// Package dbtest gives tests empty databases: SQLite in a temporary directory and, if
// there is a server for tests, PostgreSQL in a schema of the test's own. It also gives them
// small disks.
package dbtest

import (
	"testing"

	"waymark/internal/database"
)

// Each runs a test as a subtest on an empty database of each system. The options have the Dir or
// the URL of that database; migrations are up to the test.
func Each(t *testing.T, run func(t *testing.T, o database.Options)) {
	t.Run("SQLite", func(t *testing.T) {
		run(t, database.Options{Dir: t.TempDir()})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		run(t, database.Options{URL: PostgresURL(t)})
	})
}

// Open opens a database and closes it when the test ends. Errors fail the test.
func Open(t testing.TB, o database.Options) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open the database: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close the database: %v", err)
		}
	})
	return db
}
