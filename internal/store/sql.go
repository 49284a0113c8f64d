package store

import (
	"context"
	"database/sql"
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
	cache *statements
	tx    *sql.Tx // the transaction that prepared statements must join, if any
	// forChange ends a SELECT whose rows e are about to be changed, where other
	// changes run at the same time.
	forChange string
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

// statements keeps prepared statements by their text. A nil one prepares nothing.
type statements struct {
	on interface {
		PrepareContext(ctx context.Context, text string) (*sql.Stmt, error)
	}
	mu     sync.RWMutex
	byText map[string]*sql.Stmt
}

// mostStatements bounds the memory for statements whose text depends on what was
// asked. What comes later runs unprepared.
const mostStatements = 400

func (c *statements) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	if c == nil {
		return nil, nil
	}
	c.mu.RLock()
	stmt, full := c.byText[text], len(c.byText) >= mostStatements
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

func (c *statements) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, stmt := range c.byText {
		if err := stmt.Close(); err != nil {
			return err
		}
	}
	return nil
}

// each runs a query and yields its rows one by one.
func each[T any](ctx context.Context, q querier, scan func(*sql.Rows, *T) error, text string, args ...any) iter.Seq2[T, error] {
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

// all runs a query and returns its rows, an empty slice where there are none.
func all[T any](ctx context.Context, q querier, scan func(*sql.Rows, *T) error, text string, args ...any) ([]T, error) {
	found := []T{}
	for row, err := range each(ctx, q, scan, text, args...) {
		if err != nil {
			return nil, err
		}
		found = append(found, row)
	}
	return found, nil
}

// one runs a query and returns its first row, or waymark.ErrNotFound.
func one[T any](ctx context.Context, q querier, scan func(*sql.Rows, *T) error, text string, args ...any) (T, error) {
	for row, err := range each(ctx, q, scan, text, args...) {
		return row, err
	}
	var zero T
	return zero, waymark.ErrNotFound
}

// value scans rows of a single column.
func value[T any](rows *sql.Rows, into *T) error { return rows.Scan(into) }

// args collects the arguments of a statement that is put together, and names
// their places in its text.
type args []any

// add returns the place of one more argument.
func (a *args) add(v any) string {
	*a = append(*a, v)
	return "$" + strconv.Itoa(len(*a))
}

// in returns a list for IN of one type of values. It is padded with its last
// value to a power of two, so that lists of all lengths make few statements.
func in[T any](a *args, values []T) string {
	if len(values) == 0 {
		return "(NULL)"
	}
	size := 1
	for size < len(values) {
		size *= 2
	}
	places := make([]string, size)
	for i := range places {
		if i < len(values) {
			places[i] = a.add(values[i])
		} else {
			places[i] = places[len(values)-1]
		}
	}
	return "(" + strings.Join(places, ", ") + ")"
}

// run executes a statement over so many rows: prepared for one, since that is what
// comes often, and else as it is, since few of that length will come again.
func (q querier) run(ctx context.Context, rows int, text string, args ...any) (int64, error) {
	if rows > 1 {
		q.cache = nil
	}
	return q.exec(ctx, text, args...)
}

// insert adds rows to a table, with values for the columns named, and returns
// their ids in the same order.
func insert[T waymark.ID | int64](ctx context.Context, q querier, table, columns string, rows [][]any) ([]T, error) {
	ids := make([]T, 0, len(rows))
	if len(rows) > 1 {
		q.cache = nil
	}
	for some := range slices.Chunk(rows, chunk) {
		var a args
		var text strings.Builder
		text.WriteString("INSERT INTO " + table + " (" + columns + ") VALUES ")
		for i, row := range some {
			if i > 0 {
				text.WriteString(", ")
			}
			for j, v := range row {
				text.WriteString([]string{"(", ", "}[min(j, 1)] + a.add(v))
			}
			text.WriteString(")")
		}
		added, err := all(ctx, q, value[T], text.String()+" RETURNING id", a...)
		if err != nil {
			return nil, err
		}
		slices.Sort(added) // ids are given in the order of the rows
		ids = append(ids, added...)
	}
	return ids, nil
}

// assign is the SET of an UPDATE: the columns, and a place for each of their values.
func assign(a *args, columns string, values []any) string {
	names := strings.Split(columns, ", ")
	for i, name := range names {
		names[i] = name + " = " + a.add(values[i])
	}
	return strings.Join(names, ", ")
}
