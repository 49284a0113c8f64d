// Package storetest gives tests a real store: SQLite in a folder of the test's own,
// and PostgreSQL too where there is a server for tests. It also has the people and
// links that many tests begin with.
package storetest

import (
	"testing"

	"waymark/internal/database/dbtest"
	"waymark/internal/store"
)

// Open opens an empty store in SQLite, until the test ends.
func Open(t testing.TB) *store.Store {
	t.Helper()
	return OpenWith(t, store.Options{Dir: t.TempDir()})
}

// OpenWith opens a store, until the test ends.
func OpenWith(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return s
}

// Each runs a test on an empty store of each database.
func Each(t *testing.T, run func(t *testing.T, s *store.Store)) {
	EachWith(t, store.Options{}, run)
}

// EachWith runs a test on an empty store of each database, opened with o, whose
// Dir and Database are filled in.
func EachWith(t *testing.T, o store.Options, run func(t *testing.T, s *store.Store)) {
	EachPlace(t, func(t *testing.T, place store.Options) {
		o.Dir, o.Database = place.Dir, place.Database
		run(t, OpenWith(t, o))
	})
}

// EachPlace runs a test with the Dir and the Database of an empty store of each
// database, for tests that open it themselves.
func EachPlace(t *testing.T, run func(t *testing.T, place store.Options)) {
	t.Run("SQLite", func(t *testing.T) {
		run(t, store.Options{Dir: t.TempDir()})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		run(t, Postgres(t))
	})
}

// Postgres returns the Dir and the Database of an empty store in PostgreSQL, for
// tests of what SQLite does not have.
func Postgres(t testing.TB) store.Options {
	t.Helper()
	return store.Options{Dir: t.TempDir(), Database: dbtest.PostgresURL(t)}
}
