package doctor

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// Salvage copies what can be read from the damaged SQLite database in a directory into a new one, and repairs the copy.
// It returns the number of rows, and the number of rows that lack what they refer to. A user whose row is damaged is
// named after their id.
func Salvage(ctx context.Context, dir string, into *database.DB) (rows, left int, err error) {
	tables, err := salvagedTables(ctx, into.Querier())
	if err != nil {
		return 0, 0, err
	}
	err = into.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		// Rows of inner pages that are damaged come last, so each group is read after the rows that it refers to.
		for _, names := range [][]string{{"users"}, {"lists", "tags", "links"}, nil} {
			group := slices.DeleteFunc(slices.Clone(tables), func(t salvagedTable) bool {
				return (names == nil) == slices.Contains([]string{"users", "lists", "tags", "links"}, t.Name) || names != nil && !slices.Contains(names, t.Name)
			})
			var failed error
			use := func(table string, key int64, values []any) {
				i := slices.IndexFunc(group, func(t salvagedTable) bool { return t.Name == table })
				if i < 0 || failed != nil {
					return
				}
				if failed = ctx.Err(); failed != nil {
					return
				}
				err := group[i].insert(ctx, q, key, values)
				if errors.Is(err, waymark.ErrNotFound) { // it refers to a missing row
					err = group[i].insertWithUser(ctx, q, tables[0], key, values)
				}
				switch {
				case errors.Is(err, waymark.ErrUnavailable):
					failed = err
				case err != nil:
					left++
				default:
					rows++
				}
			}
			stored := waymark.Map(tables, func(t salvagedTable) database.StoredTable { return t.StoredTable })
			if err := errors.Join(database.Salvage(dir, stored, use), failed); err != nil {
				return err
			}
		}
		_, err := q.Exec(ctx, "UPDATE lists SET parent_id = NULL WHERE parent_id NOT IN (SELECT id FROM lists)")
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	return rows, left, Check(ctx, into, true, func(Result) {})
}

// salvagedTable is a table of a new database.
type salvagedTable struct {
	database.StoredTable
	columns []salvagedColumn
}

type salvagedColumn struct {
	name, kind string
	generated  bool
	isKey      bool // is the key of the row, which its record does not contain
}

// salvagedTables returns the tables that MigrateDatabase copies and no trigger fills, users first.
func salvagedTables(ctx context.Context, q database.Querier) ([]salvagedTable, error) {
	var tables []salvagedTable
	for _, t := range copiedTables {
		if t.filled {
			continue
		}
		s := salvagedTable{StoredTable: database.StoredTable{Name: t.name}}
		var err error
		if s.WithoutRowid, err = database.QueryOne(ctx, q, database.ScanValue[bool], "SELECT wr FROM pragma_table_list($1)", t.name); err != nil {
			return nil, err
		}
		s.columns, err = database.QueryAll(ctx, q, scanColumn, `
			SELECT name, type, hidden <> 0, pk = 1 AND type = 'INTEGER' AND NOT $2
			FROM pragma_table_xinfo($1)
			WHERE hidden <> 2
			ORDER BY cid`, t.name, s.WithoutRowid)
		if err != nil {
			return nil, err
		}
		s.Columns = len(s.columns)
		tables = append(tables, s)
	}
	return tables, nil
}

func scanColumn(rows *sql.Rows, c *salvagedColumn) error {
	return rows.Scan(&c.name, &c.kind, &c.generated, &c.isKey)
}

// insert inserts a row with the values of its record, unless there is one with its key.
func (t salvagedTable) insert(ctx context.Context, q database.Querier, key int64, values []any) error {
	var names, parameters []string
	a := q.Args()
	for i, value := range values[:min(len(values), len(t.columns))] {
		c := t.columns[i]
		if c.generated {
			continue
		}
		if c.isKey {
			value = key
		}
		names, parameters = append(names, c.name), append(parameters, a.Add(value))
	}
	_, err := q.Exec(ctx, "INSERT OR IGNORE INTO "+t.Name+" ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(parameters, ", ")+")", a.Values...)
	return err
}

// insertWithUser is insert after the user of the row was made again.
func (t salvagedTable) insertWithUser(ctx context.Context, q database.Querier, users salvagedTable, key int64, values []any) error {
	i := slices.IndexFunc(t.columns, func(c salvagedColumn) bool { return c.name == "user_id" })
	if i < 0 || i >= len(values) {
		return waymark.ErrNotFound
	}
	id, ok := values[i].(int64)
	if t.columns[i].isKey {
		id, ok = key, true
	}
	if !ok {
		return waymark.ErrNotFound
	}
	user := make([]any, len(users.columns))
	for i, c := range users.columns {
		switch {
		case c.name == "name" || c.name == "name_folded":
			user[i] = "user-" + strconv.FormatInt(id, 10)
		case strings.HasSuffix(c.name, "_visibility"):
			user[i] = int64(waymark.Private)
		case c.kind == "TEXT":
			user[i] = ""
		default:
			user[i] = int64(0)
		}
	}
	if err := users.insert(ctx, q, id, user); err != nil {
		return err
	}
	return t.insert(ctx, q, key, values)
}
