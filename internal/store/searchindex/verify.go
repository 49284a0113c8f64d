package searchindex

import (
	"context"
	"errors"
	"fmt"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
)

// verifiedBatch is the number of ids whose links one call of Verify compares.
const verifiedBatch = 2000

// Verify compares the index with at most 2,000 links of the database after an id. It returns the id
// of the last one, or 0 at the end of the table. At the end it also compares the number of links,
// the lists and the tags. found describes the differences; if there are any, the index is
// discarded, so that Refresh builds it again. Without an index, Verify does nothing.
func (x *Index) Verify(ctx context.Context, after int64) (last int64, found []string, err error) {
	err = x.db.ReadTx(ctx, 0, func(q database.Querier) error {
		at, ok, err := x.Sync(ctx, q)
		if err != nil || !ok {
			return err
		}
		last, found, err = x.verify(ctx, q, at, after)
		return err
	})
	if errors.Is(err, ErrMoved) { // another transaction reads a newer snapshot: try again at the next call
		return after, nil, nil
	}
	return last, found, err
}

func (x *Index) verify(ctx context.Context, q database.Querier, at Snapshot, after int64) (last int64, found []string, err error) {
	ids, err := nextIDs(ctx, q, after+1, verifiedBatch)
	if err != nil {
		return 0, nil, err
	}
	var b batch
	if err := b.readRange(ctx, q, ids); err != nil {
		return 0, nil, err
	}
	last = ids.to
	var count int
	var lists, tags map[int64]linkindex.Label
	if ids.last {
		if count, err = database.QueryOne(ctx, q, database.ScanValue[int], "SELECT count(*) FROM links WHERE visible_to IS NOT NULL"); err != nil {
			return 0, nil, err
		}
		if lists, err = readLabels(ctx, q, "lists", nil); err != nil {
			return 0, nil, err
		}
		if tags, err = readLabels(ctx, q, "tags", nil); err != nil {
			return 0, nil, err
		}
		last = 0
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.version != at.version {
		return 0, nil, ErrMoved
	}
	for _, link := range b.links {
		if !x.links.Holds(link) {
			found = append(found, fmt.Sprint("link ", link.ID))
		}
	}
	if ids.last && len(found) == 0 {
		if x.links.Len() != count {
			found = append(found, fmt.Sprintf("%d links instead of %d", x.links.Len(), count))
		}
		if !x.links.HoldsLabels(lists, tags) {
			found = append(found, "the visibility of lists and tags")
		}
	}
	if len(found) > 0 {
		x.log.Error("the search index differs from the database: building it again", "differences", found, "advice", "run waymark doctor")
		x.links = nil
		x.version++
	}
	return last, found, nil
}
