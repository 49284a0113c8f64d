package database

import (
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"waymark/internal/waymark"
)

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

// connectReason returns the message of the server, or else the reason without what pgx tried.
func connectReason(err error) string {
	var server *pgconn.PgError
	var network *net.OpError
	var connect *pgconn.ConnectError
	switch {
	case errors.As(err, &server):
		return server.Message
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
