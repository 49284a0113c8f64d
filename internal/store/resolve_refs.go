package store

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// resolvedRefs are the lists or tags that refs name.
type resolvedRefs struct {
	byID   map[int64]bool
	byName map[string]int64   // by folded name
	others map[string][]int64 // the user's own with the same name as one in byName
}

// ids returns the ids of the refs that were found, each once.
func (r resolvedRefs) ids(refs []waymark.Ref) []int64 {
	var ids []int64
	for _, ref := range refs {
		id, ok := r.id(ref)
		if ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (r resolvedRefs) id(ref waymark.Ref) (int64, bool) {
	if r.byID[ref.ID] {
		return ref.ID, true
	}
	id, ok := r.byName[waymark.Fold(ref.Name)]
	return id, ok
}

// all returns what a ref names, by id: of lists with one name, all of the user's own.
func (r resolvedRefs) all(ref waymark.Ref) (all []waymark.Ref) {
	id, ok := r.id(ref)
	if !ok {
		return nil
	}
	all = []waymark.Ref{{ID: id}}
	if id != ref.ID {
		for _, other := range r.others[waymark.Fold(ref.Name)] {
			all = append(all, waymark.Ref{ID: other})
		}
	}
	return all
}

// missing reports whether a ref was not found.
func (r resolvedRefs) missing(ref waymark.Ref) bool {
	_, ok := r.id(ref)
	return !ok
}

// anyUsable reports whether one of refs was found, or has a name that can be created.
func (r resolvedRefs) anyUsable(refs []waymark.Ref) bool {
	return slices.ContainsFunc(refs, func(ref waymark.Ref) bool { return ref.Name != "" || !r.missing(ref) })
}

// resolve looks up refs. An id is looked up among the active entities that the user sees,
// a name among the user's own active ones; of several with one name the oldest is found.
func resolve(ctx context.Context, q database.Querier, assoc *query.Association, user waymark.UserID, refs []waymark.Ref) (resolvedRefs, error) {
	r := resolvedRefs{map[int64]bool{}, map[string]int64{}, map[string][]int64{}}
	var ids []int64
	var names []string
	for _, ref := range refs {
		if ref.ID != 0 {
			ids = append(ids, ref.ID)
		}
		if ref.Name != "" && table.StorableText(ref.Name) {
			names = append(names, waymark.Fold(ref.Name))
		}
	}
	return r, errors.Join(r.addIDs(ctx, q, assoc, user, ids), r.addNames(ctx, q, assoc, user, names))
}

func (r resolvedRefs) addIDs(ctx context.Context, q database.Querier, assoc *query.Association, user waymark.UserID, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	a := q.Args()
	for id, err := range database.QueryEach(ctx, q, database.ScanValue[int64], `
		SELECT e.id
		FROM `+assoc.Entities+` AS e
		WHERE e.id `+database.In(a, table.Unique(ids))+` AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), user), a.Values...) {
		if err != nil {
			return err
		}
		r.byID[id] = true
	}
	return nil
}

// foldedName is the folded name of a list or tag, with its id.
type foldedName struct {
	id     int64
	folded string
}

func scanFoldedName(rows *sql.Rows, n *foldedName) error { return rows.Scan(&n.id, &n.folded) }

func (r resolvedRefs) addNames(ctx context.Context, q database.Querier, assoc *query.Association, user waymark.UserID, names []string) error {
	if len(names) == 0 {
		return nil
	}
	a := q.Args(user)
	for found, err := range database.QueryEach(ctx, q, scanFoldedName, `
		SELECT e.id, e.name_folded
		FROM `+assoc.Entities+` AS e
		WHERE e.user_id = $1 AND e.name_folded `+database.In(a, table.Unique(names))+` AND e.visible_to IS NOT NULL
		ORDER BY e.id`, a.Values...) {
		if err != nil {
			return err
		}
		if _, ok := r.byName[found.folded]; ok {
			r.others[found.folded] = append(r.others[found.folded], found.id)
		} else {
			r.byName[found.folded] = found.id
		}
	}
	return nil
}

// addNamesOfOthers looks up names that were not found. It searches the entities of other users that
// the viewer sees. Of several with one name, the one whose owner has the first name is found.
func (r resolvedRefs) addNamesOfOthers(ctx context.Context, q database.Querier, assoc *query.Association, viewer waymark.UserID, refs []waymark.Ref) error {
	var names []string
	for _, ref := range refs {
		if ref.Name != "" && table.StorableText(ref.Name) && r.missing(ref) {
			names = append(names, waymark.Fold(ref.Name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	a := q.Args()
	for found, err := range database.QueryEach(ctx, q, scanFoldedName, `
		SELECT e.id, e.name_folded
		FROM `+assoc.Entities+` AS e
		JOIN users AS u ON u.id = e.user_id
		WHERE `+query.VisibleTo(a, "e.visible_to", viewer)+` AND e.name_folded `+database.In(a, table.Unique(names))+`
		ORDER BY u.name_folded, e.id`, a.Values...) {
		if err != nil {
			return err
		}
		if _, ok := r.byName[found.folded]; !ok {
			r.byName[found.folded] = found.id
		}
	}
	return nil
}

// addPlainNames looks up names that were not found without regard to accents. Of several, the oldest of the viewer's own
// is found.
func (r resolvedRefs) addPlainNames(ctx context.Context, q database.Querier, assoc *query.Association, viewer waymark.UserID, refs []waymark.Ref) error {
	missing := map[string][]string{} // folded names by waymark.Plain
	for _, ref := range refs {
		if ref.Name != "" && table.StorableText(ref.Name) && r.missing(ref) {
			plain := waymark.Plain(ref.Name)
			missing[plain] = append(missing[plain], waymark.Fold(ref.Name))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	a := q.Args(viewer)
	for found, err := range database.QueryEach(ctx, q, scanFoldedName, `
		SELECT e.id, e.name_plain
		FROM `+assoc.Entities+` AS e
		WHERE `+query.VisibleTo(a, "e.visible_to", viewer)+` AND e.name_plain `+database.In(a, slices.Sorted(maps.Keys(missing)))+`
		ORDER BY e.user_id <> $1, e.id`, a.Values...) {
		if err != nil {
			return err
		}
		for _, name := range missing[found.folded] {
			r.byName[name] = found.id
		}
		delete(missing, found.folded)
	}
	return nil
}

// resolveVisible is resolve, but looks for unknown names among the entities of others, too, and without their accents.
func resolveVisible(ctx context.Context, q database.Querier, assoc *query.Association, viewer waymark.UserID, refs []waymark.Ref) (resolvedRefs, error) {
	r, err := resolve(ctx, q, assoc, viewer, refs)
	if err != nil {
		return r, err
	}
	if err := r.addNamesOfOthers(ctx, q, assoc, viewer, refs); err != nil {
		return r, err
	}
	if err := r.addPlainNames(ctx, q, assoc, viewer, refs); err != nil || assoc != lists.assoc {
		return r, err
	}
	return r, errors.Join(r.addPaths(ctx, q, viewer, refs), r.addNumbered(ctx, q, viewer, refs))
}

// addNumbered looks up names with ids, see waymark.NumberedName, which mean no other list.
func (r resolvedRefs) addNumbered(ctx context.Context, q database.Querier, viewer waymark.UserID, refs []waymark.Ref) error {
	var ids []int64
	for _, ref := range refs {
		if name, id := waymark.NumberedName(ref.Name); name != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	a := q.Args()
	found, err := database.QueryMap[int64, string](ctx, q, `
		SELECT e.id, e.name_folded
		FROM lists AS e
		WHERE e.id `+database.In(a, table.Unique(ids))+` AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), viewer), a.Values...)
	for _, ref := range refs {
		if name, id := waymark.NumberedName(ref.Name); name != "" && found[id] == waymark.Fold(name) {
			r.byName[waymark.Fold(ref.Name)] = id
		}
	}
	return err
}

// addPaths looks up names that were not found as paths of lists, see waymark.PathText. Of several with one path, the
// oldest of the viewer's own is found.
func (r resolvedRefs) addPaths(ctx context.Context, q database.Querier, viewer waymark.UserID, refs []waymark.Ref) error {
	var names []string // that lists with these paths can have
	for _, ref := range refs {
		if !r.missing(ref) || !table.StorableText(ref.Name) {
			continue
		}
		folded := waymark.Fold(ref.Name)
		for i, c := range folded {
			if c == '/' {
				names = append(names, folded[i+1:])
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	a := q.Args(viewer)
	ids, err := database.QueryAll(ctx, q, database.ScanValue[int64], `
		SELECT e.id
		FROM lists AS e
		WHERE `+query.VisibleTo(a, "e.visible_to", viewer)+` AND e.name_folded `+database.In(a, table.Unique(names))+`
		ORDER BY e.user_id <> $1, e.id`, a.Values...)
	if err != nil {
		return err
	}
	above, err := readListsAbove(ctx, q, viewer, ids)
	for _, id := range ids {
		path := waymark.Fold(waymark.PathText(above.path(waymark.ListID(id))))
		if _, ok := r.byName[path]; !ok {
			r.byName[path] = id
		}
	}
	return err
}

// FindLists returns the active lists that refs name, without their LinkCount. A name can be a path. A name means one of
// the viewer's own lists, or else a list of another user that the viewer sees: the one whose owner
// has the first name. Refs that were not found are missing.
func (s *Store) FindLists(ctx context.Context, viewer waymark.UserID, refs []waymark.Ref) (map[waymark.Ref]waymark.List, error) {
	return findRefs(ctx, s, &lists, viewer, refs)
}

// ListsOfName returns the user's own active lists with a name.
func (s *Store) ListsOfName(ctx context.Context, owner waymark.UserID, name string) ([]waymark.Ref, error) {
	ref := waymark.Ref{Name: name}
	r, err := resolve(ctx, s.db.Querier(), &query.LinkLists, owner, []waymark.Ref{ref})
	return r.all(ref), err
}

// FindTags returns the active tags that refs name, as FindLists does.
func (s *Store) FindTags(ctx context.Context, viewer waymark.UserID, refs []waymark.Ref) (map[waymark.Ref]waymark.Tag, error) {
	return findRefs(ctx, s, &tags, viewer, refs)
}

func findRefs[T any](ctx context.Context, s *Store, t *entityTable[T], viewer waymark.UserID, refs []waymark.Ref) (map[waymark.Ref]T, error) {
	found := make(map[waymark.Ref]T, len(refs))
	return found, s.db.ReadTx(ctx, func(q database.Querier) error {
		clear(found)
		r, err := resolveVisible(ctx, q, t.assoc, viewer, refs)
		if err != nil {
			return err
		}
		ids := r.ids(refs)
		if len(ids) == 0 {
			return nil
		}
		entities, err := readAll(ctx, q, viewer, ids, t.byID(nil))
		byID := make(map[int64]T, len(entities))
		for _, entity := range entities {
			byID[t.idOf(&entity)] = entity
		}
		for _, ref := range refs {
			if id, ok := r.id(ref); ok {
				found[ref] = byID[id]
			}
		}
		return err
	})
}

// resolveOrCreate looks up refs, and creates a list or tag for each name that none of the
// user's has. The transaction must have called LockUser, so that a name is created once.
// resolveOrCreate calls check before it creates anything.
func (s *Store) resolveOrCreate(ctx context.Context, q database.Querier, assoc *query.Association, user waymark.User, refs []waymark.Ref, check func(resolvedRefs) error) (resolvedRefs, error) {
	if len(refs) == 0 {
		return resolvedRefs{}, nil
	}
	r, err := resolve(ctx, q, assoc, user.ID, refs)
	if err == nil {
		err = check(r)
	}
	if err != nil {
		return resolvedRefs{}, err
	}
	return r, s.createMissing(ctx, q, assoc, user, refs, r)
}

// createMissing creates a list or tag for each name that is not in r, and adds it.
func (s *Store) createMissing(ctx context.Context, q database.Querier, assoc *query.Association, user waymark.User, refs []waymark.Ref, r resolvedRefs) error {
	var missing []string
	for _, ref := range refs {
		if ref.Name != "" && r.missing(ref) {
			r.byName[waymark.Fold(ref.Name)] = 0 // replaced by its id below
			missing = append(missing, ref.Name)
		}
	}
	now := s.now()
	ids, err := createNamed(ctx, q, assoc, user, missing, now)
	if err != nil {
		return err
	}
	for i, name := range missing {
		r.byName[waymark.Fold(name)] = ids[i]
	}
	return s.recordLabels(ctx, q, assoc.Kind, ids)
}

// createNamed creates lists or tags with these names and the default visibility.
func createNamed(ctx context.Context, q database.Querier, assoc *query.Association, owner waymark.User, names []string, now waymark.Time) ([]int64, error) {
	if assoc == &query.LinkTags {
		rows := make([]waymark.Tag, len(names))
		for i, name := range names {
			rows[i] = waymark.Tag{Owner: owner.ID, Name: name, Visibility: owner.DefaultVisibility.Tags, CreatedAt: now, UpdatedAt: now}
		}
		ids, err := table.Insert[waymark.TagID](ctx, q, &tags.Table, rows)
		return table.PlainIDs(ids), err
	}
	rows := make([]waymark.List, len(names))
	for i, name := range names {
		rows[i] = waymark.List{Owner: owner.ID, Name: name, Visibility: owner.DefaultVisibility.Lists, CreatedAt: now, UpdatedAt: now}
	}
	if err := placeNew(ctx, q, owner.ID, rows); err != nil {
		return nil, err
	}
	ids, err := table.Insert[waymark.ListID](ctx, q, &lists.Table, rows)
	return table.PlainIDs(ids), err
}
