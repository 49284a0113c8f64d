package table

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// Column describes a column: its name and SQL type, and how a row of type T has it.
type Column[T any] struct {
	ColumnType
	Value  func(*T) any // returns the value to write; nil if the database generates it
	Target func(*T) any // returns the pointer to the value; nil for a derived column
	scan   func(*T) any // returns what Rows.Scan stores the value with, nil if target is nil
	Update bool         // an UPDATE of the row writes the column
}

// ColumnType is a column's name and SQL type. The values of a column with the type HEX
// are bytes, and are written as database.Hex.
type ColumnType struct{ Name, SQLType string }

// HexType is the SQLType of columns with bytes.
const HexType = "HEX"

// ParseColumns returns the columns of a list such as "link_id BIGINT, hash HEX".
func ParseColumns(list string) []ColumnType {
	var columns []ColumnType
	for column := range strings.SplitSeq(list, ", ") {
		name, kind, _ := strings.Cut(column, " ")
		columns = append(columns, ColumnType{name, kind})
	}
	return columns
}

// JSON returns the value that a row has in the column, which has a Target.
func (c Column[T]) JSON(row *T) json.RawMessage {
	switch value := reflect.ValueOf(c.Target(row)).Elem(); value.Kind() {
	case reflect.String:
		text, _ := json.Marshal(value.String()) //nolint:errchkjson // a string is never refused
		return text
	case reflect.Bool:
		return strconv.AppendBool(nil, value.Bool())
	default:
		return strconv.AppendInt(nil, value.Int(), 10)
	}
}

// SetJSON sets the value of a row to what JSON has returned.
func (c Column[T]) SetJSON(row *T, text json.RawMessage) error {
	switch value := reflect.ValueOf(c.Target(row)).Elem(); value.Kind() {
	case reflect.String:
		var plain string
		err := json.Unmarshal(text, &plain)
		value.SetString(plain)
		return err
	case reflect.Bool:
		value.SetBool(string(text) == "true")
		return nil
	default:
		n, err := strconv.ParseInt(string(text), 10, 64)
		value.SetInt(n)
		return err
	}
}

// cast returns the expression for the column's value in a text or a parameter.
func (c ColumnType) cast(a *database.Args, value string) string {
	if c.SQLType == HexType {
		return a.Unhex(value)
	}
	return "CAST(" + value + " AS " + c.SQLType + ")"
}

// Field returns a column that is read and written.
func Field[T, V any](name string, of func(*T) *V) Column[T] {
	c := Fixed(name, of)
	c.Update = true
	return c
}

// Fixed returns a column that is not changed after the row was inserted.
func Fixed[T, V any](name string, of func(*T) *V) Column[T] {
	c := Generated(name, of)
	c.Value = func(row *T) any { return *of(row) }
	return c
}

// Generated returns a column that the database sets when a row is inserted, and nobody else.
func Generated[T, V any](name string, of func(*T) *V) Column[T] {
	c := Column[T]{
		ColumnType: ColumnType{name, sqlType[V]()},
		Target:     func(row *T) any { return of(row) },
	}
	c.scan = c.Target
	if c.SQLType == "BIGINT" {
		c.scan = func(row *T) any { return integer[V]{of(row)} }
	}
	return c
}

// Nullable returns a column, fixed, that is NULL while the field is zero.
func Nullable[T any, V ~int64](name string, of func(*T) *V) Column[T] {
	c := Fixed(name, of)
	c.Value = func(row *T) any {
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

func (i nullableInteger[V]) Scan(value any) error {
	if value == nil {
		*i.field = 0
		return nil
	}
	return integer[V](i).Scan(value)
}

// editing returns a column, fixed, that is NULL for waymark.EditedAsParent, and else one less than the value.
func editing[T any](name string, of func(*T) *waymark.Editing) Column[T] {
	c := Nullable(name, of)
	c.Value = func(row *T) any {
		if v := *of(row); v != waymark.EditedAsParent {
			return v - 1
		}
		return nil
	}
	c.scan = func(row *T) any { return storedEditing{of(row)} }
	return c
}

type storedEditing struct{ field *waymark.Editing }

func (e storedEditing) Scan(value any) error {
	*e.field = waymark.EditedAsParent
	if value == nil {
		return nil
	}
	err := integer[waymark.Editing](e).Scan(value)
	*e.field++
	return err
}

// integer is a sql.Scanner for a field with a type of integers. Rows.Scan itself converts the
// value between the types, in three times the time.
type integer[V any] struct{ field *V }

func (i integer[V]) Scan(value any) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("cannot scan %T into %T", value, i.field)
	}
	reflect.ValueOf(i.field).Elem().SetInt(n)
	return nil
}

// Derived returns a column whose value is computed from the row. It is never read.
func Derived[T, V any](name string, value func(*T) V) Column[T] {
	return Column[T]{
		ColumnType: ColumnType{name, sqlType[V]()},
		Value:      func(row *T) any { return value(row) },
		Update:     true,
	}
}

// Folded returns a derived column with the text of the row as searches read it, see waymark.Plain, or NULL if that is
// the text itself: most texts are, so that the column takes hardly any space.
func Folded[T any](name string, text func(*T) string) Column[T] {
	c := Derived(name, text)
	c.Value = func(row *T) any {
		t := text(row)
		if plain := waymark.Plain(t); plain != t {
			return plain
		}
		return nil
	}
	return c
}

// sqlType returns the SQL type that holds any value of a Go type.
func sqlType[V any]() string {
	if reflect.TypeFor[V]() == reflect.TypeFor[database.Hex]() {
		return HexType
	}
	switch kind := reflect.TypeFor[V]().Kind(); kind {
	case reflect.String:
		return "TEXT"
	case reflect.Bool:
		return "BOOLEAN"
	case reflect.Int, reflect.Int64:
		return "BIGINT"
	default:
		panic("table: no SQL type for " + kind.String())
	}
}

func columnTypes[T any](columns []Column[T]) []ColumnType {
	return waymark.Map(columns, func(c Column[T]) ColumnType { return c.ColumnType })
}

// ColumnNames returns the names of columns as a list.
func ColumnNames(columns []ColumnType) string {
	names := waymark.Map(columns, func(c ColumnType) string { return c.Name })
	return strings.Join(names, ", ")
}

// InsertSQL returns the statement that inserts rows with values for the columns.
func InsertSQL(a *database.Args, table string, columns []ColumnType, rows [][]any) string {
	values := make([]string, len(columns))
	for i, c := range columns {
		values[i] = c.cast(a, "value->>"+strconv.Itoa(i))
	}
	return `
		INSERT INTO ` + table + ` (` + ColumnNames(columns) + `)
		SELECT ` + strings.Join(values, ", ") + `
		FROM ` + a.Rows(rows) + `
		ORDER BY key`
}
