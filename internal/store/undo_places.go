package store

import (
	"context"
	"slices"

	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// places moves lists back to where they were, unless they were moved again since. Positions of other lists are
// reverted, too, if they are as the change left them.
func (u *reverter) places(ctx context.Context, places []undo.Place) error {
	if len(places) == 0 {
		return nil
	}
	t, err := readListTree(ctx, u.q, u.user)
	if err != nil {
		return err
	}
	for _, p := range slices.Backward(places) {
		l := t.lists[p.List]
		done := l != nil && t.revert(l, p)
		if p.Moved {
			u.note(waymark.Lists, []int64{int64(p.List)}, map[int64]bool{int64(p.List): done})
		}
	}
	return u.s.saveTree(ctx, u.q, t)
}

// revert sets the place of a list as it was before a change, and reports whether it could.
func (t *listTree) revert(l *treeList, p undo.Place) bool {
	at := l.at
	switch {
	case p.Before.Parent == p.After.Parent:
		if at != p.After {
			return at == p.Before
		}
		at = p.Before
	case at.Parent == p.Before.Parent: // the list above it was deleted again
	case at.Parent != p.After.Parent || t.check(l, p.Before.Parent) != nil:
		return false
	default:
		at = p.Before
	}
	t.place(l, at)
	l.moved = p.Moved
	return true
}
