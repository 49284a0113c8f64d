package store

import (
	"context"
	"slices"

	"waymark/internal/waymark"
)

// EditLinks changes those of the links that are the editor's own, in one change.
// It returns an entry for each active link in the order asked: the changed link,
// or nil where it is another's.
func (s *Store) EditLinks(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) ([]*waymark.Link, error) {
	return bulkUpdate(ctx, s, &links, editor.ID, ids, edit, func(ctx context.Context, q querier, own []int64) error {
		mine := make([]waymark.LinkID, len(own))
		for i, id := range own {
			mine[i] = waymark.LinkID(id)
		}
		if err := s.setAttachments(ctx, q, linkLists, editor, mine, edit.Lists, edit.ReplaceLists); err != nil {
			return err
		}
		return s.setAttachments(ctx, q, linkTags, editor, mine, edit.Tags, edit.ReplaceTags)
	})
}

// EditLists does the same for lists.
func (s *Store) EditLists(ctx context.Context, editor waymark.UserID, ids []int64, edit waymark.BulkEdit) ([]*waymark.List, error) {
	return bulkUpdate(ctx, s, &lists, editor, ids, edit, nil)
}

// EditTags does the same for tags.
func (s *Store) EditTags(ctx context.Context, editor waymark.UserID, ids []int64, edit waymark.BulkEdit) ([]*waymark.Tag, error) {
	return bulkUpdate(ctx, s, &tags, editor, ids, edit, nil)
}

func bulkUpdate[T any](ctx context.Context, s *Store, k *entityTable[T], editor waymark.UserID, ids []int64, edit waymark.BulkEdit,
	also func(ctx context.Context, q querier, own []int64) error,
) ([]*T, error) {
	var edited []*T
	err := s.change(ctx, func(ctx context.Context, q querier) error {
		found, err := getActiveByID(ctx, q, k, ids)
		if err != nil {
			return err
		}
		var own []int64
		for id, entry := range found {
			if editor.MayEdit(k.owner(&entry)) {
				own = append(own, id)
			}
		}
		slices.Sort(own)
		a := q.args(s.now(), edit.ApplyVisibility(waymark.Public), edit.ApplyVisibility(waymark.Internal), edit.ApplyVisibility(waymark.Private))
		if _, err := q.exec(ctx, `
			UPDATE `+k.table+`
			SET visibility = CASE visibility WHEN 1 THEN CAST($2 AS INTEGER) WHEN 2 THEN CAST($3 AS INTEGER) ELSE CAST($4 AS INTEGER) END,
				updated_at = $1
			WHERE id `+in(a, own), a.values...); err != nil {
			return err
		}
		if also != nil {
			if err := also(ctx, q, own); err != nil {
				return err
			}
		}
		changed, err := getActiveByID(ctx, q, k, own)
		if err != nil {
			return err
		}
		edited = []*T{}
		for _, id := range ids {
			if _, ok := found[id]; !ok {
				continue // unknown, in the trash, or here for the second time
			}
			delete(found, id)
			entry, ok := changed[id]
			if !ok {
				edited = append(edited, nil)
				continue
			}
			edited = append(edited, &entry)
		}
		for some := range slices.Chunk(edited, chunk) {
			if err := k.loadAll(ctx, q, editor, some); err != nil {
				return err
			}
		}
		return nil
	})
	return edited, err
}

// getActiveByID returns the active entries among ids, by id.
func getActiveByID[T any](ctx context.Context, q querier, k *entityTable[T], ids []int64) (map[int64]T, error) {
	found := make(map[int64]T, len(ids))
	a := q.args()
	for entry, err := range queryEach(ctx, q, k.scan, `
		SELECT `+k.columns+`
		FROM `+k.table+` AS e
		WHERE e.id `+in(a, unique(ids))+` AND e.shelf IS NOT NULL
		ORDER BY e.id`+q.rowLock, a.values...) {
		if err != nil {
			return nil, err
		}
		found[k.id(&entry)] = entry
	}
	return found, nil
}

// loadAll completes entries that stand among nils.
func (k *entityTable[T]) loadAll(ctx context.Context, q querier, viewer waymark.UserID, entries []*T) error {
	if k.newLoader == nil {
		return nil
	}
	var all []T
	for _, entry := range entries {
		if entry != nil {
			all = append(all, *entry)
		}
	}
	if err := k.newLoader()(ctx, q, viewer, all); err != nil {
		return err
	}
	for _, entry := range entries {
		if entry != nil {
			*entry, all = all[0], all[1:]
		}
	}
	return nil
}
