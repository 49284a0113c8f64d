package store_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
)

var updateSchema = flag.Bool("update-schema", false, "write the schemas of the migrations")

// A changed migration changes these files: go test -run TestSchema ./internal/store -update-schema
func TestSchemaFilesAreThoseOfTheMigrations(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		lines, err := s.Database().Schema(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		folder := "sqlite"
		if s.Database().Kind() == database.PostgreSQL {
			folder = "postgres"
		}
		file, got := filepath.Join("migrations", folder, "schema.txt"), strings.Join(lines, "\n")+"\n"
		if *updateSchema {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, _ := os.ReadFile(file); got != string(want) {
			t.Errorf("%s is not the schema of the migrations: run go test -run TestSchema ./internal/store -update-schema\n%s", file, got)
		}
	})
}

func TestAnotherSchemaIsRefused(t *testing.T) {
	for change, want := range map[string]string{
		"ALTER TABLE tags ADD COLUMN colour TEXT": "(table tags differs)",
		"DROP INDEX links_url_key":                "(index links_url_key is missing)",
		"CREATE INDEX tags_of_mine ON tags (id)":  "",
	} {
		storetest.EachDatabase(t, func(t *testing.T, o store.Options) {
			db, err := store.OpenDatabase(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = db.Exec(t.Context(), change)
			check(t, errors.Join(err, db.Close()))
			db, err = store.OpenDatabase(t.Context(), o)
			if err == nil {
				check(t, db.Close())
			}
			if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
				t.Errorf("after %s: got %v, want %s", change, err, want)
			}
		})
	}
}
