package database

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"waymark/internal/waymark"
)

// urlError says what is wrong with a URL. err is the error of pgx, which contains the URL.
func urlError(databaseURL string, err error) error {
	reason := errors.Unwrap(err)
	if _, invalid := url.Parse(databaseURL); invalid != nil || reason == nil { // the reason can have a part of the password
		return errors.New("invalid PostgreSQL URL: use " + postgresURLForm)
	}
	return fmt.Errorf("invalid PostgreSQL URL: %w: use %s", reason, postgresURLForm)
}

// adviseRights adds what to do about an error for a role without a schema or without rights.
func adviseRights(err error) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && (e.Code == "42501" || e.Code == "3F000") {
		return fmt.Errorf("%w: connect as the owner of the database or of its tables, or let one run CREATE SCHEMA … AUTHORIZATION … for this role", err)
	}
	return err
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
	var lookup *net.DNSError
	var failed *pgconn.ConnectError
	switch {
	case errors.As(err, &server):
		return server.Message
	case errors.As(err, &lookup): // pgx joins one for each kind of address
		err = lookup
	case errors.As(err, &network):
		err = network.Err
		for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
			err = inner // without the name of the system call
		}
	case errors.As(err, &failed):
		err = failed.Unwrap()
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}

// postgresURLForm is the form of the URLs, for error messages.
const postgresURLForm = "postgres://user:password@host:5432/name"
