package database_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
)

// wantOpenError opens a database and looks for texts in the error, which must not have the password.
func wantOpenError(t *testing.T, databaseURL string, want ...string) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Options{URL: databaseURL, Migrations: schema})
	if err == nil {
		db.Close()
		t.Fatalf("open %s: got no error", databaseURL)
	}
	for _, text := range want {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("open %s: got error\n%v\nwant\n%s", databaseURL, err, text)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the error has the password: %v", err)
	}
}

func TestInvalidURLIsExplained(t *testing.T) {
	noCertificate := filepath.Join(t.TempDir(), "no.pem")
	check(t, os.WriteFile(noCertificate, []byte("no certificate"), 0o600))
	const form = "use postgres://user:password@host:5432/name"
	for parameters, want := range map[string]string{
		"127.0.0.1/links?sslmode=verfy-full":                               "sslmode is invalid",
		"127.0.0.1/links?sslmode=verify-full&sslrootcert=/missing.pem":     "open /missing.pem: no such file or directory",
		"127.0.0.1/links?sslmode=verify-full&sslrootcert=" + noCertificate: "unable to add CA to cert pool",
		"127.0.0.1:99999/links":                                            "",
		"127.0.0.1,127.0.0.2:port/links":                                   "",
		"%zzsecret@127.0.0.1/links":                                        "",
		"127.0.0.1/links?connect_timeout=soon":                             "soon",
	} {
		wantOpenError(t, "postgres://ann:secret@"+parameters, "invalid PostgreSQL URL: ", form, want)
	}
	wantOpenError(t, "postgres://ann:12secret/3@127.0.0.1/links", form)
}

func TestMissingSchemaAndRightsAreExplained(t *testing.T) {
	databaseURL := dbtest.PostgresURL(t)
	admin := openPostgres(t, databaseURL)
	exec := func(statement string) {
		t.Helper()
		if _, err := admin.Querier().Exec(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	owner := queryValue[string](t, admin.Querier(), "SELECT current_user")
	tables := queryValue[string](t, admin.Querier(), "SELECT current_schema()")
	role, empty := tables+"_role", tables+"_empty"
	exec("CREATE ROLE " + role + " LOGIN")
	t.Cleanup(func() {
		exec("DROP SCHEMA " + empty + " CASCADE")
		exec("DROP OWNED BY " + role)
		exec("DROP ROLE " + role)
	})
	exec("CREATE SCHEMA " + empty)
	exec("GRANT USAGE ON SCHEMA " + empty + ", " + tables + " TO " + role)

	as := func(user, path string) string {
		parsed, err := url.Parse(databaseURL)
		check(t, err)
		query := parsed.Query()
		query.Set("search_path", path)
		parsed.User, parsed.RawQuery = url.User(user), query.Encode()
		return parsed.String()
	}
	for _, url := range []string{as(owner, "typo"), as(role, empty), as(role, tables)} {
		wantOpenError(t, url, "connect as the owner of the database or of its tables, or let one run CREATE SCHEMA")
	}
}
