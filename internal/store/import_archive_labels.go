package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// ImportLists saves lists, and returns their ids. If owner has the list already, with the same name
// and time of creation, in the trash or not, or else an active one of its name, that one stays as
// it is. used reports whether another list of the archive is that one.
func (s *Store) ImportLists(ctx context.Context, owner waymark.UserID, all []CollectedList, used func(waymark.ListID) bool) ([]waymark.ListID, error) {
	entities := make([]waymark.List, len(all))
	for i := range all {
		entities[i] = all[i].List
	}
	return importLabels(ctx, s, &lists, waymark.Lists, owner, entities, used,
		func(l *waymark.List) labelTimes { return labelTimes{l.CreatedAt, l.UpdatedAt, l.DeletedAt} },
		func(i int) bool { return all[i].Pinned })
}

// ImportTags saves tags as ImportLists saves lists, but several can be the same one: a name is
// unique.
func (s *Store) ImportTags(ctx context.Context, owner waymark.UserID, all []CollectedTag) ([]waymark.TagID, error) {
	entities := make([]waymark.Tag, len(all))
	for i := range all {
		entities[i] = all[i].Tag
	}
	return importLabels[waymark.TagID](ctx, s, &tags, waymark.Tags, owner, entities, nil,
		func(t *waymark.Tag) labelTimes { return labelTimes{t.CreatedAt, t.UpdatedAt, t.DeletedAt} },
		func(i int) bool { return all[i].Pinned })
}

type labelTimes struct{ created, updated, deleted waymark.Time }

// labelKey identifies a list or tag of an archive.
type labelKey struct {
	folded  string
	created waymark.Time
	trashed bool
}

func importLabels[ID waymark.ID, T any](ctx context.Context, s *Store, t *entityTable[T], kind waymark.EntityKind, owner waymark.UserID, all []T, used func(ID) bool,
	timesOf func(*T) labelTimes, pinned func(i int) bool,
) (ids []ID, err error) {
	key := func(i int) labelKey {
		times := timesOf(&all[i])
		return labelKey{waymark.Fold(t.nameOf(&all[i])), times.created, times.deleted != 0}
	}
	err = s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		folded := make([]string, len(all))
		for i := range all {
			folded[i] = key(i).folded
		}
		existing, err := labelsNamed[ID](ctx, q, t, owner, folded)
		if err != nil {
			return err
		}
		ids = make([]ID, len(all))
		taken := map[ID]bool{}
		take := func(i int, fits func(found labelKey) bool) {
			for _, found := range existing[key(i).folded] {
				free := used == nil && !found.key.trashed || !taken[found.id] && (used == nil || !used(found.id))
				if ids[i] == 0 && free && fits(found.key) {
					ids[i], taken[found.id] = found.id, true
				}
			}
		}
		for i := range all {
			take(i, func(found labelKey) bool { return found == key(i) })
		}
		var missing []int
		first := map[string]int{} // of the active tags to insert, by name
		same := map[int]int{}
		for i := range all {
			if ids[i] == 0 && !key(i).trashed {
				take(i, func(found labelKey) bool { return !found.trashed })
			}
			if ids[i] != 0 {
				continue
			}
			if n, ok := first[key(i).folded]; ok && !key(i).trashed {
				same[i] = n
				continue
			}
			if used == nil && !key(i).trashed {
				first[key(i).folded] = i
			}
			missing = append(missing, i)
		}
		if err := insertLabels(ctx, s, q, t, kind, owner, all, missing, ids, timesOf, pinned); err != nil {
			return err
		}
		for i, n := range same {
			ids[i] = ids[n]
		}
		return nil
	})
	return ids, err
}

// existingLabel is a list or tag of the account.
type existingLabel[ID waymark.ID] struct {
	id  ID
	key labelKey
}

// labelsNamed returns the lists or tags of owner with these folded names, the oldest first and
// those in the trash last.
func labelsNamed[ID waymark.ID, T any](ctx context.Context, q database.Querier, t *entityTable[T], owner waymark.UserID, folded []string) (map[string][]existingLabel[ID], error) {
	existing := map[string][]existingLabel[ID]{}
	scan := func(rows *sql.Rows, l *existingLabel[ID]) error {
		return rows.Scan(&l.id, &l.key.folded, &l.key.created, &l.key.trashed)
	}
	// Two statements, because there is an index for those in the trash, and one for the others.
	for _, trashed := range []string{"IS NOT NULL", "IS NULL"} {
		a := q.Args(owner)
		for l, err := range database.QueryEach(ctx, q, scan, `
		SELECT e.id, e.name_folded, e.created_at, e.visible_to IS NULL
		FROM `+t.name+` AS e
		WHERE e.user_id = $1 AND e.name_folded `+database.In(a, unique(folded))+` AND e.visible_to `+trashed+`
		ORDER BY e.id`, a.Values...) {
			if err != nil {
				return nil, err
			}
			existing[l.key.folded] = append(existing[l.key.folded], l)
		}
	}
	return existing, nil
}

// insertLabels inserts the missing lists or tags, and sets their ids.
func insertLabels[ID waymark.ID, T any](ctx context.Context, s *Store, q database.Querier, t *entityTable[T], kind waymark.EntityKind, owner waymark.UserID, all []T,
	missing []int, ids []ID, timesOf func(*T) labelTimes, pinned func(i int) bool,
) error {
	rows := make([]T, len(missing))
	for n, i := range missing {
		rows[n] = all[i]
	}
	inserted, err := insertBatches[ID](ctx, ctx, q, &t.table, rows)
	if err != nil {
		return err
	}
	created := undo.IDs{Kind: kind, IfUnused: true}
	var pins [][2]int64
	for n, i := range missing {
		ids[i] = inserted[n]
		times := timesOf(&all[i])
		if times.deleted == 0 {
			created.IDs, created.Times = append(created.IDs, int64(ids[i])), append(created.Times, times.updated)
		}
		if pinned(i) {
			pins = append(pins, [2]int64{int64(owner), int64(ids[i])})
		}
	}
	if len(created.IDs) > 0 {
		s.record(func(r *undo.Record) { r.Created = append(r.Created, created) })
	}
	if len(pins) == 0 {
		return nil
	}
	a := q.Args()
	_, err = q.Exec(ctx, insertSQL(a, pinsOf(t.assoc), []columnType{{"user_id", "BIGINT"}, {t.assoc.Column, "BIGINT"}}, anyRows(pins)), a.Values...)
	return err
}

func anyRows(pairs [][2]int64) [][]any {
	rows := make([][]any, len(pairs))
	for i, pair := range pairs {
		rows[i] = []any{pair[0], pair[1]}
	}
	return rows
}
