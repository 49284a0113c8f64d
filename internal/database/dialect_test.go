package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"waymark/internal/waymark"
)

func TestMapErrorOfPostgreSQL(t *testing.T) {
	kinds := []error{waymark.ErrNotFound, waymark.ErrForbidden, waymark.ErrConflict, waymark.ErrUnavailable}
	for _, test := range []struct{ err, want error }{
		{&pgconn.PgError{Code: "23505"}, waymark.ErrConflict},
		{&pgconn.PgError{Code: "23503"}, waymark.ErrNotFound},
		{&pgconn.PgError{Code: "25006"}, waymark.ErrUnavailable},
		{&pgconn.PgError{Code: "40001"}, waymark.ErrUnavailable},
		{&pgconn.PgError{Code: "53300"}, waymark.ErrUnavailable},
		{&pgconn.PgError{Code: "XX000", SeverityUnlocalized: "FATAL"}, waymark.ErrUnavailable},
		{&pgconn.PgError{Code: "42601"}, nil},
		{io.ErrUnexpectedEOF, waymark.ErrUnavailable},
		{context.Canceled, nil},
		{errors.New("other"), nil},
	} {
		mapped := postgresDialect.mapError(fmt.Errorf("query: %w", test.err))
		if !errors.Is(mapped, test.err) {
			t.Errorf("%v is mapped to %v, which does not wrap it", test.err, mapped)
		}
		for _, kind := range kinds {
			if got, want := errors.Is(mapped, kind), kind == test.want; got != want { //nolint:errorlint // which one, not what it wraps
				t.Errorf("%v is mapped to %v: is it %q? got %t, want %t", test.err, mapped, kind, got, want)
			}
		}
	}
}
