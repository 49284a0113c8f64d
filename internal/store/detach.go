package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// RemoveFromList removes an active link from an active list. The owner of the link may do that, and the owner and the
// editors of the list, these if they see the link. For others it is waymark.ErrForbidden. It returns
// waymark.ErrNotFound if there is no such link or list, or if the link is not in the list.
func (s *Store) RemoveFromList(ctx context.Context, user waymark.User, list waymark.ListID, link waymark.LinkID) error {
	return s.detach(ctx, &query.LinkLists, user, int64(list), link)
}

// RemoveTag removes an active link from an active tag. The owners of both may do that.
func (s *Store) RemoveTag(ctx context.Context, user waymark.User, tag waymark.TagID, link waymark.LinkID) error {
	return s.detach(ctx, &query.LinkTags, user, int64(tag), link)
}

func (s *Store) detach(ctx context.Context, assoc *query.Association, user waymark.User, id int64, link waymark.LinkID) error {
	type found struct {
		ofLink, ofLabel waymark.UserID
		visibility      waymark.Visibility
	}
	scan := func(rows *sql.Rows, f *found) error { return rows.Scan(&f.ofLink, &f.visibility, &f.ofLabel) }
	return s.userTx(ctx, user.ID, func(ctx context.Context, q database.Querier) error {
		f, err := database.QueryOne(ctx, q, scan, `
			SELECT l.user_id, l.visibility, e.user_id
			FROM links AS l
			CROSS JOIN `+assoc.Entities+` AS e
			WHERE l.id = $1 AND l.visible_to IS NOT NULL AND e.id = $2 AND e.visible_to IS NOT NULL`, link, id)
		if err != nil {
			return err
		}
		// First, so that other users do not learn whether the link is in the list.
		isOwn := user.MayWrite(waymark.Target{Kind: waymark.Links, Owner: f.ofLink}) == nil
		if !isOwn {
			target := waymark.Target{Kind: assoc.Kind, Owner: f.ofLabel}
			if assoc.Kind == waymark.Lists && user.ID.MaySee(f.ofLink, f.visibility) {
				targets, err := s.listTargets(ctx, q, user.ID, []int64{id})
				if err != nil {
					return err
				}
				target.Part, target.Editor = waymark.Content, targets[id].Editor
			}
			if err := user.MayWrite(target); err != nil {
				return err
			}
		}
		detached, err := returnPairs(ctx, q, assoc, `
			DELETE FROM `+assoc.Table+`
			WHERE link_id = $1 AND `+assoc.Column+` = $2`, link, id)
		switch {
		case err != nil:
			return err
		case len(detached) == 0:
			return waymark.ErrNotFound
		}
		if assoc.Kind == waymark.Lists {
			if err := s.noteFiled(ctx, q, user.ID, !isOwn, filed{taken: detached}); err != nil {
				return err
			}
		}
		if err := s.recordPairs(assoc, nil, detached); err != nil || !isOwn {
			return err
		}
		return s.touchLinks(ctx, q, f.ofLink, []int64{int64(link)}) // so that the undo of an import keeps it
	})
}
