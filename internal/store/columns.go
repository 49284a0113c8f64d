package store

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// column describes a column of a table with rows of type T: its name and SQL type, and
// how it is read and written.
type column[T any] struct {
	columnType
	value  func(*T) any // returns the value to write; nil if the database generates it
	target func(*T) any // returns the pointer to the value; nil for a derived column
	scan   func(*T) any // returns what Rows.Scan stores the value with, nil if target is nil
	update bool         // an UPDATE of the row writes the column
}

// columnType is a column's name and SQL type. The values of a column with the type hexType
// are bytes, and are written as database.Hex.
type columnType struct{ name, sqlType string }

const hexType = "HEX"

// cast returns the expression for the column's value in a text or a parameter.
func (c columnType) cast(a *database.Args, value string) string {
	if c.sqlType == hexType {
		return a.Unhex(value)
	}
	return "CAST(" + value + " AS " + c.sqlType + ")"
}

// field returns a column that is read and written.
func field[T, V any](name string, of func(*T) *V) column[T] {
	c := fixed(name, of)
	c.update = true
	return c
}

// fixed returns a column that is not changed after the row was inserted.
func fixed[T, V any](name string, of func(*T) *V) column[T] {
	c := generated(name, of)
	c.value = func(row *T) any { return *of(row) }
	return c
}

// generated returns a column that the database sets when a row is inserted. No INSERT or
// UPDATE of a whole row writes it.
func generated[T, V any](name string, of func(*T) *V) column[T] {
	c := column[T]{
		columnType: columnType{name, sqlType[V]()},
		target:     func(row *T) any { return of(row) },
	}
	c.scan = c.target
	if c.sqlType == "BIGINT" {
		c.scan = func(row *T) any { return integer[V]{of(row)} }
	}
	return c
}

// nullable returns a column, fixed, that is NULL while the field is zero.
func nullable[T any, V ~int64](name string, of func(*T) *V) column[T] {
	c := fixed(name, of)
	c.value = func(row *T) any {
		if v := *of(row); v != 0 {
			return v
		}
		return nil
	}
	c.scan = func(row *T) any { return nullableInteger[V]{of(row)} }
	return c
}

// nullableInteger is integer for a column that can be NULL, which is zero.
type nullableInteger[V ~int64] struct{ field *V }

// Scan implements sql.Scanner.
func (i nullableInteger[V]) Scan(value any) error {
	if value == nil {
		*i.field = 0
		return nil
	}
	return integer[V](i).Scan(value)
}

// integer is a sql.Scanner for a field with a type of integers. Rows.Scan itself converts the
// value between the types, in three times the time.
type integer[V any] struct{ field *V }

// Scan implements sql.Scanner.
func (i integer[V]) Scan(value any) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("cannot scan %T into %T", value, i.field)
	}
	reflect.ValueOf(i.field).Elem().SetInt(n)
	return nil
}

// derived returns a column whose value is computed from the row. It is never read.
func derived[T, V any](name string, value func(*T) V) column[T] {
	return column[T]{
		columnType: columnType{name, sqlType[V]()},
		value:      func(row *T) any { return value(row) },
		update:     true,
	}
}

// folded returns a derived column with the folded text of the row, or NULL if that is the
// text itself: most texts are, so that the column takes hardly any space.
func folded[T any](name string, text func(*T) string) column[T] {
	c := derived(name, text)
	c.value = func(row *T) any {
		if t := text(row); waymark.Fold(t) != t {
			return waymark.Fold(t)
		}
		return nil
	}
	return c
}

// sqlType returns the SQL type that holds any value of a Go type.
func sqlType[V any]() string {
	if reflect.TypeFor[V]() == reflect.TypeFor[database.Hex]() {
		return hexType
	}
	switch kind := reflect.TypeFor[V]().Kind(); kind {
	case reflect.String:
		return "TEXT"
	case reflect.Bool:
		return "BOOLEAN"
	case reflect.Int, reflect.Int64:
		return "BIGINT"
	default:
		panic("store: no SQL type for " + kind.String())
	}
}

// table is a table with rows of type T. Its alias is e in every statement.
type table[T any] struct {
	name     string
	columns  []column[T]
	read     []column[T] // the columns that are read
	selected string      // their names, with the alias e
}

func newTable[T any](name string, columns ...column[T]) table[T] {
	t := table[T]{name: name, columns: columns}
	t.setRead(func(c column[T]) bool { return c.target != nil })
	return t
}

// without returns the table with columns that are not read: each column costs time.
func (t table[T]) without(names ...string) table[T] {
	t.setRead(func(c column[T]) bool { return c.target != nil && !slices.Contains(names, c.name) })
	return t
}

// setRead sets which columns are read.
func (t *table[T]) setRead(read func(column[T]) bool) {
	t.read = nil
	var names []string
	for _, c := range t.columns {
		if read(c) {
			t.read = append(t.read, c)
			names = append(names, "e."+c.name)
		}
	}
	t.selected = strings.Join(names, ", ")
}

// selectedAs returns selected with another alias.
func (t *table[T]) selectedAs(alias string) string {
	return strings.ReplaceAll(t.selected, "e.", alias+".")
}

// targets returns what the columns of selected are scanned into, with capacity for more.
func (t *table[T]) targets(row *T, more int) []any {
	targets := make([]any, 0, len(t.read)+more)
	for _, c := range t.read {
		targets = append(targets, c.scan(row))
	}
	return targets
}

// scan reads the columns of selected.
func (t *table[T]) scan(rows *sql.Rows, row *T) error { return rows.Scan(t.targets(row, 0)...) }

// scanPart returns the function that reads the columns of selected into a row, of which it keeps a part.
func scanPart[T, P any](t *table[T], part func(*T) P) func(*sql.Rows, *P) error {
	return func(rows *sql.Rows, into *P) error {
		var row T
		err := t.scan(rows, &row)
		*into = part(&row)
		return err
	}
}

// get returns the first row of a query that ends with where, or waymark.ErrNotFound.
func (t *table[T]) get(ctx context.Context, q database.Querier, where string, args ...any) (T, error) {
	return database.QueryOne(ctx, q, t.scan, `
		SELECT `+t.selected+`
		FROM `+t.name+` AS e
		WHERE `+where, args...)
}

// insert inserts rows and returns their ids in the same order. The rows are one
// argument, so that the statement is the same for any number of them.
func insert[ID waymark.ID, T any](ctx context.Context, q database.Querier, t *table[T], rows []T) ([]ID, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	var columns []column[T]
	for _, c := range t.columns {
		if c.value != nil {
			columns = append(columns, c)
		}
	}
	a := q.Args()
	ids, err := database.QueryAll(ctx, q, database.ScanValue[ID], insertRowsSQL(a, t.name, columns, rows)+`
		RETURNING id`, a.Values...)
	slices.Sort(ids) // they were generated in the order of the rows
	return ids, err
}

// insertBatches is insert for any number of rows. It stops when request ends, which is the
// context of the HTTP request.
func insertBatches[ID waymark.ID, T any](ctx, request context.Context, q database.Querier, t *table[T], rows []T) ([]ID, error) {
	ids := make([]ID, 0, len(rows))
	err := inBatches(request, rows, func(batch []T) error {
		inserted, err := insert[ID](ctx, q, t, batch)
		ids = append(ids, inserted...)
		return err
	})
	return ids, err
}

// update writes the columns of a row that may change.
func (t *table[T]) update(ctx context.Context, q database.Querier, id int64, row *T) error {
	a := q.Args(id)
	var set []string
	for _, c := range t.columns {
		if c.update {
			set = append(set, c.name+" = "+c.cast(a, a.Add(c.value(row))))
		}
	}
	_, err := q.Exec(ctx, `
		UPDATE `+t.name+`
		SET `+strings.Join(set, ", ")+`
		WHERE id = $1`, a.Values...)
	return err
}

func columnTypes[T any](columns []column[T]) []columnType {
	types := make([]columnType, len(columns))
	for i, c := range columns {
		types[i] = c.columnType
	}
	return types
}

func columnNames(columns []columnType) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}

// insertRowsSQL returns the statement that inserts the columns of rows.
func insertRowsSQL[T any](a *database.Args, table string, columns []column[T], rows []T) string {
	values := make([][]any, len(rows))
	for i := range rows {
		values[i] = make([]any, len(columns))
		for n, c := range columns {
			values[i][n] = c.value(&rows[i])
		}
	}
	return insertSQL(a, table, columnTypes(columns), values)
}

// insertSQL returns the statement that inserts rows with values for the columns.
func insertSQL(a *database.Args, table string, columns []columnType, rows [][]any) string {
	values := make([]string, len(columns))
	for i, c := range columns {
		values[i] = c.cast(a, "value->>"+strconv.Itoa(i))
	}
	return `
		INSERT INTO ` + table + ` (` + columnNames(columns) + `)
		SELECT ` + strings.Join(values, ", ") + `
		FROM ` + a.Rows(rows) + `
		ORDER BY key`
}

// orNotFound returns err, or waymark.ErrNotFound if no row was changed.
func orNotFound(changed int64, err error) error {
	if err == nil && changed == 0 {
		return waymark.ErrNotFound
	}
	return err
}
