package store

import (
	"cmp"
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// undoInserted moves inserted entities to the trash that nobody has edited, or deletes them: see undo.Step. A link stays, too, if its owner has
// written a note on it since.
func undoInserted[T any](ctx context.Context, u *reverter, kind waymark.EntityKind, t *entityTable[T], step undo.Step) error {
	step.Rows = slices.DeleteFunc(step.Rows, func(row undo.Row) bool { return kind == waymark.Links && u.links[row.ID] == trashedVersion })
	unedited, err := uneditedOf(ctx, u, t, step, "true")
	if err != nil {
		return err
	}
	if kind == waymark.Links {
		if err := u.keepNoted(ctx, unedited); err != nil {
			return err
		}
	}
	u.note(kind, idsOf(step), unedited)
	ids := slices.DeleteFunc(idsOf(step), func(id int64) bool { return !unedited[id] })
	if step.ForGood && len(ids) > 0 {
		a := u.q.Args()
		_, err := u.q.Exec(ctx, `
			DELETE FROM `+step.Table+`
			WHERE id `+database.In(a, ids), a.Values...)
		return err
	}
	return u.s.moveToTrash(ctx, u.q, kind, ids)
}

// uneditedOf returns the inserted entities that are active, satisfy a condition and have the version of the record.
func uneditedOf[T any](ctx context.Context, u *reverter, t *entityTable[T], step undo.Step, condition string) (map[int64]bool, error) {
	a := u.q.Args(u.user)
	rows, err := t.All(ctx, u.q, "e.id "+database.In(a, idsOf(step))+" AND e.user_id = $1 AND e.visible_to IS NOT NULL AND "+condition+" ORDER BY e.id"+u.q.RowLock(), a.Values...)
	if err != nil {
		return nil, err
	}
	versions := map[int64]int64{}
	for _, row := range step.Rows {
		versions[row.ID] = integerOf(row.After[versionColumn])
		if version, ok := u.links[row.ID]; ok && step.Table == links.Name {
			versions[row.ID] = version
		}
	}
	unedited := map[int64]bool{}
	for i := range rows {
		id := t.idOf(&rows[i])
		unedited[id] = t.version(&rows[i]) == versions[id]
		if step.Table == links.Name && !unedited[id] {
			u.edited++
		}
	}
	return unedited, nil
}

// keepNoted removes links from a set that have active notes of the owner other than those of the record.
func (u *reverter) keepNoted(ctx context.Context, unedited map[int64]bool) error {
	ids := make([]int64, 0, len(unedited))
	for id := range unedited {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	a := u.q.Args(u.user)
	found, err := notes.All(ctx, u.q, "e.link_id "+database.In(a, ids)+" AND e.user_id = $1 AND e.visible_to IS NOT NULL", a.Values...)
	for _, n := range found {
		version, ok := u.notes[int64(n.ID)]
		if link := int64(n.Link); unedited[link] && (!ok || version != notes.version(&n)) {
			unedited[link] = false
			u.withNotes++
		}
	}
	return err
}

// removeLabels removes lists and tags that were inserted for links, if nobody has edited them and no other link has
// them. They are neither done nor skipped if they stay. It comes after the steps that give them to links.
func (u *reverter) removeLabels(ctx context.Context, labels []undo.Step) error {
	var unusedLists, unusedTags []int64
	for _, step := range labels {
		var unused map[int64]bool
		var err error
		if step.Table == lists.Name {
			unused, err = uneditedOf(ctx, u, &lists, step, noActiveLinks(&query.LinkLists))
			unusedLists = appendChosen(unusedLists, unused)
		} else {
			unused, err = uneditedOf(ctx, u, &tags, step, noActiveLinks(&query.LinkTags))
			unusedTags = appendChosen(unusedTags, unused)
		}
		if err != nil {
			return err
		}
	}
	unusedLists, err := u.withoutKeptSublists(ctx, unusedLists)
	if err != nil {
		return err
	}
	if err := table.InBatches(ctx, unusedLists, func(ids []int64) error { return u.removeUnused(ctx, waymark.Lists, ids) }); err != nil {
		return err
	}
	return table.InBatches(ctx, unusedTags, func(ids []int64) error { return u.removeUnused(ctx, waymark.Tags, ids) })
}

func appendChosen(ids []int64, chosen map[int64]bool) []int64 {
	for id, is := range chosen {
		if is {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
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
	unused = slices.DeleteFunc(slices.Clone(unused), func(id int64) bool { return gone[id] })
	if len(unused) == 0 {
		return nil
	}
	u.note(kind, unused, setOf(unused))
	return u.s.moveToTrash(ctx, u.q, kind, unused)
}

// withoutKeptSublists returns the lists among ids that contain only lists among them, the innermost first.
func (u *reverter) withoutKeptSublists(ctx context.Context, ids []int64) ([]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	t, err := readListTree(ctx, u.q, u.user)
	if err != nil {
		return nil, err
	}
	chosen, kept := setOf(ids), map[waymark.ListID]bool{}
	for _, l := range t.lists {
		for above := l; !chosen[int64(l.id)] && above != nil && !kept[above.id]; above = t.lists[above.at.Parent] {
			kept[above.id] = true
		}
	}
	removed := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return kept[waymark.ListID(id)] })
	slices.SortStableFunc(removed, func(a, b int64) int {
		return cmp.Compare(t.depth(t.lists[waymark.ListID(b)]), t.depth(t.lists[waymark.ListID(a)]))
	})
	return removed, nil
}
