package store

import (
	"context"
	"fmt"

	"waymark/internal/database"
	"waymark/internal/store/health"
)

// checkPageCopies reads the copies of all pages. With repair it deletes those that cannot be read,
// and indexes the others again.
func (s *Store) checkPageCopies(ctx context.Context, repair bool) (health.Result, error) {
	var damaged []storedCopy
	total := 0
	err := eachStoredCopy(ctx, s.db.Querier(), func(c storedCopy) error {
		total++
		if _, err := decompressCopy(c.content); err != nil || len(c.content) != c.bytes {
			damaged = append(damaged, storedCopy{link: c.link})
		}
		return nil
	})
	if err != nil {
		return health.Result{}, err
	}
	indexed, err := countRows(ctx, s.db.Querier(), "copy_words")
	if err != nil {
		return health.Result{}, err
	}
	if len(damaged) == 0 && indexed == total {
		return health.Result{Status: health.OK, Detail: fmt.Sprintf("%d copies can be read and searched", total)}, nil
	}
	var found []string
	for _, c := range damaged {
		found = append(found, fmt.Sprintf("the copy of the page of link %d cannot be read", c.link))
	}
	if indexed != total {
		found = append(found, fmt.Sprintf("searches know %d of %d copies", indexed, total))
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
