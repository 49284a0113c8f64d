package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// readSublists returns the lists that stand in each of some lists, at any depth, and that viewer sees. Those in a list
// that the viewer does not see are left out.
func readSublists(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64) (map[int64][]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	a := q.Args()
	visible := query.VisibleTo(a, database.Unindexed("l.visible_to"), viewer)
	sublists := map[int64][]int64{}
	for pair, err := range database.QueryEach(ctx, q, func(rows *sql.Rows, pair *[2]int64) error { return rows.Scan(&pair[0], &pair[1]) }, `
		WITH RECURSIVE below (top, id) AS (
			SELECT l.parent_id, l.id
			FROM lists AS l
			WHERE l.parent_id `+database.In(a, ids)+` AND `+visible+`
			UNION
			SELECT below.top, l.id
			FROM below`+database.JoinInOrder+`lists AS l
			WHERE l.parent_id = below.id AND `+visible+`
		)
		SELECT top, id
		FROM below`, a.Values...) {
		if err != nil {
			return nil, err
		}
		sublists[pair[0]] = append(sublists[pair[0]], pair[1])
	}
	return sublists, nil
}
