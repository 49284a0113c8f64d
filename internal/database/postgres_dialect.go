package database

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"waymark/internal/waymark"
)

var postgresDialect = dialect{
	kind:           PostgreSQL,
	readTxOptions:  &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
	mapDriverError: mapPostgresError,
	// to_regclass would not see what another transaction has committed while this one waited for a lock.
	tableExists:   "EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = '%s')",
	schemaObjects: postgresObjects,
}

func mapPostgresError(err error) error {
	var e *pgconn.PgError
	var failed *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.As(err, &failed), errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF),
		errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.Is(err, pgconn.ErrConnClosed), pgconn.SafeToRetry(err):
		return fmt.Errorf("%w: %w", waymark.ErrUnavailable, err)
	case errors.As(err, &e):
		return mapPostgresCode(e, err)
	}
	return err
}

// mapPostgresCode maps the codes of
// https://www.postgresql.org/docs/current/errcodes-appendix.html.
func mapPostgresCode(e *pgconn.PgError, err error) error {
	switch e.Code {
	case "23505":
		return fmt.Errorf("%w: %w", waymark.ErrConflict, err)
	case "23503":
		return fmt.Errorf("%w: %w", waymark.ErrNotFound, err)
	}
	if isFatal(e) {
		return fmt.Errorf("%w: %w", waymark.ErrUnavailable, err)
	}
	switch e.Code[:2] {
	case "08", "40", "53", "57", "58": // connection, rollback, resources, operator intervention, system
		return fmt.Errorf("%w: %w", waymark.ErrUnavailable, err)
	}
	return err
}

// isFatal reports whether a connection is of no use after an error: the server has ended
// it, or has stopped accepting writes, as a primary does that became a standby.
func isFatal(e *pgconn.PgError) bool {
	// Severity is translated to the language of the server, so it cannot be compared.
	return e.Code == readOnlyTransaction || e.SeverityUnlocalized == "FATAL" || e.SeverityUnlocalized == "PANIC"
}

// readOnlyTransaction is the SQLSTATE of a write in a read-only transaction.
const readOnlyTransaction = "25006"

// postgresObjects selects the objects of the schema. It has no definitions of indexes and constraints, which a later
// version of PostgreSQL can print differently; and no NOT NULL constraints, which it only names since version 18.
const postgresObjects = `
	SELECT c.relname || ': table ' || c.relname, string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END, ', ' ORDER BY a.attname)
	FROM pg_class AS c
	JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
	GROUP BY c.relname
	UNION ALL
	SELECT tablename || ': index ' || indexname, ''
	FROM pg_indexes
	WHERE schemaname = current_schema()
	UNION ALL
	SELECT c.relname || ': constraint ' || o.conname, o.contype::text
	FROM pg_constraint AS o
	JOIN pg_class AS c ON c.oid = o.conrelid
	WHERE o.connamespace = current_schema()::regnamespace AND o.contype <> 'n'
	UNION ALL
	SELECT c.relname || ': trigger ' || t.tgname, p.proname || ' ' || t.tgenabled::text || ' ' || p.prosrc
	FROM pg_trigger AS t
	JOIN pg_class AS c ON c.oid = t.tgrelid
	JOIN pg_proc AS p ON p.oid = t.tgfoid
	WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal`
