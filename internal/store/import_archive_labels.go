package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// ImportLists saves lists, and returns their ids. A list that owner already has is kept: one with the
// same name and creation time, or an active one with the same name. used reports whether another
// list of the archive was already matched to it.
func (s *Store) ImportLists(ctx context.Context, owner waymark.UserID, all []CollectedList, used func(waymark.ListID) bool) ([]waymark.ListID, error) {
	in := labelImport[waymark.ListID, waymark.List]{table: &lists, kind: waymark.Lists, owner: owner, used: used}
	for _, l := range all {
		in.add(l.List, l.Name, labelTimes{l.CreatedAt, l.UpdatedAt, l.DeletedAt}, l.Pinned)
	}
	return in.save(ctx, s)
}

// ImportTags saves tags as ImportLists saves lists, but several can be the same one: a name is
// unique.
func (s *Store) ImportTags(ctx context.Context, owner waymark.UserID, all []CollectedTag) ([]waymark.TagID, error) {
	in := labelImport[waymark.TagID, waymark.Tag]{table: &tags, kind: waymark.Tags, owner: owner, uniqueNames: true}
	for _, t := range all {
		in.add(t.Tag, t.Name, labelTimes{t.CreatedAt, t.UpdatedAt, t.DeletedAt}, t.Pinned)
	}
	return in.save(ctx, s)
}

type labelTimes struct{ created, updated, deleted waymark.Time }

// labelKey identifies a list or tag.
type labelKey struct {
	folded  string // the name
	created waymark.Time
	trashed bool
}

// labelImport is an import of lists or tags of an archive.
type labelImport[ID waymark.ID, T any] struct {
	table       *entityTable[T]
	kind        waymark.EntityKind
	owner       waymark.UserID
	uniqueNames bool          // only one active entity can have a name
	used        func(ID) bool // whether an earlier entity of the archive was matched to it; nil if uniqueNames
	labels      []importedLabel[ID, T]
	existing    map[string][]existingLabel[ID] // by folded name
	taken       map[ID]bool                    // the existing ones that an entity of labels is
}

// importedLabel is a list or tag of an archive.
type importedLabel[ID waymark.ID, T any] struct {
	entity T
	key    labelKey
	times  labelTimes
	pinned bool
	id     ID // 0 until it is known
}

// add adds an entity of the archive.
func (in *labelImport[ID, T]) add(entity T, name string, times labelTimes, pinned bool) {
	key := labelKey{waymark.Fold(name), times.created, times.deleted != 0}
	in.labels = append(in.labels, importedLabel[ID, T]{entity: entity, key: key, times: times, pinned: pinned})
}

// save saves the entities and returns their ids.
func (in *labelImport[ID, T]) save(ctx context.Context, s *Store) ([]ID, error) {
	names := make([]string, len(in.labels))
	for i, l := range in.labels {
		names[i] = l.key.folded
	}
	ids := make([]ID, len(in.labels))
	err := s.writeTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		if in.existing, err = labelsNamed[ID](ctx, q, in.table, in.owner, names); err != nil {
			return err
		}
		in.taken = map[ID]bool{}
		for i := range in.labels {
			in.labels[i].id = 0 // of a transaction that is run again
		}
		in.match(func(key, found labelKey) bool { return found == key })
		in.match(func(key, found labelKey) bool { return !key.trashed && !found.trashed })
		if err := in.insertMissing(ctx, s, q); err != nil {
			return err
		}
		for i, l := range in.labels {
			ids[i] = l.id
		}
		return nil
	})
	return ids, err
}

// match looks for an existing entity with the same name for each entity without an id, and takes
// its id if fits returns true.
func (in *labelImport[ID, T]) match(fits func(key, found labelKey) bool) {
	for i := range in.labels {
		l := &in.labels[i]
		for _, found := range in.existing[l.key.folded] {
			if l.id == 0 && in.isFree(found) && fits(l.key, found.key) {
				l.id, in.taken[found.id] = found.id, true
			}
		}
	}
}

// isFree reports whether one more entity of the archive can be an existing one.
func (in *labelImport[ID, T]) isFree(found existingLabel[ID]) bool {
	if in.uniqueNames && !found.key.trashed {
		return true
	}
	return !in.taken[found.id] && (in.used == nil || !in.used(found.id))
}

// insertMissing inserts the entities without an id.
func (in *labelImport[ID, T]) insertMissing(ctx context.Context, s *Store, q database.Querier) error {
	var missing []*importedLabel[ID, T]
	first := map[string]*importedLabel[ID, T]{} // of each name that is unique
	var same [][2]*importedLabel[ID, T]         // an entity, and the first one of its name
	for i := range in.labels {
		l := &in.labels[i]
		if l.id != 0 {
			continue
		}
		if in.uniqueNames && !l.key.trashed {
			if f := first[l.key.folded]; f != nil {
				same = append(same, [2]*importedLabel[ID, T]{l, f})
				continue
			}
			first[l.key.folded] = l
		}
		missing = append(missing, l)
	}
	if err := in.insert(ctx, s, q, missing); err != nil {
		return err
	}
	for _, pair := range same {
		pair[0].id = pair[1].id
	}
	return nil
}

// existingLabel is a list or tag of the account.
type existingLabel[ID waymark.ID] struct {
	id  ID
	key labelKey
}

// labelsNamed returns the lists or tags of owner with these folded names, the oldest first and
// those in the trash last.
func labelsNamed[ID waymark.ID, T any](ctx context.Context, q database.Querier, t *entityTable[T], owner waymark.UserID, names []string) (map[string][]existingLabel[ID], error) {
	existing := map[string][]existingLabel[ID]{}
	scan := func(rows *sql.Rows, l *existingLabel[ID]) error {
		return rows.Scan(&l.id, &l.key.folded, &l.key.created, &l.key.trashed)
	}
	// Two statements, because there is an index for those in the trash, and one for the others.
	for _, trashed := range []string{"IS NOT NULL", "IS NULL"} {
		a := q.Args(owner)
		for l, err := range database.QueryEach(ctx, q, scan, `
		SELECT e.id, e.name_folded, e.created_at, e.visible_to IS NULL
		FROM `+t.Name+` AS e
		WHERE e.user_id = $1 AND e.name_folded `+database.In(a, table.Unique(names))+` AND e.visible_to `+trashed+`
		ORDER BY e.id`, a.Values...) {
			if err != nil {
				return nil, err
			}
			existing[l.key.folded] = append(existing[l.key.folded], l)
		}
	}
	return existing, nil
}

// Insert inserts entities, sets their ids, and pins those that are pinned.
func (in *labelImport[ID, T]) insert(ctx context.Context, s *Store, q database.Querier, missing []*importedLabel[ID, T]) error {
	rows := make([]T, len(missing))
	for i, l := range missing {
		rows[i] = l.entity
	}
	ids, err := table.InsertBatches[ID](ctx, ctx, q, &in.table.Table, rows)
	if err != nil {
		return err
	}
	var pins [][]any
	for i, l := range missing {
		l.id = ids[i]
		if l.pinned {
			pins = append(pins, []any{in.owner, l.id})
		}
	}
	s.imported(func(i *undo.Import) { i.Add(in.kind, table.PlainIDs(ids)...) })
	if len(pins) == 0 {
		return nil
	}
	a := q.Args()
	_, err = q.Exec(ctx, table.InsertSQL(a, in.table.assoc.Pins(), table.ParseColumns("user_id BIGINT, "+in.table.assoc.Column+" BIGINT"), pins), a.Values...)
	return err
}
