package store

import (
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// EditLinks makes one change to the links that are permitted. It returns one element for each
// active link, in the order of ids: the changed link, or nil if it is not permitted.
func (s *Store) EditLinks(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit, permit Permit) ([]*waymark.Link, error) {
	return bulkUpdate(ctx, s, &links, editor.ID, ids, edit, permit, func(ctx context.Context, q database.Querier, permitted []int64) error {
		linkIDs := make([]waymark.LinkID, len(permitted))
		for i, id := range permitted {
			linkIDs[i] = waymark.LinkID(id)
		}
		if err := s.setAttachments(ctx, q, &query.LinkLists, editor, linkIDs, edit.Lists, edit.ReplaceLists); err != nil {
			return err
		}
		return s.setAttachments(ctx, q, &query.LinkTags, editor, linkIDs, edit.Tags, edit.ReplaceTags)
	})
}

// EditLists makes one change to the lists that are permitted, like EditLinks.
func (s *Store) EditLists(ctx context.Context, editor waymark.UserID, ids []int64, edit waymark.BulkEdit, permit Permit) ([]*waymark.List, error) {
	return bulkUpdate(ctx, s, &lists, editor, ids, edit, permit, nil)
}

// EditTags makes one change to the tags that are permitted, like EditLinks.
func (s *Store) EditTags(ctx context.Context, editor waymark.UserID, ids []int64, edit waymark.BulkEdit, permit Permit) ([]*waymark.Tag, error) {
	return bulkUpdate(ctx, s, &tags, editor, ids, edit, permit, nil)
}

// bulkUpdate changes the visibility of the permitted entities, and calls extra, unless it
// is nil, to change what is in other tables.
func bulkUpdate[T any](ctx context.Context, s *Store, t *entityTable[T], editor waymark.UserID, ids []int64, edit waymark.BulkEdit, permit Permit,
	extra func(ctx context.Context, q database.Querier, permitted []int64) error,
) ([]*T, error) {
	var edited []*T
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		found, err := t.getActiveByID(ctx, q, ids)
		if err != nil {
			return err
		}
		var permitted []int64
		for id, entity := range found {
			if permit(t.ownerOf(&entity)) == nil {
				permitted = append(permitted, id)
			}
		}
		slices.Sort(permitted)
		a := q.Args(s.now(), edit.ApplyVisibility(waymark.Public), edit.ApplyVisibility(waymark.Internal), edit.ApplyVisibility(waymark.Private))
		if _, err := q.Exec(ctx, `
			UPDATE `+t.name+`
			SET visibility = CASE visibility WHEN 1 THEN CAST($2 AS INTEGER) WHEN 2 THEN CAST($3 AS INTEGER) ELSE CAST($4 AS INTEGER) END,
				updated_at = $1
			WHERE id `+database.In(a, permitted), a.Values...); err != nil {
			return err
		}
		if extra != nil {
			if err := extra(ctx, q, permitted); err != nil {
				return err
			}
		}
		changed, err := t.getActiveByID(ctx, q, permitted)
		if err != nil {
			return err
		}
		edited = []*T{}
		for _, id := range ids {
			if _, ok := found[id]; !ok {
				continue // no active entity, or a repeated id
			}
			delete(found, id)
			entity, ok := changed[id]
			if !ok {
				edited = append(edited, nil)
				continue
			}
			edited = append(edited, &entity)
		}
		for batch := range slices.Chunk(edited, query.BatchSize) {
			if err := loadEdited(ctx, q, loaderFor(s, t, len(batch)), editor, batch); err != nil {
				return err
			}
		}
		return nil
	})
	return edited, err
}

// loadEdited completes the result of a bulk edit, in which entities that are not permitted
// are nil.
func loadEdited[T any](ctx context.Context, q database.Querier, load loader[T], viewer waymark.UserID, edited []*T) error {
	var entities []T
	for _, entity := range edited {
		if entity != nil {
			entities = append(entities, *entity)
		}
	}
	if err := load(ctx, q, viewer, entities); err != nil {
		return err
	}
	for _, entity := range edited {
		if entity != nil {
			*entity, entities = entities[0], entities[1:]
		}
	}
	return nil
}
