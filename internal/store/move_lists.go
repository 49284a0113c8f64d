package store

import (
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// MoveLists moves lists of editor to a place in their tree, in this order. A list that stands in another one of
// them moves with it. An editor of the list in which all of them stand may order them there. It returns
// waymark.ErrNotFound if one of the lists is not active, waymark.ErrForbidden, and a
// waymark.ValidationError if the place does not exist, is in one of the lists, or would be too deep.
func (s *Store) MoveLists(ctx context.Context, editor waymark.User, ids []waymark.ListID, place waymark.ListPlace) error {
	return s.bulkIf(ctx, len(ids) > 1, editor.ID, func(ctx context.Context, q database.Querier) error {
		owner, err := s.ownerOfOrder(ctx, q, editor, place.Parent)
		if err != nil {
			return err
		}
		if err := permitAll(ctx, q, editor, waymark.Lists, table.PlainIDs(ids)); owner == editor.ID && err != nil {
			return err
		}
		t, err := readListTree(ctx, q, owner)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if l := t.lists[id]; owner != editor.ID && (l == nil || l.at.Parent != place.Parent) {
				return waymark.ErrForbidden
			}
		}
		if err := t.moveAll(ids, place); err != nil {
			return err
		}
		return s.saveTree(ctx, q, t)
	})
}

// SortSublists sorts the lists in a list that editor edits by name, no longer by hand. It returns waymark.ErrNotFound if
// the list is not active, and waymark.ErrForbidden if they do not edit it.
func (s *Store) SortSublists(ctx context.Context, editor waymark.User, parent waymark.ListID) error {
	return s.userTx(ctx, editor.ID, func(ctx context.Context, q database.Querier) error {
		owner, err := s.ownerOfOrder(ctx, q, editor, parent)
		if err == nil && owner == editor.ID {
			err = permitAll(ctx, q, editor, waymark.Lists, []int64{int64(parent)})
		}
		if err != nil {
			return err
		}
		t, err := readListTree(ctx, q, owner)
		if err != nil {
			return err
		}
		for _, l := range t.sublists[parent] {
			l.at.Position, l.moved = 0, true
		}
		return s.saveTree(ctx, q, t)
	})
}

// ownerOfOrder returns whose tree has the order of the lists in a parent that editor may change: the owner of the parent if
// they edit it, and else their own.
func (s *Store) ownerOfOrder(ctx context.Context, q database.Querier, editor waymark.User, parent waymark.ListID) (waymark.UserID, error) {
	if parent == 0 {
		return editor.ID, nil
	}
	targets, err := s.listTargets(ctx, q, editor.ID, []int64{int64(parent)})
	if target, ok := targets[int64(parent)]; ok && editor.MayWrite(target) == nil {
		return target.Owner, err
	}
	return editor.ID, err
}

// permitAll returns waymark.ErrNotFound if one of the entities is not active, and waymark.ErrForbidden if editor may not
// change one.
func permitAll(ctx context.Context, q database.Querier, editor waymark.User, kind waymark.EntityKind, ids []int64) error {
	owners, err := activeOwners(ctx, q, kind, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		owner, ok := owners[id]
		if !ok {
			return waymark.ErrNotFound
		}
		if err := editor.MayWrite(waymark.Target{Kind: kind, Owner: owner}); err != nil {
			return err
		}
	}
	return nil
}

// moveAll moves lists without those that stand in another one of them.
func (t *listTree) moveAll(ids []waymark.ListID, place waymark.ListPlace) error {
	chosen := map[waymark.ListID]bool{}
	for _, id := range ids {
		chosen[id] = true
	}
	ids = slices.DeleteFunc(slices.Clone(ids), func(id waymark.ListID) bool { return t.isBelow(id, chosen) })
	if before := t.lists[place.Before]; before != nil && chosen[place.Before] {
		place.Before = t.nextUnchosen(before, chosen)
	}
	for _, id := range ids {
		if err := t.move(id, place); err != nil {
			return err
		}
	}
	return nil
}

// isBelow reports whether a list stands in one of the chosen ones.
func (t *listTree) isBelow(id waymark.ListID, chosen map[waymark.ListID]bool) bool {
	l := t.lists[id]
	for l != nil {
		if chosen[l.at.Parent] {
			return true
		}
		l = t.lists[l.at.Parent]
	}
	return false
}

// nextUnchosen returns the first list after another one in its parent that is not chosen, or zero.
func (t *listTree) nextUnchosen(l *treeList, chosen map[waymark.ListID]bool) waymark.ListID {
	siblings := t.sublists[l.at.Parent]
	for _, next := range siblings[slices.Index(siblings, l):] {
		if !chosen[next.id] {
			return next.id
		}
	}
	return 0
}

// replaceList moves a list whose parent or position an edit has changed, and sets them as they are then.
func (s *Store) replaceList(ctx context.Context, q database.Querier, owner waymark.UserID, before waymark.List, list *waymark.List) error {
	if list.Parent == before.Parent && list.Position == before.Position {
		return nil
	}
	t, err := readListTree(ctx, q, owner)
	if err != nil {
		return err
	}
	l := t.lists[list.ID]
	if l == nil {
		return waymark.ErrNotFound
	}
	if list.Parent != before.Parent {
		if err := t.move(list.ID, waymark.ListPlace{Parent: list.Parent}); err != nil {
			return err
		}
	}
	if list.Position != before.Position {
		at := l.at
		at.Position = list.Position
		t.place(l, at)
		l.moved = true
	}
	list.Parent, list.Position = l.at.Parent, l.at.Position
	return s.saveTree(ctx, q, t)
}

// placeNew checks the parents of new lists of owner, and sets the positions of those that have none.
func placeNew(ctx context.Context, q database.Querier, owner waymark.UserID, drafts []waymark.List) error {
	if len(drafts) == 0 {
		return nil
	}
	t, err := readListTree(ctx, q, owner)
	if err != nil {
		return err
	}
	next := map[waymark.ListID]int{}
	problems := &waymark.ValidationError{}
	for i := range drafts {
		parent := drafts[i].Parent
		if err := t.check(nil, parent); err != nil {
			if err := problems.Merge(i, err); err != nil {
				return err
			}
			continue
		}
		if _, known := next[parent]; !known {
			next[parent] = t.nextPosition(parent)
		}
		if drafts[i].Position == 0 {
			drafts[i].Position = next[parent]
			next[parent] = nextPosition(next[parent])
		}
	}
	return problems.Err()
}
