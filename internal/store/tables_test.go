package store

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/database/dbtest"
)

// A column that is in the migrations of one database only, or not in copiedTables, would
// be neither written nor copied.
func TestTablesHaveAllColumnsOfTheDatabase(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) *Store{
		"SQLite":     func(t *testing.T) *Store { return openTest(t, Options{}) },
		"PostgreSQL": func(t *testing.T) *Store { return openTest(t, Options{Database: dbtest.PostgresURL(t)}) },
	} {
		t.Run(name, func(t *testing.T) {
			tables, err := open(t).TableColumns(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			delete(tables, "counters")         // only triggers write it
			delete(tables, "revoked_api_keys") // not copied: the rows are kept for a minute
			delete(tables, "undo_records")     // not copied: its tokens are of sessions of the old server
			want := map[string][]string{}
			for table, columns := range tables {
				for _, c := range columns {
					if !c.Generated {
						want[table] = append(want[table], c.Name)
					}
				}
			}
			got := map[string][]string{}
			for _, table := range copiedTables {
				for _, c := range table.columns {
					got[table.name] = append(got[table.name], c.Name)
				}
				slices.Sort(got[table.name])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("columns of the database (-) and of copiedTables (+):\n%s", diff)
			}
			for _, table := range slices.Sorted(maps.Keys(tables)) {
				for _, c := range tables[table] {
					if c.Generated != (c.Name == "visible_to") {
						t.Errorf("%s.%s: generated %t, want only visible_to", table, c.Name, c.Generated)
					}
				}
			}
		})
	}
}
