package store

import (
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// created moves entities to the trash that were created or restored.
func (u *reverter) created(ctx context.Context, c *undo.IDs) error {
	moved := map[int64]bool{}
	err := table.InBatches(u.request, c.IDs, func(ids []int64) error {
		unchanged, err := u.unchanged(ctx, c.Kind, ids, c.At, "")
		if err != nil || len(unchanged) == 0 {
			return err
		}
		for _, id := range unchanged {
			moved[id] = true
		}
		return u.s.moveToTrash(ctx, u.request, u.q, c.Kind, unchanged)
	})
	u.note(c.Kind, c.IDs, moved)
	return err
}

// createdForLinks takes back lists or tags that were created for links: see removeUnused. Those with
// other links are kept: they are neither done nor skipped.
func (u *reverter) createdForLinks(ctx context.Context, c *undo.IDs) error {
	return table.InBatches(u.request, c.IDs, func(ids []int64) error {
		unused, err := u.unchanged(ctx, c.Kind, ids, c.At, noActiveLinks(assocOf(c.Kind)))
		if err != nil {
			return err
		}
		return u.removeUnused(ctx, c.Kind, unused)
	})
}

// noActiveLinks returns the condition that no active link has the list or tag e.
func noActiveLinks(assoc *query.Association) string {
	return `NOT EXISTS (
				SELECT 1
				FROM ` + assoc.Table + ` AS m
				JOIN links AS l ON l.id = m.link_id
				WHERE m.` + assoc.Column + ` = e.id AND l.visible_to IS NOT NULL)`
}

// removeUnused deletes the lists or tags that no link has, and moves those to the trash whose links are
// all there. Call it for those for which noActiveLinks is true.
func (u *reverter) removeUnused(ctx context.Context, kind waymark.EntityKind, unused []int64) error {
	if len(unused) == 0 {
		return nil
	}
	if kind == waymark.Lists {
		if err := u.s.liftSublists(ctx, u.q, unused); err != nil {
			return err
		}
	}
	assoc := assocOf(kind)
	a := u.q.Args()
	deleted, err := database.QueryAll(ctx, u.q, database.ScanValue[int64], `
		DELETE FROM `+assoc.Entities+`
		WHERE id `+database.In(a, unused)+` AND NOT EXISTS (
			SELECT 1
			FROM `+assoc.Table+` AS m
			WHERE m.`+assoc.Column+` = `+assoc.Entities+`.id)
		RETURNING id`, a.Values...)
	if err != nil {
		return err
	}
	gone := setOf(deleted)
	unused = slices.DeleteFunc(unused, func(id int64) bool { return gone[id] })
	if len(unused) == 0 {
		return nil
	}
	u.note(kind, unused, setOf(unused))
	return u.s.moveToTrash(ctx, u.request, u.q, kind, unused)
}

// unchanged returns the active entities unchanged since a time that satisfy the condition, if any.
func (u *reverter) unchanged(ctx context.Context, kind waymark.EntityKind, ids []int64, at waymark.Time, condition string) ([]int64, error) {
	if condition != "" {
		condition = " AND " + condition
	}
	a := u.q.Args(u.user, at)
	return database.QueryAll(ctx, u.q, database.ScanValue[int64], `
		SELECT e.id
		FROM `+tableOf(kind)+` AS e
		WHERE e.id `+database.In(a, ids)+` AND e.user_id = $1 AND e.visible_to IS NOT NULL AND e.updated_at <= $2`+condition+`
		ORDER BY e.id`+u.q.RowLock(), a.Values...)
}

// trashed restores entities that were moved to the trash.
func (u *reverter) trashed(ctx context.Context, c undo.IDs) error {
	all, err := readTrashed(ctx, u.q, c.Kind, c.IDs)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(e trashedEntity) bool { return e.owner != u.user || e.deletedAt != c.At })
	restored, err := u.s.restoreTrashed(ctx, u.request, u.q, c.Kind, all)
	u.note(c.Kind, c.IDs, restored)
	return err
}

// visibility reverts the visibility of entities.
func (u *reverter) visibility(ctx context.Context, c undo.Visibility) error {
	return table.InBatches(u.request, c.IDs, func(ids []int64) error {
		a := u.q.Args(c.From, c.To, u.user, u.s.now())
		changed, err := database.QueryAll(ctx, u.q, database.ScanValue[int64], `
			UPDATE `+tableOf(c.Kind)+`
			SET visibility = $1, updated_at = $4
			WHERE id `+database.In(a, ids)+` AND visibility = $2 AND user_id = $3
			RETURNING id`, a.Values...)
		u.note(c.Kind, ids, setOf(changed))
		return err
	})
}

// flag sets a flag of links back.
func (u *reverter) flag(ctx context.Context, c undo.Flag) error {
	return table.InBatches(u.request, table.PlainIDs(c.IDs), func(ids []int64) error {
		a := u.q.Args(!c.On, u.s.now(), u.user)
		changed, err := database.QueryAll(ctx, u.q, database.ScanValue[int64], `
			UPDATE links
			SET `+c.Flag.String()+` = $1, updated_at = $2
			WHERE id `+database.In(a, ids)+` AND `+c.Flag.String()+` <> $1 AND user_id = $3
			RETURNING id`, a.Values...)
		u.note(waymark.Links, ids, setOf(changed))
		return err
	})
}

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
