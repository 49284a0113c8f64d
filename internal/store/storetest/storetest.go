// Package storetest opens stores for tests: in SQLite in a temporary directory, and in
// PostgreSQL if there is a server for tests. It also creates users and links for them.
package storetest

import (
	"testing"

	"waymark/internal/database/dbtest"
	"waymark/internal/store"
)

// Open opens an empty store in SQLite and closes it when the test ends.
func Open(t testing.TB) *store.Store {
	t.Helper()
	return OpenWith(t, store.Options{Dir: t.TempDir()})
}

// NoIndex is the value of Options.IndexBytes for a store that searches with SQL. Stores
// for tests have an index otherwise, as servers have.
const NoIndex = -1

// OpenWith opens a store and closes it when the test ends. Errors fail the test.
func OpenWith(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	if o.IndexBytes == 0 {
		o.IndexBytes = 256 << 20
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
// opened with o, but for Dir and Database.
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
		run(t, store.Options{Dir: t.TempDir()})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		run(t, PostgresOptions(t))
	})
}

// PostgresOptions returns the Dir and the Database of an empty store in PostgreSQL.
// Without a server for tests it skips the test.
func PostgresOptions(t testing.TB) store.Options {
	t.Helper()
	return store.Options{Dir: t.TempDir(), Database: dbtest.PostgresURL(t)}
}
