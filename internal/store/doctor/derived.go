package doctor

// This file checks counters, folded texts, hashes of URLs, and results of links.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// countersSQL computes the counters from the rows.
var countersSQL = func() string {
	var parts []string
	for _, entity := range []string{"links", "lists", "tags"} {
		parts = append(parts, `
			SELECT '`+entity+`' AS entity, visible_to, user_id, count(*) AS count
			FROM `+entity+`
			WHERE visible_to IS NOT NULL
			GROUP BY visible_to, user_id`)
	}
	parts = append(parts, `
			SELECT 'snapshot_bytes' AS entity, 0 AS visible_to, user_id, CAST(sum(bytes) AS BIGINT) AS count
			FROM (
				SELECT user_id, bytes
				FROM text_snapshots
				UNION ALL
				SELECT user_id, bytes
				FROM full_snapshots
				UNION ALL
				SELECT user_id, bytes
				FROM attachments) AS stored
			GROUP BY user_id`)
	return strings.Join(parts, "\n\t\t\tUNION ALL")
}()

// checkCounters compares the counters with the rows that they count.
func (d *doctor) checkCounters(ctx context.Context, repair bool) (Result, error) {
	var found []string
	total := 0
	err := d.db.ReadTx(ctx, func(q database.Querier) (err error) {
		found, total, err = wrongCounters(ctx, q)
		return err
	})
	if err != nil {
		return Result{}, err
	}
	if len(found) == 0 {
		return Result{Status: OK, Detail: fmt.Sprintf("%d counters agree with the rows", total)}, nil
	}
	if !repair {
		return Result{Status: Problem, Detail: fewOf(found), Advice: repairAdvice}, nil
	}
	err = d.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if d.db.Kind() == database.PostgreSQL { // SQLite has one writer
			if _, err := q.Exec(ctx, "LOCK TABLE links, lists, tags, text_snapshots, full_snapshots, attachments, counters IN SHARE ROW EXCLUSIVE MODE"); err != nil {
				return err
			}
		}
		if _, err := q.Exec(ctx, "DELETE FROM counters"); err != nil {
			return err
		}
		_, err := q.Exec(ctx, `
			INSERT INTO counters (entity, visible_to, user_id, count)`+countersSQL)
		return err
	})
	return Result{Status: Repaired, Detail: "counted again: " + fewOf(found)}, err
}

// wrongCounters describes the counters that differ from the rows, and returns the number of all.
func wrongCounters(ctx context.Context, q database.Querier) (found []string, total int, err error) {
	type key struct {
		entity string
		scope  int64
		user   waymark.UserID
	}
	type row struct {
		key
		count int
	}
	read := func(text string) (map[key]int, error) {
		scan := func(rows *sql.Rows, r *row) error { return rows.Scan(&r.entity, &r.scope, &r.user, &r.count) }
		counts := map[key]int{}
		for r, err := range database.QueryEach(ctx, q, scan, text) {
			if err != nil {
				return nil, err
			}
			counts[r.key] = r.count
		}
		return counts, nil
	}
	got, err := read("SELECT entity, visible_to, user_id, count FROM counters")
	if err != nil {
		return nil, 0, err
	}
	want, err := read(countersSQL)
	if err != nil {
		return nil, 0, err
	}
	for k, n := range got {
		if want[k] != n {
			found = append(found, fmt.Sprintf("user %d has %d %s of scope %d, the counter says %d", k.user, want[k], k.entity, k.scope, n))
		}
	}
	for k, n := range want {
		if _, ok := got[k]; !ok {
			found = append(found, fmt.Sprintf("user %d has %d %s of scope %d, there is no counter", k.user, n, k.entity, k.scope))
		}
	}
	slices.Sort(found)
	return found, len(got), nil
}

// checkedResult is the result that the link l must have.
const checkedResult = `coalesce((SELECT c.check_result FROM link_checks AS c WHERE c.link_id = l.id), 0)`

// checkCheckResults compares the results of links with what the last checks have found.
func (d *doctor) checkCheckResults(ctx context.Context, repair bool) (Result, error) {
	wrong, err := database.QueryAll(ctx, d.db.Querier(), database.ScanValue[int64], `
		SELECT l.id
		FROM links AS l
		WHERE l.check_result <> `+checkedResult+`
		ORDER BY l.id`)
	if err != nil {
		return Result{}, err
	}
	found := waymark.Map(wrong, func(id int64) string { return fmt.Sprintf("result of row %d of links", id) })
	switch {
	case len(found) == 0:
		return Result{Status: OK, Detail: "the results of links agree with their last checks"}, nil
	case !repair:
		return Result{Status: Problem, Detail: fewOf(found), Advice: repairAdvice}, nil
	}
	for batch := range slices.Chunk(wrong, derivedBatch) {
		err := d.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
			a := q.Args()
			_, err := q.Exec(ctx, `
				UPDATE links AS l
				SET check_result = `+checkedResult+`
				WHERE l.id `+database.In(a, batch), a.Values...)
			return err
		})
		if err != nil {
			return Result{}, err
		}
	}
	return Result{Status: Repaired, Detail: "copied again: " + fewOf(found)}, nil
}

// checkFolded computes the folded texts and the hashes of URLs again.
func (d *doctor) checkFolded(ctx context.Context, repair bool) (Result, error) {
	var all derivedValues
	if err := errors.Join(
		checkDerived(ctx, d, &table.Users, func(u *table.UserRow) int64 { return int64(u.ID) }, repair, &all),
		checkDerived(ctx, d, &table.Links, func(e *waymark.Link) int64 { return int64(e.ID) }, repair, &all),
		checkDerived(ctx, d, &table.Lists, func(e *waymark.List) int64 { return int64(e.ID) }, repair, &all),
		checkDerived(ctx, d, &table.Tags, func(e *waymark.Tag) int64 { return int64(e.ID) }, repair, &all),
	); err != nil {
		return Result{}, err
	}
	switch {
	case len(all.wrong) == 0:
		return Result{Status: OK, Detail: fmt.Sprintf("the folded texts of %d rows are right", all.rows)}, nil
	case !repair:
		return Result{Status: Problem, Detail: fewOf(all.wrong), Advice: repairAdvice}, nil
	case len(all.failed) > 0:
		return Result{Status: Problem, Detail: "not repaired: " + fewOf(all.failed), Advice: "two of a user's tags, URLs or names are the same: rename or delete one, then run waymark doctor --repair"}, nil
	}
	return Result{Status: Repaired, Detail: "computed again: " + fewOf(all.wrong)}, nil
}

// derivedBatch is the number of rows that one statement reads.
const derivedBatch = 500

// derivedValues describes the values of derived columns that were checked.
type derivedValues struct {
	rows          int      // that have them
	wrong, failed []string // those that differ from what is computed, and those that could not be repaired
}

// checkDerived computes derived columns again and adds the differences to all, or repairs them.
func checkDerived[T any](ctx context.Context, d *doctor, t *table.Table[T], idOf func(*T) int64, repair bool, all *derivedValues) error {
	var columns []table.Column[T]
	var names strings.Builder
	for _, c := range t.Columns {
		if c.Target == nil {
			columns = append(columns, c)
			names.WriteString(", e." + c.Name)
		}
	}
	type stored struct {
		row    T
		values []any
	}
	scan := func(rows *sql.Rows, r *stored) error {
		r.values = make([]any, len(columns))
		targets := t.Targets(&r.row, len(columns))
		for i := range r.values {
			targets = append(targets, &r.values[i])
		}
		return rows.Scan(targets...)
	}
	for last := int64(0); ; {
		batch, err := database.QueryAll(ctx, d.db.Querier(), scan, `
			SELECT `+t.Selected+names.String()+`
			FROM `+t.Name+` AS e
			WHERE e.id > $1
			ORDER BY e.id
			LIMIT $2`, last, derivedBatch)
		if err != nil || len(batch) == 0 {
			return err
		}
		for i := range batch {
			row := &batch[i].row
			last = idOf(row)
			all.rows++
			for n, c := range columns {
				if storedValue(batch[i].values[n]) == c.Value(row) {
					continue
				}
				all.wrong = append(all.wrong, fmt.Sprintf("%s of row %d of %s", c.Name, last, t.Name))
				if repair {
					if err := d.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error { return rewrite(ctx, q, t, last) }); err != nil {
						all.failed = append(all.failed, fmt.Sprintf("%s of row %d of %s: %v", c.Name, last, t.Name, err))
					}
				}
				break
			}
		}
	}
}

// storedValue returns the value of a derived column as column.value does.
func storedValue(value any) any {
	if bytes, ok := value.([]byte); ok {
		return database.NewHex(bytes)
	}
	return value
}

// rewrite writes a row as it is, with its derived columns computed again.
func rewrite[T any](ctx context.Context, q database.Querier, t *table.Table[T], id int64) error {
	row, err := t.Get(ctx, q, "e.id = $1"+q.RowLock(), id)
	if err != nil {
		return err
	}
	return t.Update(ctx, q, id, &row)
}
