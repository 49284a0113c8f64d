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
// returns waymark.ErrNotFound if one of the tags is not active, and the error of permit. The limit
// of the tags of a link does not apply: a merge adds no active tag to a link. If one of the others
// is restored, a link can have more tags than the limit, and keeps them.
func (s *Store) MergeTags(ctx context.Context, editor waymark.UserID, into waymark.TagID, others []waymark.TagID, permit waymark.Permit) (moved int, err error) {
	from := table.Unique(table.PlainIDs(others))
	from = slices.DeleteFunc(from, func(id int64) bool { return id == int64(into) })
	err = s.bulk(ctx, editor, s.writeTx, func(ctx context.Context, q database.Querier) error {
		if err := table.LockUser(ctx, q, editor); err != nil {
			return err
		}
		all := append(slices.Clone(from), int64(into))
		owners, err := activeOwners(ctx, q, waymark.Tags, all)
		if err != nil {
			return err
		}
		for _, id := range all {
			owner, ok := owners[id]
			if !ok {
				return waymark.ErrNotFound
			}
			if err := permit(owner); err != nil {
				return err
			}
		}
		if len(from) == 0 {
			return nil
		}
		slices.Sort(all)
		if locked, err := lockActive(ctx, q, waymark.Tags, all); err != nil || len(locked) < len(all) {
			return cmp.Or(err, waymark.ErrNotFound)
		}
		if moved, err = s.attachInstead(ctx, q, int64(into), from); err != nil {
			return err
		}
		return s.moveToTrash(ctx, ctx, q, waymark.Tags, from)
	})
	return moved, err
}

// attachInstead attaches a tag to all links with one of the other tags, and returns the number of
// active links.
func (s *Store) attachInstead(ctx context.Context, q database.Querier, into int64, others []int64) (moved int, err error) {
	a := q.Args()
	if moved, err = database.QueryOne(ctx, q, database.ScanValue[int], `
		SELECT count(DISTINCT m.link_id)
		FROM link_tags AS m`+database.JoinInOrder+`links AS l
		WHERE m.tag_id `+database.In(a, others)+` AND l.id = m.link_id AND l.visible_to IS NOT NULL`, a.Values...); err != nil {
		return 0, err
	}
	a = q.Args(into)
	attached, err := returnPairs(ctx, q, &query.LinkTags, `
		INSERT INTO link_tags (link_id, tag_id)
		SELECT DISTINCT link_id, CAST($1 AS BIGINT)
		FROM link_tags
		WHERE tag_id `+database.In(a, others)+`
		ON CONFLICT DO NOTHING`, a.Values...)
	if err != nil {
		return 0, err
	}
	s.recordPairs(&query.LinkTags, attached, nil, nil)
	return moved, nil
}
