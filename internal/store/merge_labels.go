package store

import (
	"cmp"
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// MergeTags attaches a tag to all links with one of the other tags, and moves these to the trash.
// They keep their links there. It returns the number of active links that had one of them. It
// returns waymark.ErrNotFound if one of the tags is not active, and waymark.ErrForbidden. The limit
// of the tags of a link does not apply: a merge adds no active tag to a link. If one of the others
// is restored, a link can have more tags than the limit, and keeps them.
func (s *Store) MergeTags(ctx context.Context, editor waymark.User, into waymark.TagID, others []waymark.TagID) (moved int, err error) {
	return s.mergeLabels(ctx, editor, &query.LinkTags, int64(into), table.PlainIDs(others), nil)
}

// MergeLists puts all links of other lists into a list, as MergeTags does, and their sublists, too, after its
// own. It returns a waymark.ValidationError if the sublists would be too deep there.
func (s *Store) MergeLists(ctx context.Context, editor waymark.User, into waymark.ListID, others []waymark.ListID) (moved int, err error) {
	return s.mergeLabels(ctx, editor, &query.LinkLists, int64(into), table.PlainIDs(others), func(ctx context.Context, q database.Querier, from []int64) error {
		t, err := readListTree(ctx, q, editor.ID)
		if err != nil {
			return err
		}
		for _, id := range from {
			if err := t.merge(into, waymark.ListID(id)); err != nil {
				return err
			}
		}
		return s.saveTree(ctx, q, t)
	})
}

// merge moves the sublists of a list into another one. If that one stands in the list, it takes its place.
func (t *listTree) merge(into, from waymark.ListID) error {
	if t.lists[from] == nil || t.lists[into] == nil {
		return waymark.ErrNotFound
	}
	if t.isBelow(into, map[waymark.ListID]bool{from: true}) {
		if err := t.move(into, waymark.ListPlace{Parent: t.lists[from].at.Parent, Before: from}); err != nil {
			return err
		}
	}
	for _, sublist := range slices.Clone(t.sublists[from]) {
		if err := t.move(sublist.id, waymark.ListPlace{Parent: into}); err != nil {
			return err
		}
	}
	return nil
}

// mergeLabels attaches a list or tag to all links with one of the others, calls before with the ids of these, unless
// it is nil, and moves them to the trash.
func (s *Store) mergeLabels(ctx context.Context, editor waymark.User, assoc *query.Association, into int64, others []int64,
	before func(ctx context.Context, q database.Querier, from []int64) error,
) (moved int, err error) {
	from := slices.DeleteFunc(table.Unique(others), func(id int64) bool { return id == into })
	kind := assoc.Kind
	err = s.bulk(ctx, editor.ID, func(ctx context.Context, q database.Querier) error {
		all := append(slices.Clone(from), into)
		if err := permitAll(ctx, q, editor, kind, all); err != nil || len(from) == 0 {
			return err
		}
		slices.Sort(all)
		if locked, err := lockActive(ctx, q, kind, all); err != nil || len(locked) < len(all) {
			return cmp.Or(err, waymark.ErrNotFound)
		}
		if moved, err = s.attachInstead(ctx, q, assoc, editor.ID, into, from); err != nil {
			return err
		}
		if before != nil {
			if err := before(ctx, q, from); err != nil {
				return err
			}
		}
		return s.moveToTrash(ctx, q, kind, from)
	})
	return moved, err
}

// attachInstead attaches a list or tag to the links of others, and counts the active links. For the editors of the list,
// the editor has put only their own links there.
func (s *Store) attachInstead(ctx context.Context, q database.Querier, assoc *query.Association, editor waymark.UserID, into int64, others []int64) (moved int, err error) {
	a := q.Args()
	if moved, err = database.QueryOne(ctx, q, database.ScanValue[int], `
		SELECT count(DISTINCT m.link_id)
		FROM `+assoc.Table+` AS m`+database.JoinInOrder+`links AS l
		WHERE m.`+assoc.Column+` `+database.In(a, others)+` AND l.id = m.link_id AND l.visible_to IS NOT NULL`, a.Values...); err != nil {
		return 0, err
	}
	column, bySaver := "", ""
	a = q.Args(into)
	if assoc.Kind == waymark.Lists {
		column, bySaver = ", by_saver", ", EXISTS (SELECT 1 FROM links AS l WHERE l.id = link_id AND l.user_id = "+a.Add(editor)+")"
	}
	attached, err := returnPairs(ctx, q, assoc, `
		INSERT INTO `+assoc.Table+` (link_id, `+assoc.Column+column+`)
		SELECT DISTINCT link_id, CAST($1 AS BIGINT)`+bySaver+`
		FROM `+assoc.Table+`
		WHERE `+assoc.Column+` `+database.In(a, others)+`
		ON CONFLICT DO NOTHING`, a.Values...)
	if err != nil {
		return 0, err
	}
	return moved, s.recordPairs(assoc, pairsOf(attached), nil)
}
