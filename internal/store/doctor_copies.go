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
	damaged, _, err := s.damagedCopies(ctx, pageCopies.name, maxCopySize)
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
	for _, link := range damaged {
		found = append(found, fmt.Sprintf("the copy of the page of link %d cannot be read", link))
	}
	if n.indexed != n.copies {
		found = append(found, fmt.Sprintf("searches know %d of %d copies", n.indexed, n.copies))
	}
	if !repair {
		return health.Result{Status: health.Problem, Detail: fewOf(found), Advice: repairAdvice}, nil
	}
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		for _, link := range damaged {
			if _, err := q.Exec(ctx, `
				DELETE FROM copies
				WHERE link_id = $1`, link); err != nil {
				return err
			}
		}
		return s.indexAllCopies(ctx, q)
	})
	return health.Result{Status: health.Repaired, Detail: "deleted or indexed again: " + fewOf(found)}, err
}

// checkSavedPages reads all saved pages. With repair it deletes those that cannot be read.
func (s *Store) checkSavedPages(ctx context.Context, repair bool) (health.Result, error) {
	damaged, total, err := s.damagedCopies(ctx, savedPages.name, singlefile.MaxBytes)
	var found []string
	for _, link := range damaged {
		found = append(found, fmt.Sprintf("the saved page of link %d cannot be read", link))
	}
	switch {
	case err != nil:
		return health.Result{}, err
	case len(damaged) == 0:
		return health.Result{Status: health.OK, Detail: fmt.Sprintf("saved pages that can be read: %d", total)}, nil
	case !repair:
		return health.Result{Status: health.Problem, Detail: fewOf(found), Advice: repairAdvice}, nil
	}
	err = inBatches(ctx, damaged, func(damaged []waymark.LinkID) error {
		return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
			a := q.Args()
			_, err := q.Exec(ctx, "DELETE FROM saved_pages WHERE link_id "+database.In(a, damaged), a.Values...)
			return err
		})
	})
	return health.Result{Status: health.Repaired, Detail: "deleted: " + fewOf(found)}, err
}

// damagedCopies returns the links whose copies in a table cannot be read, and the number of all copies
// in it. The HTML of a copy has at most maxSize bytes.
func (s *Store) damagedCopies(ctx context.Context, table string, maxSize uint64) (damaged []waymark.LinkID, total int, err error) {
	err = eachStoredCopy(ctx, s.db.Querier(), table, func(c storedCopy) error {
		total++
		if _, err := decompressCopy(c.content, maxSize); err != nil || len(c.content) != c.bytes {
			damaged = append(damaged, c.link)
		}
		return nil
	})
	return damaged, total, err
}
