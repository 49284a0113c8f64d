package doctor

import (
	"context"
	"database/sql"
	"fmt"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/snapshots"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// checkTextSnapshots reads the snapshots of all pages. With repair it deletes those that cannot be read,
// and indexes the others again.
func (d *doctor) checkTextSnapshots(ctx context.Context, repair bool) (Result, error) {
	damaged, _, err := snapshots.DamagedTexts(ctx, d.db.Querier())
	if err != nil {
		return Result{}, err
	}
	// One statement counts both, because snapshots can be saved between two.
	type counts struct{ snapshots, indexed int }
	n, err := database.QueryOne(ctx, d.db.Querier(), func(rows *sql.Rows, n *counts) error { return rows.Scan(&n.snapshots, &n.indexed) }, `
		SELECT
			(SELECT count(*) FROM text_snapshots),
			(SELECT count(*) FROM snapshot_words)`)
	if err != nil {
		return Result{}, err
	}
	if len(damaged) == 0 && n.indexed == n.snapshots {
		return Result{Status: OK, Detail: fmt.Sprintf("snapshots that can be read and searched: %d", n.snapshots)}, nil
	}
	var found []string
	for _, link := range damaged {
		found = append(found, fmt.Sprintf("the snapshot of the page of link %d cannot be read", link))
	}
	if n.indexed != n.snapshots {
		found = append(found, fmt.Sprintf("searches know %d of %d snapshots", n.indexed, n.snapshots))
	}
	if !repair {
		return Result{Status: Problem, Detail: fewOf(found), Advice: repairAdvice}, nil
	}
	err = d.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		for _, link := range damaged {
			if _, err := q.Exec(ctx, `
				DELETE FROM text_snapshots
				WHERE link_id = $1`, link); err != nil {
				return err
			}
		}
		return snapshots.IndexAll(ctx, q, query.NewDialect(d.db.Kind()))
	})
	return Result{Status: Repaired, Detail: "deleted or indexed again: " + fewOf(found)}, err
}

// checkFullSnapshots reads all full snapshots. With repair it deletes those that cannot be read.
func (d *doctor) checkFullSnapshots(ctx context.Context, repair bool) (Result, error) {
	damaged, total, err := snapshots.DamagedFull(ctx, d.db.Querier())
	var found []string
	for _, link := range damaged {
		found = append(found, fmt.Sprintf("the full snapshot of link %d cannot be read", link))
	}
	switch {
	case err != nil:
		return Result{}, err
	case len(damaged) == 0:
		return Result{Status: OK, Detail: fmt.Sprintf("full snapshots that can be read: %d", total)}, nil
	case !repair:
		return Result{Status: Problem, Detail: fewOf(found), Advice: repairAdvice}, nil
	}
	err = table.InBatches(ctx, damaged, func(damaged []waymark.LinkID) error {
		return d.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
			a := q.Args()
			_, err := q.Exec(ctx, "DELETE FROM full_snapshots WHERE link_id "+database.In(a, damaged), a.Values...)
			return err
		})
	})
	return Result{Status: Repaired, Detail: "deleted: " + fewOf(found)}, err
}
