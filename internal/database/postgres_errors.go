package database

import (
	"context"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"waymark/internal/config"
	"waymark/internal/waymark"
)

// sslModes are the values of sslmode.
var sslModes = []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}

// urlError says what is wrong with a URL. The error of pgx may contain the password.
func urlError(databaseURL string) error {
	address, query, _ := strings.Cut(databaseURL, "?")
	parameters, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("invalid PostgreSQL URL: the parameters after the question mark cannot be read")
	}
	setting := func(parameter, variable string) string {
		if parameters.Has(parameter) {
			return parameters.Get(parameter)
		}
		return os.Getenv(variable)
	}
	if mode := setting("sslmode", "PGSSLMODE"); mode != "" && !slices.Contains(sslModes, mode) {
		return fmt.Errorf("invalid sslmode %q: use one of %s", mode, strings.Join(sslModes, ", "))
	}
	if file := setting("sslrootcert", "PGSSLROOTCERT"); file != "" && file != "system" {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("cannot read sslrootcert: %w", err)
		}
		if !x509.NewCertPool().AppendCertsFromPEM(text) {
			return fmt.Errorf("invalid sslrootcert: %s contains no certificate in PEM format", file)
		}
	}
	_, hosts, _ := strings.Cut(address, "://")
	hosts, _, _ = strings.Cut(hosts[strings.LastIndex(hosts, "@")+1:], "/")
	for host := range strings.SplitSeq(hosts, ",") {
		if _, port, err := net.SplitHostPort(host); err == nil && !config.ValidPort(port) {
			return errors.New("invalid PostgreSQL URL: the port of a host is not a number from 1 to 65535") // or a part of a password that is not escaped
		}
	}
	if port := setting("port", "PGPORT"); port != "" && !config.ValidPort(port) {
		return fmt.Errorf("invalid port %q: use a number from 1 to 65535", port)
	}
	return errors.New("invalid PostgreSQL URL: use " + postgresURLForm)
}

// checkRights returns an error without a schema for the tables, or without rights on them.
func checkRights(ctx context.Context, db *sql.DB) error {
	var role, path, schema, owner string
	var migrated, mayCreate, mayUse bool
	if err := db.QueryRowContext(ctx, `
		SELECT
			current_user,
			current_setting('search_path'),
			coalesce(current_schema(), ''),
			coalesce(has_schema_privilege(current_schema(), 'CREATE'), false),
			t.oid IS NOT NULL,
			coalesce(pg_get_userbyid(t.relowner), ''),
			coalesce(has_table_privilege(t.oid, 'SELECT') AND has_table_privilege(t.oid, 'INSERT'), false)
		FROM (SELECT) AS one
		LEFT JOIN pg_class AS t ON t.oid = to_regclass('waymark_schema')`).Scan(&role, &path, &schema, &mayCreate, &migrated, &owner, &mayUse); err != nil {
		return fmt.Errorf("read the rights of the role: %w", err)
	}
	switch {
	case schema == "":
		return fmt.Errorf("the database has no schema of the search_path %s that the role %q may use: correct the search_path, or run CREATE SCHEMA … AUTHORIZATION %q", path, role, role)
	case migrated && !mayUse:
		return fmt.Errorf("the role %q does not have all rights on Waymark's tables in the schema %q: connect as their owner %q", role, schema, owner)
	case !migrated && !mayCreate:
		return fmt.Errorf("the role %q may not create tables in the schema %q: run GRANT CREATE ON SCHEMA %q TO %q in the database, or connect as its owner", role, schema, schema, role)
	}
	return nil
}

// connectError says why no host could be reached, in one line and without the password.
type connectError struct {
	hosts []string
	errs  []error // of each host
}

func (e *connectError) Unwrap() []error { return e.errs }

func (e *connectError) Error() string {
	reasons := waymark.Map(e.errs, connectReason)
	if len(slices.Compact(slices.Clone(reasons))) == 1 {
		return "cannot connect to PostgreSQL at " + strings.Join(e.hosts, ", ") + ": " + reasons[0]
	}
	for i, host := range e.hosts {
		reasons[i] = host + ": " + reasons[i]
	}
	return "cannot connect to PostgreSQL at " + strings.Join(reasons, "; ")
}

// connectReason returns the message of the server or of the system.
func connectReason(err error) string {
	var server *pgconn.PgError
	var network *net.OpError
	var connect *pgconn.ConnectError
	var unknownAuthority x509.UnknownAuthorityError
	switch {
	case errors.As(err, &server):
		return server.Message
	case errors.As(err, &unknownAuthority):
		return unknownAuthority.Error() + ": use sslrootcert for the file with the certificate of its authority"
	case strings.Contains(err.Error(), "server refused TLS connection"):
		return "the server does not support TLS, or is not PostgreSQL: check the port, or use sslmode=disable"
	case strings.Contains(err.Error(), "unexpected message"), strings.Contains(err.Error(), "invalid body length"):
		return "the server does not respond like PostgreSQL: check the port"
	case errors.As(err, &connect) && errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &network):
		return "the host accepts connections, but does not respond in time: check the port"
	case errors.As(err, &network):
		err = network.Err
		for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
			err = inner // without the name of the system call
		}
	case errors.As(err, &connect):
		err = connect.Unwrap()
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}
