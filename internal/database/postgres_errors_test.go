package database_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
)

// wantOpenError opens a database and compares the error.
func wantOpenError(t *testing.T, databaseURL, want string) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Options{URL: databaseURL, Migrations: schema})
	if err == nil {
		db.Close()
	}
	if err == nil || err.Error() != want {
		t.Errorf("open %s: got error\n%v\nwant\n%s", databaseURL, err, want)
	}
}

func TestInvalidURLIsExplained(t *testing.T) {
	noCertificate := filepath.Join(t.TempDir(), "no.pem")
	check(t, os.WriteFile(noCertificate, []byte("no certificate"), 0o600))
	const form = "invalid PostgreSQL URL: use postgres://user:password@host:5432/name"
	for parameters, want := range map[string]string{
		"127.0.0.1/links?sslmode=verfy-full":                               `invalid sslmode "verfy-full": use one of disable, allow, prefer, require, verify-ca, verify-full`,
		"127.0.0.1/links?sslmode=verify-full&sslrootcert=/missing.pem":     "cannot read sslrootcert: open /missing.pem: no such file or directory",
		"127.0.0.1/links?sslmode=verify-full&sslrootcert=" + noCertificate: "invalid sslrootcert: " + noCertificate + " contains no certificate in PEM format",
		"127.0.0.1:99999/links":                                            "invalid PostgreSQL URL: the port of a host is not a number from 1 to 65535",
		"127.0.0.1,127.0.0.2:port/links":                                   "invalid PostgreSQL URL: the port of a host is not a number from 1 to 65535",
		"127.0.0.1/links?connect_timeout=soon":                             form,
	} {
		wantOpenError(t, "postgres://ann:secret@"+parameters, want)
	}
}

func TestServerThatIsNotPostgreSQLIsExplained(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
			io.CopyN(io.Discard, conn, 8)
			conn.Close()
		}
	}()
	defer func() {
		listener.Close()
		<-ended
	}()
	address := listener.Addr().String()
	for mode, want := range map[string]string{
		"disable": "the server does not respond like PostgreSQL: check the port",
		"require": "the server does not support TLS, or is not PostgreSQL: check the port, or use sslmode=disable",
	} {
		wantOpenError(t, "postgres://ann:secret@"+address+"/links?sslmode="+mode, "cannot connect to PostgreSQL at "+address+": "+want)
	}
	silent := httptest.NewServer(http.NotFoundHandler())
	defer silent.Close()
	address = strings.TrimPrefix(silent.URL, "http://")
	wantOpenError(t, "postgres://ann:secret@"+address+"/links?sslmode=disable&connect_timeout=1",
		"cannot connect to PostgreSQL at "+address+": the host accepts connections, but does not respond in time: check the port")
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
	wantOpenError(t, as(owner, "typo"), `the database has no schema of the search_path typo that the role "`+owner+`" may use: correct the search_path, or run CREATE SCHEMA … AUTHORIZATION "`+owner+`"`)
	wantOpenError(t, as(role, empty), `the role "`+role+`" may not create tables in the schema "`+empty+`": run GRANT CREATE ON SCHEMA "`+empty+`" TO "`+role+`" in the database, or connect as its owner`)
	wantOpenError(t, as(role, tables), `the role "`+role+`" does not have all rights on Waymark's tables in the schema "`+tables+`": connect as their owner "`+owner+`"`)
}
