package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"waymark/internal/database"
)

// openTest opens a store and closes it when the test ends. Tests of this package cannot
// import storetest, which imports it.
func openTest(t *testing.T, o Options) *Store {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	s, err := Open(t.Context(), o)
	check(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Rows runs a query outside a transaction and returns its rows, each with its columns.
func (s *Store) Rows(ctx context.Context, text string, args ...any) ([][]any, error) {
	return queryRows(ctx, s.db.Querier(), text, args...)
}

func queryRows(ctx context.Context, q database.Querier, text string, args ...any) ([][]any, error) {
	scan := func(rows *sql.Rows, row *[]any) error {
		names, err := rows.Columns()
		if err != nil {
			return err
		}
		*row = make([]any, len(names))
		targets := make([]any, len(names))
		for i := range targets {
			targets[i] = &(*row)[i]
		}
		return rows.Scan(targets...)
	}
	return database.QueryAll(ctx, q, scan, text, args...)
}

// Database returns the database of the store.
func (s *Store) Database() *database.DB { return s.db }

// Change runs statements in one write transaction.
func (s *Store) Change(ctx context.Context, do func(ctx context.Context, exec func(text string, args ...any) error) error) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		return do(ctx, func(text string, args ...any) error {
			_, err := q.Exec(ctx, text, args...)
			return err
		})
	})
}

// TableColumn is a column of a table in the database.
type TableColumn struct {
	Name      string
	Generated bool // computed by the database from other columns
}

// TableColumns returns the columns of each table, sorted by name. It omits the log of changes, the
// table of migrations, and the words of snapshots, which MigrateDatabase makes again.
func (s *Store) TableColumns(ctx context.Context) (map[string][]TableColumn, error) {
	query := `
		SELECT t.name, c.name, c.hidden <> 0
		FROM sqlite_schema AS t
		JOIN pragma_table_xinfo(t.name) AS c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`
	if s.db.Kind() == database.PostgreSQL {
		query = `
			SELECT table_name, column_name, is_generated = 'ALWAYS'
			FROM information_schema.columns
			WHERE table_schema = current_schema()`
	}
	type tableColumn struct {
		table string
		TableColumn
	}
	scan := func(rows *sql.Rows, c *tableColumn) error { return rows.Scan(&c.table, &c.Name, &c.Generated) }
	tables := map[string][]TableColumn{}
	for c, err := range database.QueryEach(ctx, s.db.Querier(), scan, query) {
		if err != nil {
			return nil, err
		}
		tables[c.table] = append(tables[c.table], c.TableColumn)
	}
	for _, table := range []string{"waymark_schema", "changes", "changes_pruned"} {
		delete(tables, table)
	}
	maps.DeleteFunc(tables, func(table string, _ []TableColumn) bool { return strings.HasPrefix(table, "snapshot_words") })
	for table := range maps.Keys(tables) {
		slices.SortFunc(tables[table], func(a, b TableColumn) int { return strings.Compare(a.Name, b.Name) })
	}
	return tables, nil
}

// SQLitePlan returns the query plan of a statement, indented by depth.
func (s *Store) SQLitePlan(ctx context.Context, text string, args ...any) ([]string, error) {
	rows, err := s.Rows(ctx, "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, text)
	}
	depth := map[any]int{int64(0): -1}
	var steps []string
	for _, row := range rows {
		depth[row[0]] = depth[row[1]] + 1
		steps = append(steps, strings.Repeat("  ", depth[row[0]])+fmt.Sprint(row[3]))
	}
	return steps, nil
}

func sqlitePlan(t *testing.T, s *Store, text string, args ...any) []string {
	t.Helper()
	steps, err := s.SQLitePlan(t.Context(), text, args...)
	check(t, err)
	return steps
}

// BeforeRows returns the listing that calls f after it has found ids and before it reads their rows.
func BeforeRows[T any](l Listing[T], f func()) Listing[T] {
	rows := l.rows
	l.rows = func(visible condition) reader[T] {
		f()
		return rows(visible)
	}
	return l
}
