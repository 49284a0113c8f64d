package store

import (
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// EditLinks changes those of the links that are the editor's own, in one change.
// It returns an entry for each active link in the order asked: the changed link,
// or nil where it is another's.
func (s *Store) EditLinks(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) ([]*waymark.Link, error) {
	return bulkUpdate(ctx, s, &links, editor.ID, ids, edit, func(ctx context.Context, q database.Querier, own []int64) error {
		mine := make([]waymark.LinkID, len(own))
		for i, id := range own {
			mine[i] = waymark.LinkID(id)
		}
		if err := s.setAttachments(ctx, q, &linkLists, editor, mine, edit.Lists, edit.ReplaceLists); err != nil {
			return err
		}
		return s.setAttachments(ctx, q, &linkTags, editor, mine, edit.Tags, edit.ReplaceTags)
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

func bulkUpdate[T any](ctx context.Context, s *Store, t *entityTable[T], editor waymark.UserID, ids []int64, edit waymark.BulkEdit,
	also func(ctx context.Context, q database.Querier, own []int64) error,
) ([]*T, error) {
	var edited []*T
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		found, err := t.getActiveByID(ctx, q, ids)
		if err != nil {
			return err
		}
		var own []int64
		for id, entry := range found {
			if editor.MayEdit(t.ownerOf(&entry)) {
				own = append(own, id)
			}
		}
		slices.Sort(own)
		a := q.Args(s.now(), edit.ApplyVisibility(waymark.Public), edit.ApplyVisibility(waymark.Internal), edit.ApplyVisibility(waymark.Private))
		if _, err := q.Exec(ctx, `
			UPDATE `+t.name+`
			SET visibility = CASE visibility WHEN 1 THEN CAST($2 AS INTEGER) WHEN 2 THEN CAST($3 AS INTEGER) ELSE CAST($4 AS INTEGER) END,
				updated_at = $1
			WHERE id `+database.In(a, own), a.Values...); err != nil {
			return err
		}
		if also != nil {
			if err := also(ctx, q, own); err != nil {
				return err
			}
		}
		changed, err := t.getActiveByID(ctx, q, own)
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
		for some := range slices.Chunk(edited, batchSize) {
			if err := t.loadAll(ctx, q, editor, some); err != nil {
				return err
			}
		}
		return nil
	})
	return edited, err
}

// loadAll completes entries that stand among nils.
func (t *entityTable[T]) loadAll(ctx context.Context, q database.Querier, viewer waymark.UserID, entries []*T) error {
	if t.newLoader == nil {
		return nil
	}
	var all []T
	for _, entry := range entries {
		if entry != nil {
			all = append(all, *entry)
		}
	}
	if err := t.newLoader(labelCacheSize)(ctx, q, viewer, all); err != nil {
		return err
	}
	for _, entry := range entries {
		if entry != nil {
			*entry, all = all[0], all[1:]
		}
	}
	return nil
}
