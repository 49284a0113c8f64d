package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"waymark/internal/waymark"
)

// migrationLock is the number of the advisory lock under which one of several
// servers migrates.
const migrationLock = 0x77617966

// connMaxLifetime is how old a connection may get, so that its memory on the
// server and what stands between the two (a balancer, a name) do not stay for ever.
const connMaxLifetime = time.Hour

func openPostgres(ctx context.Context, o Options) (_ *DB, err error) {
	hosts, err := postgresHosts(o.URL)
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(hosts)
	pool.SetMaxOpenConns(o.Connections)
	pool.SetMaxIdleConns(o.Connections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	pool.SetConnMaxLifetime(connMaxLifetime)
	db := &DB{dialect: &postgresDialect, read: pool, trace: o.Trace, writer: txWriter{pool, newCommitHistogram(), o.Trace}, close: []func() error{pool.Close}}
	db.allotConnections(o.Connections, o.StreamMinRun)
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	if err := pool.PingContext(ctx); err != nil {
		return nil, fmt.Errorf("the PostgreSQL server %s does not let us in: %w", hosts, err)
	}
	if err := checkServer(ctx, pool); err != nil {
		return nil, err
	}
	if err := migratePostgres(ctx, pool, o); err != nil {
		return nil, err
	}
	return db, nil
}

// minPostgresVersion is the oldest version that the tests run on.
const minPostgresVersion = 15

// checkServer returns an error where the server cannot keep what we give it.
func checkServer(ctx context.Context, db *sql.DB) error {
	var version int
	var encoding string
	if err := db.QueryRowContext(ctx, `
		SELECT CAST(current_setting('server_version_num') AS INTEGER) / 10000, current_setting('server_encoding')`).Scan(&version, &encoding); err != nil {
		return fmt.Errorf("ask PostgreSQL for its version: %w", err)
	}
	switch {
	case version < minPostgresVersion:
		return fmt.Errorf("the server is PostgreSQL %d: at least %d is needed", version, minPostgresVersion)
	case encoding != "UTF8":
		return fmt.Errorf("the database is encoded in %s, which cannot keep every text: make one WITH TEMPLATE template0 ENCODING 'UTF8'", encoding)
	}
	return nil
}

// migratePostgres brings the tables up to date: one of several servers that start
// together does it, and the others wait.
func migratePostgres(ctx context.Context, db *sql.DB, o Options) error {
	tx, err := db.BeginTx(ctx, nil) // to which the lock belongs, whatever stands between us and the server
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // it has changed nothing
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
		return err
	}
	m, err := newMigration(db, "postgres", o)
	if err != nil {
		return err
	}
	pending, err := m.pending(ctx)
	if err != nil || !pending {
		return err
	}
	return m.up(ctx)
}

var postgresDialect = dialect{
	kind:          PostgreSQL,
	readTxOptions: &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
	mapError:      mapPostgresError,
	jsonRows: func(parameter string) string {
		return "jsonb_array_elements(CAST(" + parameter + " AS jsonb)) WITH ORDINALITY AS t (value, key)"
	},
	// PostgreSQL estimates few elements in an array, and uses the index.
	inSubquery: func(query string) string { return "= ANY (ARRAY(" + query + "))" },
	// Without a limit PostgreSQL plans for all rows of the branch, and sorts them.
	limitBranch: func(query, parameter string) string { return query + "\nLIMIT " + parameter },
	lock: func(ctx context.Context, q Querier, key int64) error {
		_, err := q.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", key)
		return err
	},
	resetSequence: func(ctx context.Context, q Querier, table string) error {
		_, err := q.Exec(ctx, "SELECT setval(pg_get_serial_sequence($1, 'id'), coalesce(max(id), 0) + 1, false) FROM "+table, table)
		return err
	},
	analyze: "ANALYZE",
}

// txWriter runs each change in a transaction of its own. PostgreSQL commits
// many together by itself.
type txWriter struct {
	db      *sql.DB
	commits *histogram
	trace   func(text string)
}

// maxAttempts is how often a change runs at most, where others were in its way.
const maxAttempts = 5

func (w txWriter) change(ctx context.Context, do func(ctx context.Context, q Querier) error) error {
	for try := 1; ; try++ {
		err := w.runTx(ctx, do)
		if err == nil || try == maxAttempts || !retryable(err, try) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(try*try) * 5 * time.Millisecond):
		}
	}
}

func (w txWriter) runTx(ctx context.Context, do func(ctx context.Context, q Querier) error) error {
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return mapPostgresError(fmt.Errorf("begin to write: %w", err))
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to undo
	if err := do(ctx, Querier{runner: tx, dialect: &postgresDialect, rowLock: " FOR UPDATE OF e", trace: w.trace}); err != nil {
		return err
	}
	began := time.Now()
	err = tx.Commit()
	w.commits.observe(time.Since(began).Seconds())
	if err != nil {
		return mapPostgresError(fmt.Errorf("commit: %w", err))
	}
	return nil
}

func (w txWriter) stats(into *Stats) { into.Commits = w.commits.snapshot() }

// retryable tells whether a change failed because of another one that ran at
// the same time. A unique value may have been taken between looking and writing:
// the second look finds it.
func retryable(err error, try int) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code {
	case "40001", "40P01": // serialization failure, deadlock
		return true
	case "23505":
		return try == 1
	}
	return false
}

func mapPostgresError(err error) error {
	var e *pgconn.PgError
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF),
		errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.Is(err, pgconn.ErrConnClosed), pgconn.SafeToRetry(err):
		return fmt.Errorf("%w: %w", waymark.ErrUnavailable, err)
	case errors.As(err, &e):
		return mapPostgresCode(e, err)
	}
	return err
}

// mapPostgresCode knows the codes of
// https://www.postgresql.org/docs/current/errcodes-appendix.html that mean
// something to us.
func mapPostgresCode(e *pgconn.PgError, err error) error {
	switch e.Code {
	case "23505":
		return fmt.Errorf("%w: %w", waymark.ErrConflict, err)
	case "23503":
		return fmt.Errorf("%w: %w", waymark.ErrNotFound, err)
	case readOnly: // a standby, or a primary that became one
		return fmt.Errorf("%w: %w", waymark.ErrUnavailable, err)
	}
	if endedByServer(e) {
		return fmt.Errorf("%w: %w", waymark.ErrUnavailable, err)
	}
	switch e.Code[:2] {
	case "08", "40", "53", "57", "58": // connection, lost against others, resources, operator, system
		return fmt.Errorf("%w: %w", waymark.ErrUnavailable, err)
	}
	return err
}
