package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// ErrNotEmpty means that a database already holds something, so that nothing can
// be moved into it.
var ErrNotEmpty = errors.New("the target is not empty")

// copiedTables are the tables that a move carries, each behind those it refers to. Counters
// and the search index follow by themselves.
var copiedTables = []struct {
	name    string
	order   string // what the rows are read by
	columns columns
}{
	{"users", "id", columns{{"id", "BIGINT"}, {"name", "TEXT"}, {"name_key", "TEXT"}, {"password", "TEXT"}, {"admin", "BOOLEAN"}, {"disabled", "BOOLEAN"}, {"visibility", "INTEGER"}, {"created_at", "BIGINT"}}},
	{"keys", "id", columns{{"id", "BIGINT"}, {"user_id", "BIGINT"}, {"name", "TEXT"}, {"hash", "TEXT"}, {"access", "TEXT"}, {"created_at", "BIGINT"}, {"last_used_at", "BIGINT"}, {"expires_at", "BIGINT"}}},
	{"lists", "id", slices.Concat(entryColumns, listColumns)},
	{"tags", "id", slices.Concat(entryColumns, tagColumns)},
	{"links", "id", slices.Concat(entryColumns, linkColumns)},
	{"notes", "id", slices.Concat(entryColumns, columns{{"link_id", "BIGINT"}, {"visibility", "INTEGER"}, {"updated_at", "BIGINT"}, {"note", "TEXT"}})},
	{"link_lists", "link_id, list_id", columns{{"link_id", "BIGINT"}, {"list_id", "BIGINT"}, {"link_shelf", "BIGINT"}}},
	{"link_tags", "link_id, tag_id", columns{{"link_id", "BIGINT"}, {"tag_id", "BIGINT"}, {"link_shelf", "BIGINT"}}},
}

var entryColumns = append(columns{{"id", "BIGINT"}, {"deleted_at", "BIGINT"}}, immutableColumns...)

// Copy copies everything of from, which stays as it is, into to, which must be
// empty: users, keys, entries and the trash, ids included. It is one change of to:
// where it fails or is broken off, to is as empty as before. It tells progress how
// many rows of all are there, and compares both in the end.
func Copy(ctx context.Context, from, to *Store, progress func(done, all int)) error {
	return from.view(ctx, func(source querier) error {
		all := 0
		for _, table := range copiedTables {
			n, err := count(ctx, source, table.name)
			if err != nil {
				return err
			}
			all += n
		}
		return to.change(ctx, func(background context.Context, target querier) error {
			done := 0
			for _, table := range copiedTables {
				if n, err := count(background, target, table.name); err != nil || n > 0 {
					return errors.Join(err, ErrNotEmpty)
				}
			}
			for _, table := range copiedTables {
				if err := copyTable(ctx, source, target, table.name, table.order, table.columns, func(rows int) {
					done += rows
					progress(done, all)
				}); err != nil {
					return fmt.Errorf("move %s: %w", table.name, err)
				}
			}
			if target.dialect.analyze != "" {
				if _, err := target.exec(background, target.dialect.analyze); err != nil {
					return err
				}
			}
			return compare(background, source, target)
		})
	})
}

func count(ctx context.Context, q querier, table string) (int, error) {
	return queryOne(ctx, q, scanValue[int], "SELECT count(*) FROM "+table)
}

func copyTable(ctx context.Context, source, target querier, table, order string, c columns, moved func(rows int)) error {
	// What has begun to be written cannot be cancelled statement by statement.
	background := context.WithoutCancel(ctx)
	write := func(rows [][]any) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		a := target.args()
		if _, err := target.exec(background, c.insert(a, table, rows), a.values...); err != nil {
			return err
		}
		moved(len(rows))
		return nil
	}
	scan := func(rows *sql.Rows, row *[]any) error {
		*row = make([]any, len(c))
		into := make([]any, len(c))
		for i := range c {
			into[i] = &(*row)[i]
		}
		return rows.Scan(into...)
	}
	var rows [][]any
	for row, err := range queryEach(ctx, source, scan, "SELECT "+c.names()+" FROM "+table+" ORDER BY "+order) {
		if err != nil {
			return err
		}
		if rows = append(rows, row); len(rows) == chunk {
			if err := write(rows); err != nil {
				return err
			}
			rows = rows[:0]
		}
	}
	if len(rows) > 0 {
		if err := write(rows); err != nil {
			return err
		}
	}
	if strings.Contains(order, ",") { // pairs have no ids of their own
		return nil
	}
	return target.dialect.resetSequence(background, target, table)
}

// compare tells whether both databases hold the same number of everything, the
// counters included.
func compare(ctx context.Context, source, target querier) error {
	var tables []string
	for _, table := range copiedTables {
		tables = append(tables, table.name)
	}
	for _, table := range tables {
		was, err := count(ctx, source, table)
		if err != nil {
			return err
		}
		is, err := count(ctx, target, table)
		if err != nil {
			return err
		}
		if was != is {
			return fmt.Errorf("%d of %d rows of %s have arrived", is, was, table)
		}
	}
	const totals = `
		SELECT kind, shelf, user_id, n
		FROM counters
		WHERE n <> 0
		ORDER BY kind, shelf, user_id`
	type total struct {
		kind        string
		shelf, user waymark.UserID
		n           int
	}
	scan := func(rows *sql.Rows, t *total) error { return rows.Scan(&t.kind, &t.shelf, &t.user, &t.n) }
	was, err := queryAll(ctx, source, scan, totals)
	if err != nil {
		return err
	}
	is, err := queryAll(ctx, target, scan, totals)
	if err != nil {
		return err
	}
	if !slices.Equal(was, is) {
		return errors.New("the totals differ")
	}
	return nil
}
