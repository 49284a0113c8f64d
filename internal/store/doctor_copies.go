package store

import (
	"context"
	"database/sql"
	"fmt"

	"waymark/internal/database"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/store/health"
	"waymark/internal/waymark"
)

// checkPageCopies reads the copies of all pages. With repair it deletes those that cannot be read,
// and indexes the others again.
func (s *Store) checkPageCopies(ctx context.Context, repair bool) (health.Result, error) {
	var damaged []storedCopy
	err := eachStoredCopy(ctx, s.db.Querier(), pageCopies.name, func(c storedCopy) error {
		if _, err := decompressCopy(c.content, maxCopySize); err != nil || len(c.content) != c.bytes {
			damaged = append(damaged, storedCopy{link: c.link})
		}
		return nil
	})
	if err != nil {
		return health.Result{}, err
	}
	// One statement counts both, because copies can be saved between two.
	type counts struct{ copies, indexed int }
	n, err := database.QueryOne(ctx, s.db.Querier(), func(rows *sql.Rows, n *counts) error { return rows.Scan(&n.copies, &n.indexed) }, `
		SELECT
			(SELECT count(*) FROM copies),
			(SELECT count(*) FROM copy_words)`)
	if err != nil {
		return health.Result{}, err
	}
	if len(damaged) == 0 && n.indexed == n.copies {
		return health.Result{Status: health.OK, Detail: fmt.Sprintf("copies that can be read and searched: %d", n.copies)}, nil
	}
	var found []string
	for _, c := range damaged {
		found = append(found, fmt.Sprintf("the copy of the page of link %d cannot be read", c.link))
	}
	if n.indexed != n.copies {
		found = append(found, fmt.Sprintf("searches know %d of %d copies", n.indexed, n.copies))
	}
	if !repair {
		return health.Result{Status: health.Problem, Detail: fewOf(found), Advice: repairAdvice}, nil
	}
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		for _, c := range damaged {
			if _, err := q.Exec(ctx, `
				DELETE FROM copies
				WHERE link_id = $1`, c.link); err != nil {
				return err
			}
		}
		return s.indexAllCopies(ctx, q)
	})
	return health.Result{Status: health.Repaired, Detail: "deleted or indexed again: " + fewOf(found)}, err
}

// checkSavedPages reads all saved pages. With repair it deletes those that cannot be read.
func (s *Store) checkSavedPages(ctx context.Context, repair bool) (health.Result, error) {
	var damaged []waymark.LinkID
	var found []string
	total := 0
	err := eachStoredCopy(ctx, s.db.Querier(), savedPages.name, func(c storedCopy) error {
		total++
		if _, err := decompressCopy(c.content, singlefile.MaxBytes); err != nil || len(c.content) != c.bytes {
			damaged = append(damaged, c.link)
			found = append(found, fmt.Sprintf("the saved page of link %d cannot be read", c.link))
		}
		return nil
	})
	switch {
	case err != nil:
		return health.Result{}, err
	case len(damaged) == 0:
		return health.Result{Status: health.OK, Detail: fmt.Sprintf("saved pages that can be read: %d", total)}, nil
	case !repair:
		return health.Result{Status: health.Problem, Detail: fewOf(found), Advice: repairAdvice}, nil
	}
	err = inBatches(ctx, damaged, func(damaged []waymark.LinkID) error {
		return s.db.DeleteTx(ctx, func(ctx context.Context, q database.Querier) error {
			a := q.Args()
			_, err := q.Exec(ctx, "DELETE FROM saved_pages WHERE link_id "+database.In(a, damaged), a.Values...)
			return err
		})
	})
	return health.Result{Status: health.Repaired, Detail: "deleted: " + fewOf(found)}, err
}
