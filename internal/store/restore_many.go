package store

import (
	"context"
	"database/sql"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// RestoreMany makes the trashed entities of editor among ids active again, and
// returns their ids. It skips an entity if the URL or the name exists again; of several with
// the same one it restores that with the largest id. It uses a permit of editor for bulk changes.
func (s *Store) RestoreMany(ctx context.Context, editor waymark.User, kind waymark.EntityKind, ids []int64) (map[int64]bool, error) {
	var restored map[int64]bool
	err := s.bulk(ctx, editor.ID, func(ctx context.Context, q database.Querier) error {
		all, err := readTrashed(ctx, q, kind, ids)
		if err != nil {
			return err
		}
		restored, err = s.restoreTrashed(ctx, q, kind, slices.DeleteFunc(all, func(e trashedEntity) bool { return editor.MayWrite(waymark.Target{Kind: kind, Owner: e.owner}) != nil }))
		return err
	})
	return restored, err
}

// trashedEntity is an entity in the trash. unique is the value that no two active entities of
// a user have in common, "" for lists and notes.
type trashedEntity struct {
	id        int64
	owner     waymark.UserID
	deletedAt waymark.Time
	unique    string
}

// readTrashed returns the trashed entities among ids, the largest id first.
func readTrashed(ctx context.Context, q database.Querier, kind waymark.EntityKind, ids []int64) ([]trashedEntity, error) {
	value := "''"
	switch kind {
	case waymark.Links:
		value = "e.url"
	case waymark.Tags:
		value = "e.name_folded"
	}
	scan := func(rows *sql.Rows, e *trashedEntity) error {
		return rows.Scan(&e.id, &e.owner, &e.deletedAt, &e.unique)
	}
	a := q.Args()
	return database.QueryAll(ctx, q, scan, `
		SELECT e.id, e.user_id, e.deleted_at, `+value+`
		FROM `+kind.String()+` AS e
		WHERE e.id `+database.In(a, ids)+` AND e.visible_to IS NULL
		ORDER BY e.id DESC`+q.RowLock(), a.Values...)
}

// restoreTrashed makes trashed entities active again, unless another one has the same unique
// value, and returns their ids. With lists come the sublists that were deleted together with them.
func (s *Store) restoreTrashed(ctx context.Context, q database.Querier, kind waymark.EntityKind, trashed []trashedEntity) (map[int64]bool, error) {
	if kind == waymark.Lists {
		var err error
		if trashed, err = addTrashedSublists(ctx, q, trashed); err != nil {
			return nil, err
		}
	}
	type uniqueValue struct {
		owner waymark.UserID
		value string
	}
	known := map[uniqueValue]bool{}
	var ids []int64
	for _, e := range trashed {
		if key := (uniqueValue{e.owner, e.unique}); e.unique == "" || !known[key] {
			known[key] = true
			ids = append(ids, e.id)
		}
	}
	noActive := ""
	switch kind {
	case waymark.Links:
		noActive = ` AND NOT EXISTS (SELECT 1 FROM links AS o WHERE o.url_hash = links.url_hash AND o.user_id = links.user_id AND o.visible_to IS NOT NULL)`
	case waymark.Tags:
		noActive = ` AND NOT EXISTS (SELECT 1 FROM tags AS o WHERE o.name_folded = tags.name_folded AND o.user_id = tags.user_id AND o.visible_to IS NOT NULL)`
	}
	restored := make(map[int64]bool, len(ids))
	now := s.now()
	restore := func(batch []int64) error {
		return s.recordedEntities(ctx, q, kind, batch, func() error {
			a := q.Args(now)
			for id, err := range database.QueryEach(ctx, q, database.ScanValue[int64], `
				UPDATE `+kind.String()+`
				SET deleted_at = 0, updated_at = $1
				WHERE id `+database.In(a, batch)+` AND visible_to IS NULL`+noActive+`
				RETURNING id`, a.Values...) {
				if err != nil {
					return err
				}
				restored[id] = true
			}
			if kind == waymark.Lists {
				return s.settleRestored(ctx, q, trashed[0].owner, restored)
			}
			return nil
		})
	}
	if kind == waymark.Lists && len(ids) > 0 {
		return restored, restore(ids) // at once: they can stand in each other
	}
	return restored, table.InBatches(ctx, ids, restore)
}

// addTrashedSublists adds the sublists of trashed lists that were deleted together with them.
func addTrashedSublists(ctx context.Context, q database.Querier, trashed []trashedEntity) ([]trashedEntity, error) {
	if len(trashed) == 0 {
		return nil, nil
	}
	known, owner := make([]int64, len(trashed)), trashed[0].owner
	for i, e := range trashed {
		known[i] = e.id
	}
	a := q.Args()
	ids, err := database.QueryAll(ctx, q, database.ScanValue[int64], `
		WITH RECURSIVE below (id, user_id, deleted_at) AS (
			SELECT id, user_id, deleted_at
			FROM lists
			WHERE id `+database.In(a, known)+` AND visible_to IS NULL
			UNION
			SELECT l.id, l.user_id, l.deleted_at
			FROM below`+database.JoinInOrder+`lists AS l
			WHERE l.parent_id = below.id AND l.user_id = below.user_id AND l.deleted_at = below.deleted_at
		)
		SELECT id
		FROM below`, a.Values...)
	if err != nil || len(ids) == len(known) {
		return trashed, err
	}
	all, err := readTrashed(ctx, q, waymark.Lists, ids)
	return slices.DeleteFunc(all, func(e trashedEntity) bool { return e.owner != owner }), err
}
