package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// activeCondition returns the condition that e is active, for a note its link, too.
func activeCondition(kind waymark.EntityKind) string {
	if kind == waymark.Notes {
		return "e.visible_to IS NOT NULL AND EXISTS (SELECT 1 FROM links AS l WHERE l.id = e.link_id AND l.visible_to IS NOT NULL)"
	}
	return "e.visible_to IS NOT NULL"
}

// activeOwners returns the owners of the active entities among ids, by id.
func activeOwners(ctx context.Context, q database.Querier, kind waymark.EntityKind, ids []int64) (map[int64]waymark.UserID, error) {
	return readOwners(ctx, q, kind.String(), ids, ` AND `+activeCondition(kind))
}

// readOwners returns the owners of the entities e among ids, by id. rest is the end of the statement.
func readOwners(ctx context.Context, q database.Querier, name string, ids []int64, rest string) (map[int64]waymark.UserID, error) {
	a := q.Args()
	return database.QueryMap[int64, waymark.UserID](ctx, q, `
		SELECT e.id, e.user_id
		FROM `+name+` AS e
		WHERE e.id `+database.In(a, table.Unique(ids))+rest, a.Values...)
}

// lockActive locks the entities that are about to change, and returns the active ones in order.
func lockActive(ctx context.Context, q database.Querier, kind waymark.EntityKind, ids []int64) ([]int64, error) {
	if q.RowLock() == "" || len(ids) == 0 {
		return ids, nil
	}
	a := q.Args()
	return database.QueryAll(ctx, q, database.ScanValue[int64], `
		SELECT e.id
		FROM `+kind.String()+` AS e
		WHERE e.id `+database.In(a, ids)+` AND `+activeCondition(kind)+`
		ORDER BY e.id`+q.RowLock(), a.Values...)
}
