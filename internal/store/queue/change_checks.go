package queue

import (
	"context"
	"errors"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// LinkChecks returns what checks have found about a link that viewer sees. It is empty if the link
// was not checked yet. The next check is not due before the host may be requested again. It returns
// waymark.ErrNotFound if there is no such link, and waymark.ErrForbidden if viewer may not see it.
func (s *Store) LinkChecks(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (waymark.LinkChecks, error) {
	q := s.db.Querier()
	link, err := table.Links.GetVisible(ctx, q, viewer, int64(id))
	if err != nil {
		return waymark.LinkChecks{}, err
	}
	check, err := getLinkCheck(ctx, q, id)
	if errors.Is(err, waymark.ErrNotFound) {
		return waymark.LinkChecks{}, nil
	}
	if err != nil {
		return waymark.LinkChecks{}, err
	}
	busyUntil, err := database.QueryOne(ctx, q, database.ScanValue[waymark.Time], `
		SELECT coalesce(max(next_at), 0)
		FROM fetch_hosts
		WHERE host = $1`, waymark.Host(link.URL))
	check.DueAt = max(check.DueAt, busyUntil)
	return check.LinkChecks, err
}

// ChangeChecks changes what was found about an active link of the user's own, and its status.
func (s *Store) ChangeChecks(ctx context.Context, user waymark.User, id waymark.LinkID, change func(*waymark.Link, *waymark.LinkChecks)) error {
	return s.changeChecks(ctx, user.ID, id, func(link *waymark.Link, checks *waymark.LinkChecks) error {
		if err := user.MayWrite(waymark.Target{Kind: waymark.Links, Owner: link.Owner}); err != nil {
			return err
		}
		change(link, checks)
		return nil
	})
}

// changeChecks changes what was found about an active link, and its status.
func (s *Store) changeChecks(ctx context.Context, owner waymark.UserID, id waymark.LinkID, change func(*waymark.Link, *waymark.LinkChecks) error) error {
	return table.UserTx(ctx, s.db, owner, func(ctx context.Context, q database.Querier) error {
		link, err := table.Links.GetActive(ctx, q, int64(id))
		if err != nil {
			return err
		}
		check, err := getLinkCheck(ctx, q, id)
		if errors.Is(err, waymark.ErrNotFound) {
			check.link, check.owner, err = id, link.Owner, nil
		}
		if err != nil {
			return err
		}
		before := link.Status
		if err := change(&link, &check.LinkChecks); err != nil {
			return err
		}
		if link.Status != before {
			if err := table.Links.Update(ctx, q, int64(id), &link); err != nil {
				return err
			}
		}
		return putLinkCheck(ctx, q, check)
	})
}
