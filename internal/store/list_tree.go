package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// listTree is the tree of a user's active lists, in memory. Every change of a parent or a position is made in
// it, after LockUser: the tree checks it, and save writes the rows that differ.
type listTree struct {
	lists    map[waymark.ListID]*treeList
	sublists map[waymark.ListID][]*treeList // in order; those of 0 stand in no list
}

type treeList struct {
	id           waymark.ListID
	name, folded string
	key          []byte       // see waymark.SortKey
	at, stored   listPosition // now, and in the row
	moved        bool         // by the user
}

// listPosition is a list's place in the tree: see waymark.List.
type listPosition struct {
	Parent   waymark.ListID
	Position int
}

func (l *treeList) compare(other *treeList) int {
	return cmp.Or(cmp.Compare(l.at.Position, other.at.Position), bytes.Compare(l.key, other.key), strings.Compare(l.folded, other.folded), strings.Compare(l.name, other.name), cmp.Compare(l.id, other.id))
}

// readListTree reads the tree of a user.
func readListTree(ctx context.Context, q database.Querier, owner waymark.UserID) (*listTree, error) {
	t := &listTree{map[waymark.ListID]*treeList{}, map[waymark.ListID][]*treeList{}}
	for l, err := range database.QueryEach(ctx, q, func(rows *sql.Rows, l *treeList) error {
		return rows.Scan(&l.id, &l.at.Parent, &l.at.Position, &l.name, &l.folded, &l.key)
	}, `
		SELECT id, coalesce(parent_id, 0), position, name, name_folded, name_key
		FROM lists
		WHERE user_id = $1 AND visible_to IS NOT NULL`, owner) {
		if err != nil {
			return nil, err
		}
		l.stored = l.at
		t.lists[l.id] = &l
	}
	for _, l := range t.lists {
		t.sublists[l.at.Parent] = append(t.sublists[l.at.Parent], l)
	}
	for _, siblings := range t.sublists {
		slices.SortFunc(siblings, (*treeList).compare)
	}
	return t, nil
}

// move moves a list. It returns a waymark.ValidationError if the place does not exist or is too deep.
func (t *listTree) move(id waymark.ListID, place waymark.ListPlace) error {
	l := t.lists[id]
	if l == nil {
		return waymark.ErrNotFound
	}
	if err := t.check(l, place.Parent); err != nil {
		return err
	}
	if before := t.lists[place.Before]; place.Before != 0 && (before == nil || before.at.Parent != place.Parent || before == l) {
		return waymark.Invalid(waymark.FieldBefore, waymark.RuleExists)
	}
	sameParent := l.at.Parent == place.Parent
	l.moved = true
	t.remove(l)
	l.at.Parent = place.Parent
	if place.Before == 0 && !sameParent && !place.Last {
		l.at.Position = t.nextPosition(place.Parent)
		t.insert(l)
		return nil
	}
	siblings := t.sublists[place.Parent]
	at := slices.IndexFunc(siblings, func(s *treeList) bool { return s.id == place.Before })
	if at < 0 {
		at = len(siblings)
	}
	t.setOrder(place.Parent, slices.Insert(siblings, at, l))
	return nil
}

// check returns a waymark.ValidationError if l cannot stand in a parent. l is nil for a new list.
func (t *listTree) check(l *treeList, parent waymark.ListID) error {
	if parent == 0 {
		return nil
	}
	if t.lists[parent] == nil {
		return waymark.Invalid(waymark.FieldParent, waymark.RuleExists)
	}
	if len(t.lists) > waymark.MaxNestedLists {
		return waymark.TooMany(waymark.FieldParent, 0, waymark.MaxNestedLists)
	}
	depth := 0
	for above := t.lists[parent]; above != nil; above = t.lists[above.at.Parent] {
		if above == l {
			return waymark.Invalid(waymark.FieldParent, waymark.RuleNotInside)
		}
		if depth++; depth > waymark.MaxListDepth {
			break
		}
	}
	height := 1
	if l != nil {
		height = t.height(l)
	}
	if depth+height > waymark.MaxListDepth {
		return &waymark.ValidationError{Problems: []waymark.Problem{{Field: waymark.FieldParent, Rule: waymark.RuleMaxDepth, Limit: waymark.MaxListDepth}}}
	}
	return nil
}

// height returns the number of lists on the longest way down from a list.
func (t *listTree) height(l *treeList) int {
	height := 0
	for _, sublist := range t.sublists[l.id] {
		height = max(height, t.height(sublist))
	}
	return height + 1
}

// within returns the ids of lists and of all that stand in them, each once, a list before its own.
func (t *listTree) within(ids []waymark.ListID) []waymark.ListID {
	var all []waymark.ListID
	seen := map[waymark.ListID]bool{}
	var add func(l *treeList)
	add = func(l *treeList) {
		if l == nil || seen[l.id] {
			return
		}
		seen[l.id] = true
		all = append(all, l.id)
		for _, sublist := range t.sublists[l.id] {
			add(sublist)
		}
	}
	for _, id := range ids {
		add(t.lists[id])
	}
	return all
}

// lift puts the sublists of a list into its place, which it loses.
func (t *listTree) lift(id waymark.ListID) {
	l := t.lists[id]
	if l == nil {
		return
	}
	sublists := t.sublists[id]
	if len(sublists) == 0 {
		t.remove(l)
		delete(t.lists, id)
		return
	}
	siblings := t.sublists[l.at.Parent]
	at := slices.Index(siblings, l)
	siblings = slices.Delete(slices.Clone(siblings), at, at+1)
	for _, sublist := range sublists {
		sublist.at.Parent = l.at.Parent
	}
	siblings = slices.Insert(siblings, at, sublists...)
	delete(t.sublists, id)
	delete(t.lists, id)
	if slices.ContainsFunc(siblings, func(s *treeList) bool { return s.at.Position > 0 }) {
		t.setOrder(l.at.Parent, siblings)
		return
	}
	slices.SortFunc(siblings, (*treeList).compare)
	t.sublists[l.at.Parent] = siblings
}

// place sets the place of a list, without a check.
func (t *listTree) place(l *treeList, p listPosition) {
	t.remove(l)
	l.at = p
	t.insert(l)
}

func (t *listTree) remove(l *treeList) {
	siblings := slices.Clone(t.sublists[l.at.Parent])
	t.sublists[l.at.Parent] = slices.DeleteFunc(siblings, func(s *treeList) bool { return s == l })
}

func (t *listTree) insert(l *treeList) {
	siblings := t.sublists[l.at.Parent]
	at, _ := slices.BinarySearchFunc(siblings, l, (*treeList).compare)
	t.sublists[l.at.Parent] = slices.Insert(siblings, at, l)
}

// setOrder orders the lists in a parent by hand.
func (t *listTree) setOrder(parent waymark.ListID, siblings []*treeList) {
	for i, l := range siblings {
		l.at.Position = i + 1
	}
	t.sublists[parent] = siblings
}

// nextPosition returns the position of a list that comes into a parent: the last one if people have ordered
// the lists there, and else zero.
func (t *listTree) nextPosition(parent waymark.ListID) int {
	siblings := t.sublists[parent]
	if len(siblings) == 0 {
		return 0
	}
	return nextPosition(siblings[len(siblings)-1].at.Position)
}

func nextPosition(last int) int {
	if last == 0 {
		return 0
	}
	return min(last+1, waymark.MaxListPosition)
}

// saveTree writes the places that differ from those in the database, and records them.
func (s *Store) saveTree(ctx context.Context, q database.Querier, t *listTree) error {
	return recorded(ctx, s, q, &lists.Table, t.changed(), func() error { return s.writeTree(ctx, q, t) })
}

// changed returns the lists whose places differ from those in the database.
func (t *listTree) changed() (ids []int64) {
	for _, id := range slices.Sorted(maps.Keys(t.lists)) {
		if l := t.lists[id]; l.at != l.stored {
			ids = append(ids, int64(id))
		}
	}
	return ids
}

// writeTree is saveTree without the record. Lists that the user has moved get a new updated_at.
func (s *Store) writeTree(ctx context.Context, q database.Querier, t *listTree) error {
	var rows [][]any
	now := s.now()
	for _, id := range t.changed() {
		l := t.lists[waymark.ListID(id)]
		row := []any{id, nil, l.at.Position, nil}
		if l.at.Parent != 0 {
			row[1] = l.at.Parent
		}
		if l.moved {
			row[3] = now
		}
		rows = append(rows, row)
		l.stored = l.at
	}
	return table.InBatches(ctx, rows, func(rows [][]any) error {
		a := q.Args()
		_, err := q.Exec(ctx, `
			UPDATE lists
			SET parent_id = CAST(value->>1 AS BIGINT), position = CAST(value->>2 AS BIGINT), updated_at = coalesce(CAST(value->>3 AS BIGINT), updated_at)
			FROM `+a.Rows(rows)+`
			WHERE lists.id = CAST(value->>0 AS BIGINT)`, a.Values...)
		return err
	})
}
