package store

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
)

// SQLite reads each scope along the index of the sort order, and sorts nothing. The golden
// files have the query plans.
func TestPagesAlongAnOrderSortNothingInSQLite(t *testing.T) {
	s := openTest(t, Options{})
	for _, shape := range shapes(s) {
		if !shape.indexed {
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

// PostgreSQL can read each scope along the index of the sort order. Sequential scans and
// sorts are switched off, since the planner prefers them for the empty tables of a test.
func TestPagesAlongAnOrderCanUseAnIndexInPostgreSQL(t *testing.T) {
	s := openTest(t, Options{Database: dbtest.PostgresURL(t)})
	for _, shape := range shapes(s) {
		if !shape.indexed {
			continue
		}
		ids := shape.statements(database.PostgreSQL)[1]
		var plan []string
		err := s.db.WriteTx(t.Context(), func(ctx context.Context, q database.Querier) error {
			for _, setting := range []string{"enable_seqscan", "enable_sort", "enable_bitmapscan"} {
				if _, err := q.Exec(ctx, "SET LOCAL "+setting+" = off"); err != nil {
					return err
				}
			}
			rows, err := queryRows(ctx, q, "EXPLAIN "+ids.text, ids.args.Values...)
			for _, row := range rows {
				plan = append(plan, fmt.Sprint(row[0]))
			}
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v in\n%s", shape.name, err, ids.text)
		}
		text := strings.Join(plan, "\n")
		if scans := max(1, len(shape.plan.Scopes)); strings.Count(text, " using ") != scans || strings.Contains(text, "Sort  (") {
			t.Errorf("%s does not read %d indexes in order:\n%s\n%s", shape.name, scans, ids.text, text)
		}
	}
}

// Each search asks whether the log has changes that the index lacks. In the hour after an import of a
// million links, the log has millions of others.
func TestCheckForChangesCanUseAnIndexInPostgreSQL(t *testing.T) {
	var statement string
	s := openTest(t, Options{Database: dbtest.PostgresURL(t), Trace: func(text string) {
		if strings.Contains(text, "FROM changes_pruned AS p") {
			statement = text
		}
	}})
	for range 2 { // the first time the index is built
		check(t, s.index.Sync(t.Context()))
	}
	var plan []string
	err := s.db.WriteTx(t.Context(), func(ctx context.Context, q database.Querier) error {
		for _, text := range []string{
			"INSERT INTO changes (entity, id) SELECT 'links', id FROM generate_series(1, 10000) AS id",
			"ANALYZE changes",
			"SET LOCAL plan_cache_mode = force_generic_plan", // as after some executions
			"PREPARE unread (text, int) AS " + statement,
		} {
			if _, err := q.Exec(ctx, text); err != nil {
				return err
			}
		}
		rows, err := queryRows(ctx, q, "EXPLAIN EXECUTE unread ('100:100:', 2)")
		for _, row := range rows {
			plan = append(plan, fmt.Sprint(row[0]))
		}
		return err
	})
	check(t, err)
	if text := strings.Join(plan, "\n"); !strings.Contains(text, " using changes_by_xid ") || strings.Contains(text, "Seq Scan on changes ") {
		t.Errorf("the check reads all changes:\n%s", text)
	}
}
