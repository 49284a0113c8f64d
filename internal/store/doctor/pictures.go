package doctor

import (
	"context"
	"database/sql"
	"fmt"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// checkPictures compares the data of all pictures with their hashes. With repair it deletes those
// that are damaged: they can be fetched again.
func (d *doctor) checkPictures(ctx context.Context, repair bool) (Result, error) {
	type picture struct {
		hash string
		data []byte
	}
	scan := func(rows *sql.Rows, p *picture) error { return rows.Scan(&p.hash, &p.data) }
	count := 0
	var damaged []string
	err := d.db.ReadTx(ctx, func(q database.Querier) error {
		count, damaged = 0, nil
		for p, err := range database.QueryEach(ctx, q, scan, "SELECT hash, data FROM pictures") {
			if err != nil {
				return err
			}
			if count++; waymark.PictureHash(p.data) != p.hash {
				damaged = append(damaged, p.hash)
			}
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	if len(damaged) == 0 {
		return Result{Status: OK, Detail: fmt.Sprintf("%d pictures agree with their hashes", count)}, nil
	}
	if !repair {
		return Result{Status: Problem, Detail: fmt.Sprintf("%d of %d pictures are damaged", len(damaged), count), Advice: repairAdvice}, nil
	}
	err = table.InBatches(ctx, damaged, func(damaged []string) error {
		return d.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
			for _, table := range []string{"link_pictures", "pictures"} {
				a := q.Args()
				if _, err := q.Exec(ctx, "DELETE FROM "+table+" WHERE hash "+database.In(a, damaged), a.Values...); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return Result{Status: Repaired, Detail: fmt.Sprintf("%d damaged pictures were deleted: \"Fetch again\" gets them back", len(damaged))}, err
}
