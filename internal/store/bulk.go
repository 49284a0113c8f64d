package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// EditLinks makes one change to the active links among ids that are permitted. It returns
// these links in the order of ids, each once, or a waymark.ValidationError if a limit is
// exceeded.
func (s *Store) EditLinks(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit, permit waymark.Permit) (Changed[waymark.Link], error) {
	if err := waymark.CheckPairs(len(ids) * (len(edit.Lists) + len(edit.Tags))); err != nil {
		return Changed[waymark.Link]{}, err
	}
	return bulkUpdate(ctx, s, waymark.Links, linkRows, editor.ID, ids, edit, permit, func(ctx context.Context, q database.Querier, permitted []int64) error {
		return waymark.JoinInvalid(
			s.setAttachments(ctx, q, &query.LinkLists, editor, permitted, edit.Lists, edit.ListsMode),
			s.setAttachments(ctx, q, &query.LinkTags, editor, permitted, edit.Tags, edit.TagsMode))
	})
}

// EditLists makes one change to the lists that are permitted, like EditLinks.
func (s *Store) EditLists(ctx context.Context, editor waymark.UserID, ids []int64, edit waymark.BulkEdit, permit waymark.Permit) (Changed[waymark.List], error) {
	return bulkUpdate(ctx, s, waymark.Lists, lists.plainRows, editor, ids, edit, permit, nil)
}

// EditTags makes one change to the tags that are permitted, like EditLinks.
func (s *Store) EditTags(ctx context.Context, editor waymark.UserID, ids []int64, edit waymark.BulkEdit, permit waymark.Permit) (Changed[waymark.Tag], error) {
	return bulkUpdate(ctx, s, waymark.Tags, tags.plainRows, editor, ids, edit, permit, nil)
}

// bulkUpdate changes the visibility of the permitted entities, and calls extra, unless it
// is nil, to change what is in other tables. It calls extra also if none is permitted, so that
// extra rejects what it would reject otherwise.
func bulkUpdate[T any](ctx context.Context, s *Store, kind waymark.EntityKind, rows func(n int, visible condition) reader[T], editor waymark.UserID, ids []int64, edit waymark.BulkEdit, permit waymark.Permit,
	extra func(ctx context.Context, q database.Querier, permitted []int64) error,
) (Changed[T], error) {
	var edited Changed[T]
	err := s.bulk(ctx, editor, func(ctx context.Context, q database.Querier) error {
		owners, err := activeOwners(ctx, q, kind, ids)
		if err != nil {
			return err
		}
		permitted, err := lockActive(ctx, q, kind, permittedIDs(owners, permit))
		if err != nil {
			return err
		}
		if len(permitted) == 0 && extra != nil {
			if err := extra(ctx, q, nil); err != nil {
				return err
			}
		}
		now := s.now()
		edited = Changed[T]{store: s, viewer: editor, ids: inOrderOf(ids, permitted), rows: rows}
		return table.InBatches(ctx, permitted, func(ids []int64) error {
			if err := s.recordedEntities(ctx, q, kind, ids, func() error {
				a := q.Args(now, edit.ApplyVisibility(waymark.Public), edit.ApplyVisibility(waymark.Internal), edit.ApplyVisibility(waymark.Private))
				if _, err := q.Exec(ctx, `
				UPDATE `+tableOf(kind)+`
				SET visibility = CASE visibility WHEN 1 THEN CAST($2 AS INTEGER) WHEN 2 THEN CAST($3 AS INTEGER) ELSE CAST($4 AS INTEGER) END,
					updated_at = $1
				WHERE id `+database.In(a, ids), a.Values...); err != nil {
					return err
				}
				return setFlags(ctx, q, ids, edit.FlagsInput)
			}); err != nil || extra == nil {
				return err
			}
			return extra(ctx, q, ids)
		})
	})
	return edited, err
}

// setFlags sets the flags of links that have a value.
func setFlags(ctx context.Context, q database.Querier, ids []int64, flags waymark.FlagsInput) error {
	for _, flag := range flags.Values() {
		a := q.Args(flag.On)
		if _, err := q.Exec(ctx, `
			UPDATE links
			SET `+flag.Flag.String()+` = $1
			WHERE id `+database.In(a, ids)+` AND `+flag.Flag.String()+` <> $1`, a.Values...); err != nil {
			return err
		}
	}
	return nil
}

// inOrderOf returns chosen in the order that ids have, each once.
func inOrderOf(ids, chosen []int64) []int64 {
	left := setOf(chosen)
	ordered := make([]int64, 0, len(chosen))
	for _, id := range ids {
		if left[id] {
			ordered = append(ordered, id)
			delete(left, id)
		}
	}
	return ordered
}
