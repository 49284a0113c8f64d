package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// SavedLabel is a list or tag that a user has.
type SavedLabel struct {
	ID        int64
	Parent    waymark.ListID // of a list, zero for none
	Folded    string         // the name: see waymark.Fold
	CreatedAt waymark.Time
	InTrash   bool
}

// LabelsNamed returns owner's lists or tags with these folded names, the oldest first, the trash last.
func (s *Store) LabelsNamed(ctx context.Context, owner waymark.UserID, kind waymark.EntityKind, names []string) (all []SavedLabel, err error) {
	scan := func(rows *sql.Rows, l *SavedLabel) error {
		return rows.Scan(&l.ID, &l.Parent, &l.Folded, &l.CreatedAt, &l.InTrash)
	}
	q := s.db.Querier()
	parent := "0"
	if kind == waymark.Lists {
		parent = "coalesce(e.parent_id, 0)"
	}
	// Two statements, because there is an index for those in the trash, and one for the others.
	for _, trashed := range []string{"IS NOT NULL", "IS NULL"} {
		a := q.Args(owner)
		found, err := database.QueryAll(ctx, q, scan, `
		SELECT e.id, `+parent+`, e.name_folded, e.created_at, e.visible_to IS NULL
		FROM `+assocOf(kind).Entities+` AS e
		WHERE e.user_id = $1 AND e.name_folded `+database.In(a, table.Unique(names))+` AND e.visible_to `+trashed+`
		ORDER BY e.id`, a.Values...)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// InsertImportedLists inserts lists, and pins those that are pinned. Their owner is set. Those of their editors are named
// who have an account.
func (s *Store) InsertImportedLists(ctx context.Context, all []CollectedList) ([]waymark.ListID, error) {
	ids, err := insertLabels[waymark.ListID](ctx, s, &lists, all, func(l *CollectedList) (waymark.List, bool) { return l.List, l.Pinned })
	if err != nil {
		return ids, err
	}
	var named [][2]any
	for i, list := range all {
		for _, name := range storable(list.Editors) {
			if list.Editing == waymark.EditedByNamed {
				named = append(named, [2]any{ids[i], name})
			}
		}
	}
	return ids, s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		return table.InBatches(ctx, named, func(rows [][2]any) error {
			a := q.Args()
			_, err := q.Exec(ctx, `
			INSERT INTO list_editors (list_id, user_id)
			SELECT l.id, u.id
			FROM `+a.Rows(rows)+`
			JOIN lists AS l ON l.id = CAST(value->>0 AS BIGINT)
			JOIN users AS u ON u.name_folded = value->>1 AND u.id <> l.user_id
			WHERE true
			ON CONFLICT DO NOTHING`, a.Values...)
			return err
		})
	})
}

// NestImportedLists puts new lists of owner into others, with the positions that they have. One whose parent cannot
// have it stays where it is. Those in the trash get their parents, too, for when they are restored.
func (s *Store) NestImportedLists(ctx context.Context, owner waymark.UserID, parents map[waymark.ListID]waymark.ListID) error {
	if len(parents) == 0 {
		return nil
	}
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		t, err := readListTree(ctx, q, owner)
		if err != nil {
			return err
		}
		var trashed [][2]int64
		for _, id := range slices.Sorted(maps.Keys(parents)) {
			l := t.lists[id]
			switch {
			case l == nil:
				trashed = append(trashed, [2]int64{int64(id), int64(parents[id])})
			case t.check(l, parents[id]) == nil:
				t.place(l, listPosition{Parent: parents[id], Position: l.at.Position})
			}
		}
		if err := s.writeTree(ctx, q, t); err != nil {
			return err
		}
		return table.InBatches(ctx, trashed, func(rows [][2]int64) error {
			a := q.Args(owner)
			_, err := q.Exec(ctx, `
			UPDATE lists
			SET parent_id = CAST(value->>1 AS BIGINT)
			FROM `+a.Rows(rows)+`
			WHERE lists.id = CAST(value->>0 AS BIGINT) AND lists.user_id = $1`, a.Values...)
			return err
		})
	})
}

// InsertImportedTags is InsertImportedLists for tags.
func (s *Store) InsertImportedTags(ctx context.Context, all []CollectedTag) ([]waymark.TagID, error) {
	return insertLabels[waymark.TagID](ctx, s, &tags, all, func(t *CollectedTag) (waymark.Tag, bool) { return t.Tag, t.Pinned })
}

func insertLabels[ID waymark.ID, T, C any](ctx context.Context, s *Store, t *entityTable[T], all []C, part func(*C) (T, bool)) (ids []ID, err error) {
	rows, pinned := make([]T, len(all)), make([]bool, len(all))
	for i := range all {
		rows[i], pinned[i] = part(&all[i])
	}
	err = s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		if ids, err = table.InsertBatches[ID](ctx, q, &t.Table, rows); err != nil {
			return err
		}
		if err := recordInserted(ctx, s, q, t, table.PlainIDs(ids), true); err != nil {
			return err
		}
		var pins []ID
		for i, id := range ids {
			if pinned[i] {
				pins = append(pins, id)
			}
		}
		if len(pins) == 0 {
			return nil
		}
		a := q.Args()
		_, err := q.Exec(ctx, `
			INSERT INTO `+t.assoc.Pins()+` (user_id, `+t.assoc.Column+`)
			SELECT e.user_id, e.id
			FROM `+t.Name+` AS e
			WHERE e.id `+database.In(a, pins), a.Values...)
		return err
	})
	return ids, err
}
