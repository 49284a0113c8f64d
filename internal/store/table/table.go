// Package table describes the tables of the database as values: the columns of a table, and how its
// rows are read and written. It also has the tables that several packages below store use: users,
// links, lists, tags and notes.
package table

import (
	"context"
	"database/sql"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Table is a table with rows of type T. Its alias is e in every statement.
type Table[T any] struct {
	Name     string
	Columns  []Column[T]
	Read     []Column[T] // the columns that are read
	Selected string      // their names, with the alias e
}

// New returns a table with these columns.
func New[T any](name string, columns ...Column[T]) Table[T] {
	t := Table[T]{Name: name, Columns: columns}
	t.setRead(func(c Column[T]) bool { return c.Target != nil })
	return t
}

// Without returns the table with columns that are not read: each column costs time.
func (t Table[T]) Without(names ...string) Table[T] {
	t.setRead(func(c Column[T]) bool { return c.Target != nil && !slices.Contains(names, c.Name) })
	return t
}

// ColumnTypes returns the types of all columns.
func (t *Table[T]) ColumnTypes() []ColumnType { return columnTypes(t.Columns) }

// setRead sets which columns are read.
func (t *Table[T]) setRead(read func(Column[T]) bool) {
	t.Read = nil
	var names []string
	for _, c := range t.Columns {
		if read(c) {
			t.Read = append(t.Read, c)
			names = append(names, "e."+c.Name)
		}
	}
	t.Selected = strings.Join(names, ", ")
}

// SelectedAs returns Selected with another alias.
func (t *Table[T]) SelectedAs(alias string) string {
	return strings.ReplaceAll(t.Selected, "e.", alias+".")
}

// Targets returns what the columns of Selected are scanned into, with capacity for more.
func (t *Table[T]) Targets(row *T, more int) []any {
	targets := make([]any, 0, len(t.Read)+more)
	for _, c := range t.Read {
		targets = append(targets, c.scan(row))
	}
	return targets
}

// Scan reads the columns of Selected.
func (t *Table[T]) Scan(rows *sql.Rows, row *T) error { return rows.Scan(t.Targets(row, 0)...) }

// All returns the rows of a query that ends with where.
func (t *Table[T]) All(ctx context.Context, q database.Querier, where string, args ...any) ([]T, error) {
	return database.QueryAll(ctx, q, t.Scan, t.query(where), args...)
}

// Get returns the first row of a query that ends with where, or waymark.ErrNotFound.
func (t *Table[T]) Get(ctx context.Context, q database.Querier, where string, args ...any) (T, error) {
	return database.QueryOne(ctx, q, t.Scan, t.query(where), args...)
}

func (t *Table[T]) query(where string) string {
	return `
		SELECT ` + t.Selected + `
		FROM ` + t.Name + ` AS e
		WHERE ` + where
}

// GetActive returns an active entity. In a write transaction it also locks the row.
func (t *Table[T]) GetActive(ctx context.Context, q database.Querier, id int64) (T, error) {
	return t.Get(ctx, q, "e.id = $1 AND e.visible_to IS NOT NULL"+q.RowLock(), id)
}

// GetVisible returns an active entity that the viewer sees. It returns
// waymark.ErrForbidden if the viewer does not see it. In a write transaction it also locks
// the row.
func (t *Table[T]) GetVisible(ctx context.Context, q database.Querier, viewer waymark.UserID, id int64) (T, error) {
	var visible bool
	scan := func(rows *sql.Rows, entity *T) error { return rows.Scan(append(t.Targets(entity, 1), &visible)...) }
	a := q.Args(id)
	entity, err := database.QueryOne(ctx, q, scan, `
		SELECT `+t.Selected+`, `+query.VisibleTo(a, "e.visible_to", viewer)+`
		FROM `+t.Name+` AS e
		WHERE e.id = $1 AND e.visible_to IS NOT NULL`+q.RowLock(), a.Values...)
	if err != nil || visible {
		return entity, err
	}
	var none T
	return none, waymark.ErrForbidden
}

// Insert inserts rows and returns their ids in the same order. The rows are one
// argument, so that the statement is the same for any number of them.
func Insert[ID waymark.ID, T any](ctx context.Context, q database.Querier, t *Table[T], rows []T) ([]ID, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	a := q.Args()
	ids, err := database.QueryAll(ctx, q, database.ScanValue[ID], t.InsertSQL(a, rows)+`
		RETURNING id`, a.Values...)
	slices.Sort(ids) // they were generated in the order of the rows
	return ids, err
}

// InsertSQL returns the statement that inserts rows.
func (t *Table[T]) InsertSQL(a *database.Args, rows []T) string {
	columns := slices.DeleteFunc(slices.Clone(t.Columns), func(c Column[T]) bool { return c.Value == nil })
	values := make([][]any, len(rows))
	for i := range rows {
		values[i] = waymark.Map(columns, func(c Column[T]) any { return c.Value(&rows[i]) })
	}
	return InsertSQL(a, t.Name, columnTypes(columns), values)
}

// InsertBatches is Insert for any number of rows, until ctx ends.
func InsertBatches[ID waymark.ID, T any](ctx context.Context, q database.Querier, t *Table[T], rows []T) ([]ID, error) {
	ids := make([]ID, 0, len(rows))
	err := InBatches(ctx, rows, func(batch []T) error {
		inserted, err := Insert[ID](ctx, q, t, batch)
		ids = append(ids, inserted...)
		return err
	})
	return ids, err
}

// Update writes the columns of a row that may change.
func (t *Table[T]) Update(ctx context.Context, q database.Querier, id int64, row *T) error {
	a := q.Args(id)
	var set []string
	for _, c := range t.Columns {
		if c.Update {
			set = append(set, c.Name+" = "+c.cast(a, a.Add(c.Value(row))))
		}
	}
	_, err := q.Exec(ctx, `
		UPDATE `+t.Name+`
		SET `+strings.Join(set, ", ")+`
		WHERE id = $1`, a.Values...)
	return err
}

// ID returns the id of a row.
func (t *Table[T]) ID(row *T) int64 { return reflect.ValueOf(t.Columns[0].Target(row)).Elem().Int() }

// UpdateRows writes these columns of rows in one statement, and the columns that are derived from them.
func (t *Table[T]) UpdateRows(ctx context.Context, q database.Querier, rows []T, columns map[string]bool) error {
	if len(rows) == 0 {
		return nil
	}
	a := q.Args()
	var set []string
	written := []Column[T]{}
	for _, c := range t.Columns {
		if columns[c.Name] || c.Target == nil {
			written = append(written, c)
			set = append(set, c.Name+" = "+c.cast(a, "value->>"+strconv.Itoa(len(written))))
		}
	}
	values := make([][]any, len(rows))
	for i := range rows {
		values[i] = append([]any{t.ID(&rows[i])}, waymark.Map(written, func(c Column[T]) any { return c.Value(&rows[i]) })...)
	}
	_, err := q.Exec(ctx, `
		UPDATE `+t.Name+`
		SET `+strings.Join(set, ", ")+`
		FROM `+a.Rows(values)+`
		WHERE `+t.Name+`.id = CAST(value->>0 AS BIGINT)`, a.Values...)
	return err
}

// OrNotFound returns err, or waymark.ErrNotFound if no row was changed.
func OrNotFound(changed int64, err error) error {
	if err == nil && changed == 0 {
		return waymark.ErrNotFound
	}
	return err
}
