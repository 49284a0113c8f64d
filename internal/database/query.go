package database

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"sync"

	"waymark/internal/waymark"
)

// Querier runs statements on the connection pool or in a transaction, and caches prepared
// statements. Its errors are mapped to errors of package waymark: ErrConflict for a unique
// constraint, ErrNotFound for a foreign key, ErrUnavailable if a later attempt may succeed.
type Querier struct {
	runner  runner
	dialect *dialect
	stmts   *stmtCache
	tx      *sql.Tx // the transaction that prepared statements must join, if any
	rowLock string
	trace   func(text string)
	// uninterrupted statements do not end with their context: SQLite would roll back those of others, too.
	uninterrupted bool
}

// runner has the methods that sql.DB, sql.Conn and sql.Tx have in common.
type runner interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
}

// Kind returns the database system.
func (q Querier) Kind() Kind { return q.dialect.kind }

func (q Querier) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	ctx = q.contextOf(ctx)
	stmt, err := q.prepared(ctx, text)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return q.runner.QueryContext(ctx, text, args...)
	}
	return stmt.QueryContext(ctx, args...)
}

// Exec runs a statement and returns the number of rows that it changed.
func (q Querier) Exec(ctx context.Context, text string, args ...any) (int64, error) {
	ctx = q.contextOf(ctx)
	stmt, err := q.prepared(ctx, text)
	if err != nil {
		return 0, q.dialect.mapError(err)
	}
	var result sql.Result
	if stmt == nil {
		result, err = q.runner.ExecContext(ctx, text, args...)
	} else {
		result, err = stmt.ExecContext(ctx, args...)
	}
	if err != nil {
		return 0, q.dialect.mapError(err)
	}
	return result.RowsAffected()
}

// contextOf returns the context of a statement from that of its caller.
func (q Querier) contextOf(ctx context.Context) context.Context {
	if q.uninterrupted {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// RowLock returns the clause that ends a SELECT if the transaction is about to change its rows. The
// rows have the alias e. Rows that refer to them can be inserted all the same. Several rows are
// selected in the order of their ids, so that no two transactions wait for each other. It is empty
// if no other write transaction can run at the same time.
func (q Querier) RowLock() string { return q.rowLock }

// Lock makes other write transactions that lock the same key wait until this one ends. SQLite has one at a time.
func (q Querier) Lock(ctx context.Context, key int64) error {
	return q.execPostgres(ctx, "SELECT pg_advisory_xact_lock($1)", key)
}

// Analyze updates the statistics of PostgreSQL's planner after a large change.
func (q Querier) Analyze(ctx context.Context) error { return q.execPostgres(ctx, "ANALYZE") }

// execPostgres executes a statement that SQLite does not need.
func (q Querier) execPostgres(ctx context.Context, text string, args ...any) error {
	if q.Kind() == SQLite {
		return nil
	}
	_, err := q.Exec(ctx, text, args...)
	return err
}

// LastID returns the last id that was generated for a table, also if its row was deleted, or 0.
func (q Querier) LastID(ctx context.Context, table string) (int64, error) {
	text := "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = $1), 0)" // https://www.sqlite.org/autoinc.html
	if q.Kind() == PostgreSQL {
		text = "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, 'id')::regclass), 0)"
	}
	return QueryOne(ctx, q, ScanValue[int64], text, table)
}

// SetLastID makes the next generated id of a table follow id, and the largest one in the table,
// after rows were inserted with their ids.
func (q Querier) SetLastID(ctx context.Context, table string, id int64) error {
	if q.Kind() == PostgreSQL {
		_, err := q.Exec(ctx, "SELECT setval(pg_get_serial_sequence($1, 'id'), greatest(max(id), $2, 1), greatest(max(id), $2, 0) > 0) FROM "+table, table, id)
		return err
	}
	if _, err := q.Exec(ctx, "INSERT INTO sqlite_sequence (name, seq) SELECT $1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = $1)", table); err != nil {
		return err
	}
	_, err := q.Exec(ctx, "UPDATE sqlite_sequence SET seq = max(seq, $2) WHERE name = $1", table, id)
	return err
}

// prepared returns the statement in the cache, or nil to run the text unprepared.
func (q Querier) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	if q.trace != nil {
		q.trace(text)
	}
	stmt, err := q.stmts.prepare(ctx, text)
	if stmt == nil || err != nil || q.tx == nil {
		return stmt, err
	}
	return q.tx.StmtContext(ctx, stmt), nil
}

// stmtCache holds prepared statements by their text. A nil cache prepares nothing.
type stmtCache struct {
	preparer interface {
		PrepareContext(ctx context.Context, text string) (*sql.Stmt, error)
	}
	mu     sync.RWMutex
	byText map[string]*sql.Stmt
}

// maxStmts limits the memory for prepared statements, since the text of some depends on
// the request. When the cache is full, new texts run unprepared.
const maxStmts = 400

func (c *stmtCache) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	if c == nil {
		return nil, nil
	}
	c.mu.RLock()
	stmt, full := c.byText[text], len(c.byText) >= maxStmts
	c.mu.RUnlock()
	if stmt != nil || full {
		return stmt, nil
	}
	stmt, err := c.preparer.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if earlier := c.byText[text]; earlier != nil {
		return earlier, stmt.Close()
	}
	if c.byText == nil {
		c.byText = map[string]*sql.Stmt{}
	}
	c.byText[text] = stmt
	return stmt, nil
}

func (c *stmtCache) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, stmt := range c.byText {
		if err := stmt.Close(); err != nil {
			return err
		}
	}
	return nil
}

// QueryEach runs a query and yields its rows one by one. The first error ends it.
func QueryEach[T any](ctx context.Context, q Querier, scan func(*sql.Rows, *T) error, text string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		rows, err := q.query(ctx, text, args...)
		if err != nil {
			yield(zero, q.dialect.mapError(err))
			return
		}
		defer rows.Close()
		var row T // outside the loop: it is allocated once
		for rows.Next() {
			row = zero
			if err := scan(rows, &row); err != nil {
				yield(zero, q.dialect.mapError(err))
				return
			}
			if !yield(row, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(zero, q.dialect.mapError(err))
		}
	}
}

// QueryAll runs a query and returns its rows, an empty slice if there are none.
func QueryAll[T any](ctx context.Context, q Querier, scan func(*sql.Rows, *T) error, text string, args ...any) ([]T, error) {
	found := []T{}
	for row, err := range QueryEach(ctx, q, scan, text, args...) {
		if err != nil {
			return nil, err
		}
		found = append(found, row)
	}
	return found, nil
}

// QueryMap runs a query for two columns. It returns a map from the first to the second.
func QueryMap[K comparable, V any](ctx context.Context, q Querier, text string, args ...any) (map[K]V, error) {
	type row struct {
		key   K
		value V
	}
	found := map[K]V{}
	for r, err := range QueryEach(ctx, q, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.key, &r.value) }, text, args...) {
		if err != nil {
			return nil, err
		}
		found[r.key] = r.value
	}
	return found, nil
}

// QueryOne runs a query and returns its first row, or waymark.ErrNotFound.
func QueryOne[T any](ctx context.Context, q Querier, scan func(*sql.Rows, *T) error, text string, args ...any) (T, error) {
	for row, err := range QueryEach(ctx, q, scan, text, args...) {
		return row, err
	}
	var zero T
	return zero, waymark.ErrNotFound
}

// Exists reports whether there are rows. from is the end of the statement, after FROM.
func Exists(ctx context.Context, q Querier, from string, args ...any) (bool, error) {
	return QueryOne(ctx, q, ScanValue[bool], "SELECT EXISTS (SELECT 1 FROM "+from+")", args...)
}

// Count returns the number of rows. from is the end of the statement, after FROM.
func Count(ctx context.Context, q Querier, from string, args ...any) (int, error) {
	return QueryOne(ctx, q, ScanValue[int], "SELECT count(*) FROM "+from, args...)
}

// ScanValue scans rows of a single column.
func ScanValue[T any](rows *sql.Rows, into *T) error { return rows.Scan(into) }

// JoinInOrder joins two FROM items and makes SQLite read the left one first.
// PostgreSQL chooses the order by itself.
const JoinInOrder = " CROSS JOIN "

// Unindexed returns an expression for the column that SQLite does not look up in an index,
// so that it uses the index of another condition.
func Unindexed(column string) string { return "+" + column }

// dialect has what SQLite and PostgreSQL do differently for a whole database. Args and Querier have the differences of
// statements.
type dialect struct {
	kind Kind
	// readTxOptions are the options of a transaction that reads one snapshot.
	readTxOptions *sql.TxOptions
	// mapDriverError wraps an error of the driver in one of package waymark, if one fits.
	mapDriverError func(error) error
	// tableExists is the condition that there is a table with the name %s.
	tableExists string
	// schemaObjects selects "table: kind name" and the definition of each object of the schema.
	schemaObjects string
}

// mapError wraps an error of the driver in one of package waymark, if one fits. An
// error that is one already is returned as it is, so that nothing is wrapped twice.
func (d *dialect) mapError(err error) error {
	if err == nil {
		return nil
	}
	for _, kind := range []error{waymark.ErrNotFound, waymark.ErrForbidden, waymark.ErrConflict, waymark.ErrUnavailable} {
		if errors.Is(err, kind) {
			return err
		}
	}
	if _, ok := errors.AsType[*waymark.ValidationError](err); ok {
		return err
	}
	return d.mapDriverError(err)
}

// Kind is a database system.
type Kind int

// The supported database systems.
const (
	SQLite Kind = iota
	PostgreSQL
)
