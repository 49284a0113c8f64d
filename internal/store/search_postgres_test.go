package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
)

// createDatabase creates a database on the server for tests, and returns its URL.
func createDatabase(t *testing.T, name, options string) string {
	t.Helper()
	server, err := url.Parse(storetest.PostgresOptions(t).Database)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", server.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.ExecContext(context.Background(), "DROP DATABASE "+name); err != nil {
			t.Error(err)
		}
		db.Close()
	})
	if _, err := db.ExecContext(t.Context(), "DROP DATABASE IF EXISTS "+name); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name+" WITH TEMPLATE template0 "+options); err != nil {
		t.Fatal(err)
	}
	server.Path, server.RawQuery = "/"+name, "sslmode=disable"
	return server.String()
}

func TestOpenWarnsOfALocaleWithoutNonASCIILetters(t *testing.T) {
	for locale, want := range map[string]bool{"C": true, "C.UTF-8": false} {
		t.Run(locale, func(t *testing.T) {
			var log bytes.Buffer
			s, err := store.Open(t.Context(), store.Options{
				Database: createDatabase(t, "waymark_test_locale", "ENCODING 'UTF8' LOCALE '"+locale+"'"),
				Log:      slog.New(slog.NewTextHandler(&log, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if got := strings.Contains(log.String(), "recreate the database with the locale C.UTF-8"); got != want {
				t.Errorf("got log %s, want a warning: %t", log.String(), want)
			}
		})
	}
}
