// Package storetest opens stores for tests: in SQLite in a temporary directory, and in
// PostgreSQL if there is a server for tests. It also creates users and links for them.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"waymark/internal/database/dbtest"
	"waymark/internal/store"
)

// Open opens an empty store in SQLite and closes it when the test ends.
func Open(t testing.TB) *store.Store {
	t.Helper()
	return OpenWith(t, store.Options{})
}

// OpenWith opens a store and closes it when the test ends. Without Dir and Database it is an
// empty one in SQLite. Errors fail the test.
func OpenWith(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	if o.Dir == "" && o.Database == "" {
		o.Dir = sqliteOptions(t).Dir
	}
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	if err := s.RefreshSearchIndex(t.Context()); err != nil {
		t.Fatalf("build the search index: %v", err)
	}
	return s
}

// Each runs a test as a subtest on an empty store of each database.
func Each(t *testing.T, run func(t *testing.T, s *store.Store)) {
	t.Helper()
	EachWith(t, store.Options{}, run)
}

// EachWith runs a test as a subtest on an empty store of each database. The stores are
// opened with o, except its Dir and Database.
func EachWith(t *testing.T, o store.Options, run func(t *testing.T, s *store.Store)) {
	t.Helper()
	EachDatabase(t, func(t *testing.T, database store.Options) {
		o.Dir, o.Database = database.Dir, database.Database
		run(t, OpenWith(t, o))
	})
}

// EachDatabase runs a test as a subtest for each database. The options have the Dir and
// the Database of an empty store, which the test opens itself.
func EachDatabase(t *testing.T, run func(t *testing.T, o store.Options)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		run(t, sqliteOptions(t))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		run(t, PostgresOptions(t))
	})
}

// sqliteOptions returns the Dir of an empty store in SQLite.
func sqliteOptions(t testing.TB) store.Options {
	t.Helper()
	database, err := emptySQLite()
	if err != nil {
		t.Fatalf("create an empty store to copy: %v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, databaseFile), database, 0o600); err != nil {
		t.Fatal(err)
	}
	return store.Options{Dir: dir}
}

// databaseFile is the name of the SQLite database in Dir.
const databaseFile = "waymark.db"

// emptySQLite returns the contents of the database of an empty store. Copying them takes less time
// than the migrations.
var emptySQLite = sync.OnceValues(func() (contents []byte, err error) {
	dir, err := os.MkdirTemp("", "waymark-test-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := createEmpty(store.Options{Dir: dir}); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, databaseFile)) //nolint:gosec // a file that this function has created
})

// PostgresOptions returns the Dir and the Database of an empty store in PostgreSQL.
// Without a server for tests it skips the test.
func PostgresOptions(t testing.TB) store.Options {
	t.Helper()
	return store.Options{Dir: t.TempDir(), Database: emptyPostgres.Copy(t)}
}

// emptyPostgres is the database of an empty store.
var emptyPostgres = dbtest.NewPostgresTemplate(func(url string) error { return createEmpty(store.Options{Database: url}) })

// createEmpty creates an empty store.
func createEmpty(o store.Options) error {
	s, err := store.Open(context.Background(), o)
	if err != nil {
		return err
	}
	return s.Close()
}

// End deletes what the stores of all tests have shared. It takes and returns the exit code of the
// tests. Packages that use PostgreSQL call it at the end of TestMain.
func End(code int) int {
	if err := emptyPostgres.Drop(); err != nil {
		fmt.Fprintln(os.Stderr, "drop the template of the databases for tests:", err)
		return max(code, 1)
	}
	return code
}
