package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"waymark/internal/waymark"
)

// runner is what sql.DB, sql.Conn and sql.Tx have in common.
type runner interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error)
}

// querier runs statements on the pool, in a snapshot or in a change, prepared
// where that is worth it.
type querier struct {
	runner
	dialect *dialect
	cache   *stmtCache
	tx      *sql.Tx // the transaction that prepared statements must join, if any
	// rowLock ends a SELECT whose rows e are about to be changed, where other
	// changes run at the same time.
	rowLock string
}

func (q querier) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	stmt, err := q.prepared(ctx, text)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return q.QueryContext(ctx, text, args...)
	}
	return stmt.QueryContext(ctx, args...)
}

// exec runs a statement and returns how many rows it changed.
func (q querier) exec(ctx context.Context, text string, args ...any) (int64, error) {
	stmt, err := q.prepared(ctx, text)
	if err != nil {
		return 0, err
	}
	var result sql.Result
	if stmt == nil {
		result, err = q.ExecContext(ctx, text, args...)
	} else {
		result, err = stmt.ExecContext(ctx, args...)
	}
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (q querier) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	stmt, err := q.cache.prepare(ctx, text)
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

// queryEach runs a query and yields its rows one by one.
func queryEach[T any](ctx context.Context, q querier, scan func(*sql.Rows, *T) error, text string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		rows, err := q.query(ctx, text, args...)
		if err != nil {
			yield(zero, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			var row T
			if err := scan(rows, &row); err != nil {
				yield(zero, err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(zero, err)
		}
	}
}

// queryAll runs a query and returns its rows, an empty slice where there are none.
func queryAll[T any](ctx context.Context, q querier, scan func(*sql.Rows, *T) error, text string, args ...any) ([]T, error) {
	found := []T{}
	for row, err := range queryEach(ctx, q, scan, text, args...) {
		if err != nil {
			return nil, err
		}
		found = append(found, row)
	}
	return found, nil
}

// queryOne runs a query and returns its first row, or waymark.ErrNotFound.
func queryOne[T any](ctx context.Context, q querier, scan func(*sql.Rows, *T) error, text string, args ...any) (T, error) {
	for row, err := range queryEach(ctx, q, scan, text, args...) {
		return row, err
	}
	var zero T
	return zero, waymark.ErrNotFound
}

// scanValue scans rows of a single column.
func scanValue[T any](rows *sql.Rows, into *T) error { return rows.Scan(into) }

// args collects the arguments of a statement that is put together, and names
// their places in its text.
type args struct {
	values  []any
	dialect *dialect
}

// args begins the arguments of a statement.
func (q querier) args(values ...any) *args { return &args{values, q.dialect} }

// add returns the place of one more argument.
func (a *args) add(v any) string {
	a.values = append(a.values, v)
	return "$" + strconv.Itoa(len(a.values))
}

// in is the condition that what stands before it is one of the values. They are
// a single argument, so that the statement is the same for any number of them.
func in[T waymark.ID | int64 | string](a *args, values []T) string {
	kind := "BIGINT"
	if _, ok := any(values).([]string); ok {
		kind = "TEXT"
	}
	rows := make([][1]T, len(values))
	for i, v := range values {
		rows[i][0] = v
	}
	return a.dialect.inSubquery("SELECT CAST(value->>0 AS " + kind + ") FROM " + a.addRows(rows))
}

// addRows returns the FROM of rows that come as one more argument. Their values are
// numbers, truths and texts, which always can be JSON.
func (a *args) addRows(rows any) string {
	list, err := json.Marshal(rows)
	if err != nil {
		panic(err)
	}
	return a.dialect.jsonRows(a.add(string(list)))
}

// columns are the columns of a table that are written together, and their types.
type columns []struct{ name, kind string }

func (c columns) names() string {
	names := make([]string, len(c))
	for i, column := range c {
		names[i] = column.name
	}
	return strings.Join(names, ", ")
}

// insert adds rows to a table, with values for the columns, and returns their ids
// in the same order. All rows are a single argument.
func insert[T waymark.ID | int64](ctx context.Context, q querier, table string, c columns, rows [][]any) ([]T, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	a := q.args()
	ids, err := queryAll(ctx, q, scanValue[T], c.insert(a, table, rows)+" RETURNING id", a.values...)
	slices.Sort(ids) // they were given in the order of the rows
	return ids, err
}

// insert is the statement that adds rows to a table.
func (c columns) insert(a *args, table string, rows [][]any) string {
	values := make([]string, len(c))
	for i, column := range c {
		values[i] = "CAST(value->>" + strconv.Itoa(i) + " AS " + column.kind + ")"
	}
	return "INSERT INTO " + table + " (" + c.names() + ") SELECT " + strings.Join(values, ", ") +
		" FROM " + a.addRows(rows) + " ORDER BY key"
}

// assign is the SET of an UPDATE: the columns, and a place for each of their values.
func (c columns) assign(a *args, values []any) string {
	set := make([]string, len(c))
	for i, column := range c {
		set[i] = column.name + " = " + a.add(values[i])
	}
	return strings.Join(set, ", ")
}
