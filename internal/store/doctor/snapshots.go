package doctor

import (
	"context"
	"database/sql"
	"fmt"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/snapshots"
	"waymark/internal/store/table"
)

// checkTextSnapshots reads the snapshots of all pages. The repair deletes those that cannot be read,
// and indexes the others again.
func (d *doctor) checkTextSnapshots(ctx context.Context) (finding, error) {
	damaged, _, err := snapshots.DamagedTexts(ctx, d.db.Querier())
	if err != nil {
		return finding{}, err
	}
	// One statement counts both, because snapshots can be saved between two.
	type counts struct{ snapshots, indexed, timed int }
	n, err := database.QueryOne(ctx, d.db.Querier(), func(rows *sql.Rows, n *counts) error { return rows.Scan(&n.snapshots, &n.indexed, &n.timed) }, `
		SELECT
			(SELECT count(*) FROM text_snapshots),
			(SELECT count(*) FROM snapshot_words),
			(SELECT count(*) FROM links WHERE minutes > 0)`)
	found := damagedFiles(d, "text snapshots", n.snapshots, "the text snapshot of link %d cannot be read", damaged, "text_snapshots WHERE link_id")
	if n.indexed != n.snapshots {
		found.wrong = append(found.wrong, fmt.Sprintf("searches know %d of %d text snapshots", n.indexed, n.snapshots))
	}
	if n.timed != n.snapshots {
		found.wrong = append(found.wrong, fmt.Sprintf("%d of %d text snapshots have a time to read", n.timed, n.snapshots))
	}
	deleteDamaged := found.repair
	found.repaired = "deleted or indexed again"
	found.repair = func(ctx context.Context) error {
		if err := deleteDamaged(ctx); err != nil {
			return err
		}
		return d.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
			return snapshots.IndexAll(ctx, q, query.NewDialect(d.db.Kind()))
		})
	}
	return found, err
}

// checkFullSnapshots reads all full snapshots. The repair deletes those that cannot be read.
func (d *doctor) checkFullSnapshots(ctx context.Context) (finding, error) {
	damaged, total, err := snapshots.DamagedFull(ctx, d.db.Querier())
	return damagedFiles(d, "full snapshots", total, "the full snapshot of link %d cannot be read", damaged, "full_snapshots WHERE link_id"), err
}

// checkAttachments reads the files of all attachments. The repair deletes those that cannot be read.
func (d *doctor) checkAttachments(ctx context.Context) (finding, error) {
	damaged, total, err := snapshots.DamagedAttachments(ctx, d.db.Querier())
	return damagedFiles(d, "attachments", total, "attachment %d cannot be read", damaged, "attachments WHERE id"), err
}

// checkPictures compares all pictures with their hashes. The repair deletes those that differ: they can be fetched again.
func (d *doctor) checkPictures(ctx context.Context) (finding, error) {
	damaged, total, err := snapshots.DamagedPictures(ctx, d.db.Querier())
	return damagedFiles(d, "pictures", total, "picture %s is damaged", damaged, "link_pictures WHERE hash", "pictures WHERE hash"), err
}

// damagedFiles returns the finding for total stored files, which are called all. one is the sentence about a damaged
// one. rows are the tables and columns from which the repair deletes those.
func damagedFiles[ID ~int64 | string](d *doctor, all string, total int, one string, damaged []ID, rows ...string) finding {
	return finding{
		right:    fmt.Sprintf("%s that can be read: %d", all, total),
		wrong:    sentences(one, damaged),
		repaired: "deleted",
		repair: func(ctx context.Context) error {
			return table.InBatches(ctx, damaged, func(damaged []ID) error {
				return d.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
					for _, rows := range rows {
						a := q.Args()
						if _, err := q.Exec(ctx, "DELETE FROM "+rows+" "+database.In(a, damaged), a.Values...); err != nil {
							return err
						}
					}
					return nil
				})
			})
		},
	}
}
