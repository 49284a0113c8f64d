package store

import (
	"context"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// EditLinks makes one change to the active links of editor among ids. It returns
// these links in the order of ids, each once, or a waymark.ValidationError if a limit is
// exceeded.
func (s *Store) EditLinks(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) (Changed[waymark.Link], error) {
	if err := waymark.CheckPairs(len(ids) * (len(edit.Lists) + len(edit.Tags))); err != nil {
		return Changed[waymark.Link]{}, err
	}
	var done, ofOthers filed
	edited, err := bulkUpdate(ctx, s, waymark.Links, linkRows, editor, ids, edit, func(ctx context.Context, q database.Querier, permitted []int64) error {
		inLists, err := s.setAttachments(ctx, q, &query.LinkLists, editor, permitted, false, edit.Lists, edit.ListsMode, waymark.MaxLinkLists)
		_, tagsErr := s.setAttachments(ctx, q, &query.LinkTags, editor, permitted, false, edit.Tags, edit.TagsMode, waymark.MaxLinkTags)
		done.add(inLists)
		return waymark.JoinInvalid(err, tagsErr)
	}, func(ctx context.Context, q database.Querier, rest []int64) (more []int64, err error) {
		if edit.FilesOnly() {
			if ofOthers, err = s.fileOthers(ctx, q, editor, rest, edit); err != nil {
				return nil, err
			}
		}
		if err := s.noteFiled(ctx, q, editor.ID, false, done); err != nil {
			return nil, err
		}
		return linksOf(pairsOf(append(ofOthers.put, ofOthers.taken...))), s.noteFiled(ctx, q, editor.ID, true, ofOthers)
	})
	return edited, err
}

// fileOthers puts those links of others that the editor sees into lists that they edit, or takes them out.
func (s *Store) fileOthers(ctx context.Context, q database.Querier, editor waymark.User, ids []int64, edit waymark.BulkEdit) (done filed, err error) {
	return done, table.InBatches(ctx, ids, func(ids []int64) error {
		a := q.Args()
		visible, err := database.QueryAll(ctx, q, database.ScanValue[int64], `
			SELECT e.id
			FROM links AS e
			WHERE e.id `+database.In(a, ids)+` AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), editor.ID)+`
			ORDER BY e.id`, a.Values...)
		if err != nil {
			return err
		}
		batch, err := s.setAttachments(ctx, q, &query.LinkLists, editor, visible, true, edit.Lists, edit.ListsMode, waymark.MaxLinkLists)
		done.add(batch)
		return err
	})
}

// EditLists makes one change to lists, like EditLinks.
func (s *Store) EditLists(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) (Changed[waymark.List], error) {
	return bulkUpdate(ctx, s, waymark.Lists, lists.byID, editor, ids, edit, nil, nil)
}

// EditTags makes one change to tags, like EditLinks.
func (s *Store) EditTags(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) (Changed[waymark.Tag], error) {
	return bulkUpdate(ctx, s, waymark.Tags, tags.byID, editor, ids, edit, nil, nil)
}

// bulkUpdate changes the visibility of the permitted entities, and calls extra, unless it
// is nil, to change what is in other tables. It calls extra also if none is permitted, so that
// extra rejects what it would reject otherwise. At the end it calls others, unless it is nil, with the other active
// entities, which returns those that it has changed.
func bulkUpdate[T any](ctx context.Context, s *Store, kind waymark.EntityKind, rows func(visible condition) reader[T], editor waymark.User, ids []int64, edit waymark.BulkEdit,
	extra func(ctx context.Context, q database.Querier, permitted []int64) error,
	others func(ctx context.Context, q database.Querier, rest []int64) ([]int64, error),
) (Changed[T], error) {
	var edited Changed[T]
	err := s.bulk(ctx, editor.ID, func(ctx context.Context, q database.Querier) error {
		owners, err := activeOwners(ctx, q, kind, ids)
		if err != nil {
			return err
		}
		permitted, err := lockActive(ctx, q, kind, permittedIDs(editor, kind, owners))
		if err != nil {
			return err
		}
		if len(permitted) == 0 && extra != nil {
			if err := extra(ctx, q, nil); err != nil {
				return err
			}
		}
		now := s.now()
		changed := permitted
		if err := table.InBatches(ctx, permitted, func(ids []int64) error {
			if err := s.recordedEntities(ctx, q, kind, ids, func() error {
				a := q.Args(now, edit.ApplyVisibility(waymark.Public), edit.ApplyVisibility(waymark.Internal), edit.ApplyVisibility(waymark.Private))
				if _, err := q.Exec(ctx, `
				UPDATE `+kind.String()+`
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
		}); err != nil {
			return err
		}
		if others != nil {
			is := setOf(permitted)
			more, err := others(ctx, q, slices.DeleteFunc(slices.Sorted(maps.Keys(owners)), func(id int64) bool { return is[id] }))
			if err != nil {
				return err
			}
			changed = append(slices.Clip(changed), more...)
		}
		edited = Changed[T]{viewer: editor.ID, ids: inOrderOf(ids, changed), rows: rows}
		return nil
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
