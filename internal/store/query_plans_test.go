package store

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/store/query"
)

// Without a driver SQLite reads each scope along the index of the sort order, and sorts
// nothing. The golden files have the query plans.
func TestPagesAlongAnOrderSortNothingInSQLite(t *testing.T) {
	s := openTest(t, Options{})
	for _, shape := range shapes() {
		if shape.driver != query.NoDriver || shape.name == "links, last page" { // which reverses its 16 rows
			continue
		}
		for _, st := range shape.statements(database.SQLite) {
			for _, step := range sqlitePlan(t, s, st.text, st.args.Values...) {
				if strings.Contains(step, "TEMP B-TREE") || strings.Contains(step, "SCAN e") {
					t.Errorf("%s, %s: %s", shape.name, st.what, step)
				}
			}
		}
	}
}

// Without a driver PostgreSQL can read each scope along the index of the sort order. Sequential scans and sorts are switched off, since the planner prefers them for
// the empty tables of a test.
func TestPagesAlongAnOrderCanUseAnIndexInPostgreSQL(t *testing.T) {
	s := openTest(t, Options{Database: dbtest.PostgresURL(t)})
	for _, shape := range shapes() {
		if shape.driver != query.NoDriver || len(shape.predicates) > 0 {
			continue
		}
		statements := shape.statements(database.PostgreSQL)
		page := statements[len(statements)-1]
		var plan []string
		err := s.db.WriteTx(t.Context(), func(ctx context.Context, q database.Querier) error {
			for _, setting := range []string{"enable_seqscan", "enable_sort", "enable_bitmapscan"} {
				if _, err := q.Exec(ctx, "SET LOCAL "+setting+" = off"); err != nil {
					return err
				}
			}
			rows, err := queryRows(ctx, q, "EXPLAIN "+page.text, page.args.Values...)
			for _, row := range rows {
				plan = append(plan, fmt.Sprint(row[0]))
			}
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v in\n%s", shape.name, err, page.text)
		}
		text := strings.Join(plan, "\n")
		if strings.Contains(text, "Seq Scan on links") {
			t.Errorf("%s reads the whole table:\n%s\n%s", shape.name, page.text, text)
		}
		if n := strings.Count(text, "using links_by_"); n < len(shape.scopes) && !strings.Contains(shape.name, "private") && !strings.Contains(shape.name, "visibility") {
			t.Errorf("%s uses the index of the order %d times, want once for each of %d scopes:\n%s", shape.name, n, len(shape.scopes), text)
		}
	}
}
