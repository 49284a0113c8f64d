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
	if err != nil {
		return Result{}, err
	}
	return deleteDamaged(ctx, d, repair, damaged, "full snapshots", total, "the full snapshot of link", "full_snapshots WHERE link_id")
}

// checkAttachments reads the files of all attachments. With repair it deletes those that cannot be read.
func (d *doctor) checkAttachments(ctx context.Context, repair bool) (Result, error) {
	damaged, total, err := snapshots.DamagedAttachments(ctx, d.db.Querier())
	if err != nil {
		return Result{}, err
	}
	return deleteDamaged(ctx, d, repair, damaged, "attachments", total, "attachment", "attachments WHERE id")
}

// deleteDamaged returns the result of a check of total rows, which are called all. With repair it deletes
// damaged ones: the rows of a table and a column. one is the name of a row before its id.
func deleteDamaged[ID waymark.ID](ctx context.Context, d *doctor, repair bool, damaged []ID, all string, total int, one, rows string) (Result, error) {
	var found []string
	for _, id := range damaged {
		found = append(found, fmt.Sprintf("%s %d cannot be read", one, id))
	}
	switch {
	case len(damaged) == 0:
		return Result{Status: OK, Detail: fmt.Sprintf("%s that can be read: %d", all, total)}, nil
	case !repair:
		return Result{Status: Problem, Detail: fewOf(found), Advice: repairAdvice}, nil
	}
	err := table.InBatches(ctx, damaged, func(damaged []ID) error {
		return d.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
			a := q.Args()
			_, err := q.Exec(ctx, "DELETE FROM "+rows+" "+database.In(a, damaged), a.Values...)
			return err
		})
	})
	return Result{Status: Repaired, Detail: "deleted: " + fewOf(found)}, err
}
