package database

import (
	"context"
	"database/sql"
	"encoding/json"
	"iter"
	"strconv"
	"sync"

	"waymark/internal/waymark"
)

// runner is what sql.DB, sql.Conn and sql.Tx have in common.
type runner interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
}

// Querier runs statements on the connection pool or in a transaction, prepared where
// that pays. Its errors are mapped to the domain's: waymark.ErrConflict for a unique
// constraint, waymark.ErrNotFound for a foreign key, waymark.ErrUnavailable where a
// later attempt may succeed.
type Querier struct {
	runner
	dialect *dialect
	stmts   *stmtCache
	tx      *sql.Tx // the transaction that prepared statements must join, if any
	rowLock string
	trace   func(text string)
}

func (q Querier) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	stmt, err := q.prepared(ctx, text)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return q.QueryContext(ctx, text, args...)
	}
	return stmt.QueryContext(ctx, args...)
}

// Exec runs a statement and returns the number of rows that it changed.
func (q Querier) Exec(ctx context.Context, text string, args ...any) (int64, error) {
	stmt, err := q.prepared(ctx, text)
	if err != nil {
		return 0, q.dialect.mapError(err)
	}
	var result sql.Result
	if stmt == nil {
		result, err = q.ExecContext(ctx, text, args...)
	} else {
		result, err = stmt.ExecContext(ctx, args...)
	}
	if err != nil {
		return 0, q.dialect.mapError(err)
	}
	return result.RowsAffected()
}

// RowLock ends a SELECT whose rows e are about to be changed, where other write
// transactions may run at the same time; elsewhere it is empty.
func (q Querier) RowLock() string { return q.rowLock }

// Lock makes other write transactions that lock the same key wait until this one ends.
func (q Querier) Lock(ctx context.Context, key int64) error { return q.dialect.lock(ctx, q, key) }

// ResetSequence makes the next generated id of a table follow the largest one in it,
// after rows were inserted with their ids.
func (q Querier) ResetSequence(ctx context.Context, table string) error {
	return q.dialect.resetSequence(ctx, q, table)
}

// Analyze updates the statistics of the query planner after a large change, where the
// database does not do so by itself.
func (q Querier) Analyze(ctx context.Context) error {
	if q.dialect.analyze == "" {
		return nil
	}
	_, err := q.Exec(ctx, q.dialect.analyze)
	return err
}

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

// stmtCache keeps prepared statements by their text. A nil one prepares nothing.
type stmtCache struct {
	on interface {
		PrepareContext(ctx context.Context, text string) (*sql.Stmt, error)
	}
	mu     sync.RWMutex
	byText map[string]*sql.Stmt
}

// maxStmts bounds the memory for statements whose text depends on what was
// asked. What comes later runs unprepared.
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
	stmt, err := c.on.PrepareContext(ctx, text)
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

// QueryEach runs a query and yields its rows one by one.
func QueryEach[T any](ctx context.Context, q Querier, scan func(*sql.Rows, *T) error, text string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		rows, err := q.query(ctx, text, args...)
		if err != nil {
			yield(zero, q.dialect.mapError(err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			var row T
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

// QueryAll runs a query and returns its rows, an empty slice where there are none.
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

// QueryOne runs a query and returns its first row, or waymark.ErrNotFound.
func QueryOne[T any](ctx context.Context, q Querier, scan func(*sql.Rows, *T) error, text string, args ...any) (T, error) {
	for row, err := range QueryEach(ctx, q, scan, text, args...) {
		return row, err
	}
	var zero T
	return zero, waymark.ErrNotFound
}

// ScanValue scans rows of a single column.
func ScanValue[T any](rows *sql.Rows, into *T) error { return rows.Scan(into) }

// Args collects the arguments of a statement that is put together, and names
// their places in its text.
type Args struct {
	Values  []any
	dialect *dialect
}

// NewArgs starts the arguments of a statement for a database system.
func NewArgs(kind Kind, values ...any) *Args {
	if kind == PostgreSQL {
		return &Args{values, &postgresDialect}
	}
	return &Args{values, &sqliteDialect}
}

// Args starts the arguments of a statement.
func (q Querier) Args(values ...any) *Args { return &Args{values, q.dialect} }

// Kind returns the database system that the statement is for.
func (a *Args) Kind() Kind { return a.dialect.kind }

// LimitBranch limits one branch of a UNION ALL to n rows, where the planner needs
// that to stop early.
func (a *Args) LimitBranch(query string, n int) string {
	if a.dialect.limitBranch == nil {
		return query
	}
	return a.dialect.limitBranch(query, a.Add(n))
}

// Add returns the place of one more argument.
func (a *Args) Add(v any) string {
	a.Values = append(a.Values, v)
	return "$" + strconv.Itoa(len(a.Values))
}

// In is the condition that what stands before it is one of the values. They are
// a single argument, so that the statement is the same for any number of them.
func In[T ~int64 | ~string](a *Args, values []T) string {
	kind := "BIGINT"
	if _, ok := any(values).([]string); ok {
		kind = "TEXT"
	}
	rows := make([][1]T, len(values))
	for i, v := range values {
		rows[i][0] = v
	}
	return a.dialect.inSubquery("SELECT CAST(value->>0 AS " + kind + ") FROM " + a.Rows(rows))
}

// Rows returns the FROM of rows that come as one more argument. Their values are
// numbers, truths and texts, which always can be JSON.
func (a *Args) Rows(rows any) string {
	list, err := json.Marshal(rows)
	if err != nil {
		panic(err)
	}
	return a.dialect.jsonRows(a.Add(string(list)))
}
