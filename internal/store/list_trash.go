package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// liftSublists puts the active sublists of lists that are about to be deleted into the places of these.
func (s *Store) liftSublists(ctx context.Context, q database.Querier, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	a := q.Args()
	owner, err := database.QueryOne(ctx, q, database.ScanValue[waymark.UserID], `
		SELECT user_id
		FROM lists
		WHERE parent_id `+database.In(a, ids)+` AND visible_to IS NOT NULL
		LIMIT 1`, a.Values...)
	if err != nil {
		if errors.Is(err, waymark.ErrNotFound) {
			err = nil
		}
		return err
	}
	t, err := readListTree(ctx, q, owner)
	if err != nil {
		return err
	}
	deleted := make([]*treeList, 0, len(ids))
	for _, id := range ids {
		if l := t.lists[waymark.ListID(id)]; l != nil {
			deleted = append(deleted, l)
		}
	}
	// The innermost first, so that only sublists that stay are lifted.
	slices.SortStableFunc(deleted, func(a, b *treeList) int { return cmp.Compare(t.depth(b), t.depth(a)) })
	for _, l := range deleted {
		t.lift(l.id)
	}
	return s.saveTree(ctx, q, t)
}

// settleRestored puts those restored lists into no list whose parents are gone, or which would be too deep now.
func (s *Store) settleRestored(ctx context.Context, q database.Querier, owner waymark.UserID, restored map[int64]bool) error {
	t, err := readListTree(ctx, q, owner)
	if err != nil {
		return err
	}
	lists := make([]*treeList, 0, len(restored))
	for _, id := range slices.Sorted(maps.Keys(restored)) {
		if l := t.lists[waymark.ListID(id)]; l != nil {
			lists = append(lists, l)
		}
	}
	slices.SortStableFunc(lists, func(a, b *treeList) int { return cmp.Compare(t.depth(a), t.depth(b)) })
	for _, l := range lists {
		if t.check(l, l.at.Parent) != nil {
			t.place(l, listPosition{Position: t.nextPosition(0)})
		}
	}
	return s.writeTree(ctx, q, t)
}

// depth returns the number of lists above a list.
func (t *listTree) depth(l *treeList) int {
	depth := 0
	for above := t.lists[l.at.Parent]; above != nil && depth <= waymark.MaxNestedLists; above = t.lists[above.at.Parent] {
		depth++
	}
	return depth
}
