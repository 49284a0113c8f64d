package database

import (
	"errors"
	"net"
	"testing"
)

// pgx looks a name up for each kind of address, and joins the errors.
func TestUnknownHostIsNamedOnce(t *testing.T) {
	lookup := &net.DNSError{Err: "no such host", Name: "db.example.org", IsNotFound: true}
	err := &connectError{[]string{"db.example.org:5432"}, []error{errors.Join(lookup, lookup)}}
	if got, want := err.Error(), "cannot connect to PostgreSQL at db.example.org:5432: lookup db.example.org: no such host"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
