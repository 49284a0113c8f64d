package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/prometheus/client_golang/prometheus"
)

const (
	// connMaxIdleTime is after which time an idle connection is left to other servers.
	connMaxIdleTime = 30 * time.Second
	// connMaxLifetime is the maximum age of a connection. It bounds the memory that the
	// server keeps for one, and lets changes of DNS or of a load balancer take effect.
	connMaxLifetime = time.Hour
)

// newPool returns a pool of at most that many connections. Close closes it.
func (db *DB) newPool(connector driver.Connector, connections int) *sql.DB {
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	pool.SetConnMaxIdleTime(connMaxIdleTime)
	pool.SetConnMaxLifetime(connMaxLifetime)
	db.onClose(pool.Close)
	return pool
}

func (db *DB) openPostgres(ctx context.Context, o Options) error {
	db.dialect = &postgresDialect
	connector, err := newFailoverConnector(o.URL)
	if err != nil {
		return err
	}
	// One connection is for Ping, so that a health check waits for no other request.
	db.health = db.newPool(connector, 1)
	connections := max(1, o.Connections-1)
	pool := db.newPool(connector, connections)
	db.read = pool
	db.trace = o.Trace
	db.limits = newLimits(PostgreSQL, connections)
	writer := &txWriter{
		db:      pool,
		permits: make(chan struct{}, max(1, o.Connections/4)),
		commits: db.commits,
		trace:   o.Trace,
	}
	db.onClose(writer.close)
	db.writer = writer
	if err := pool.PingContext(ctx); err != nil {
		return err // of the connector, which says what failed
	}
	if err := checkServer(ctx, pool); err != nil {
		return err
	}
	return adviseRights(migratePostgres(ctx, pool, o))
}

// minPostgresVersion is the oldest version that the tests run on.
const minPostgresVersion = 15

// checkServer returns an error for a version of PostgreSQL or an encoding that does not do.
func checkServer(ctx context.Context, db *sql.DB) error {
	var version int
	var encoding string
	if err := db.QueryRowContext(ctx, `
		SELECT CAST(current_setting('server_version_num') AS INTEGER) / 10000, current_setting('server_encoding')`).Scan(&version, &encoding); err != nil {
		return fmt.Errorf("read the PostgreSQL version: %w", err)
	}
	switch {
	case version < minPostgresVersion:
		return fmt.Errorf("PostgreSQL %d is too old: version %d or newer is required", version, minPostgresVersion)
	case encoding != "UTF8":
		return fmt.Errorf("the database encoding is %s, but UTF8 is required: create the database WITH TEMPLATE template0 ENCODING 'UTF8'", encoding)
	}
	return nil
}

// txWriter runs each write in its own transaction. PostgreSQL syncs commits together.
type txWriter struct {
	db *sql.DB
	// permits limits the transactions, so that waiting COMMITs leave connections to reads.
	permits    chan struct{}
	commits    prometheus.Histogram
	trace      func(text string)
	committing sync.WaitGroup
}

// maxAttempts limits how often a write runs that conflicts with concurrent ones.
const maxAttempts = 5

func (w *txWriter) writeTx(ctx context.Context, do func(ctx context.Context, q Querier) error) error {
	return retryConflicts(ctx, func() error { return w.runTx(ctx, do) })
}

// retryConflicts calls run again if it fails because of a concurrent transaction.
func retryConflicts(ctx context.Context, run func() error) error {
	for attempt := 1; ; attempt++ {
		err := run()
		if err == nil || attempt == maxAttempts || !retryable(err, attempt) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(attempt*attempt) * 5 * time.Millisecond):
		}
	}
}

func (w *txWriter) runTx(ctx context.Context, do func(ctx context.Context, q Querier) error) error {
	if err := acquire(ctx, w.permits); err != nil {
		return err
	}
	ended := func() { release(w.permits) }
	defer func() { ended() }()
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return postgresDialect.mapError(fmt.Errorf("begin a write transaction: %w", err))
	}
	defer tx.Rollback() //nolint:errcheck // no effect after a commit
	if err := do(ctx, Querier{runner: tx, dialect: &postgresDialect, rowLock: " FOR NO KEY UPDATE OF e", trace: w.trace}); err != nil {
		return err
	}
	ended = func() {} // commit releases the permit
	return w.commit(ctx, tx)
}

// commit commits a transaction and then releases its permit. When ctx ends it returns
// ErrCommitUnknown, and the COMMIT goes on.
func (w *txWriter) commit(ctx context.Context, tx *sql.Tx) error {
	committed := make(chan error, 1)
	w.committing.Go(func() {
		defer release(w.permits)
		began := time.Now()
		err := tx.Commit()
		w.commits.Observe(time.Since(began).Seconds())
		committed <- err
	})
	select {
	case err := <-committed:
		return mapCommitError(err)
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrCommitUnknown, ctx.Err())
	}
}

// mapCommitError maps the error of a COMMIT. Its changes are not stored if it was not sent,
// or if the server says so. pgconn.SafeToRetry does not help: if the connection breaks while
// it waits for the result, pgx returns an error for a closed connection, as if the COMMIT
// had not been sent.
func mapCommitError(err error) error {
	var server *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrTxDone), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errNotSent),
		errors.As(err, &server) && !isFatal(server), errors.Is(err, pgx.ErrTxCommitRollback):
		return postgresDialect.mapError(fmt.Errorf("commit: %w", err))
	}
	return fmt.Errorf("%w: %w", ErrCommitUnknown, err)
}

// closeTimeout limits how long close waits for COMMITs.
const closeTimeout = 5 * time.Second

// close waits until no COMMIT is running, at most for closeTimeout. PostgreSQL finishes those that still run.
func (w *txWriter) close() error {
	ended := make(chan struct{})
	go func() {
		w.committing.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(closeTimeout):
	}
	return nil
}

// retryable reports whether a write failed because of a concurrent one. Another
// transaction may have inserted a unique value after this one looked for it: the second
// attempt finds it.
func retryable(err error, attempt int) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return false
	}
	switch e.Code {
	case "40001", "40P01": // serialization failure, deadlock
		return true
	case "23505":
		return attempt == 1
	}
	return false
}
