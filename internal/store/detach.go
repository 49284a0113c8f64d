package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// RemoveFromList removes an active link from an active list, if permit accepts the owner of
// the link or that of the list. Otherwise it returns the error of permit. It returns
// waymark.ErrNotFound if there is no such link or list, or if the link is not in the list.
func (s *Store) RemoveFromList(ctx context.Context, list waymark.ListID, link waymark.LinkID, permit waymark.Permit) error {
	return s.detach(ctx, &query.LinkLists, int64(list), link, permit)
}

// RemoveTag is RemoveFromList for tags.
func (s *Store) RemoveTag(ctx context.Context, tag waymark.TagID, link waymark.LinkID, permit waymark.Permit) error {
	return s.detach(ctx, &query.LinkTags, int64(tag), link, permit)
}

func (s *Store) detach(ctx context.Context, assoc *query.Association, id int64, link waymark.LinkID, permit waymark.Permit) error {
	type owners struct{ ofLink, ofLabel waymark.UserID }
	scan := func(rows *sql.Rows, o *owners) error { return rows.Scan(&o.ofLink, &o.ofLabel) }
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		o, err := database.QueryOne(ctx, q, scan, `
			SELECT l.user_id, e.user_id
			FROM links AS l
			CROSS JOIN `+assoc.Entities+` AS e
			WHERE l.id = $1 AND l.visible_to IS NOT NULL AND e.id = $2 AND e.visible_to IS NOT NULL`, link, id)
		if err != nil {
			return err
		}
		// First, so that other users do not learn whether the link is in the list.
		if permit(o.ofLink) != nil {
			if err := permit(o.ofLabel); err != nil {
				return err
			}
		}
		if err := table.OrNotFound(q.Exec(ctx, `
			DELETE FROM `+assoc.Table+`
			WHERE link_id = $1 AND `+assoc.Column+` = $2`, link, id)); err != nil {
			return err
		}
		if err := s.recordPairs(assoc, nil, [][2]int64{{int64(link), id}}); err != nil || permit(o.ofLink) != nil {
			return err
		}
		return s.touchLinks(ctx, q, o.ofLink, []int64{int64(link)}) // so that the undo of an import keeps it
	})
}
