package store

import (
	"context"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// lockOwners makes the transactions of other users wait who own some entities. A right that depends on their lists is the
// same until the end of this transaction.
func lockOwners(ctx context.Context, q database.Querier, user waymark.UserID, kind waymark.EntityKind, ids []int64) error {
	if q.RowLock() == "" { // no other transaction can run
		return nil
	}
	owners, err := readOwners(ctx, q, kind.String(), ids, "")
	if err != nil {
		return err
	}
	for _, id := range table.Unique(table.PlainIDs(slices.Collect(maps.Values(owners)))) { // in the order of ids, against deadlocks
		if other := waymark.UserID(id); other != user {
			if err := table.LockUser(ctx, q, other); err != nil {
				return err
			}
		}
	}
	return nil
}

// lockedAbove locks the owners of lists, and reads the lists and those above them that the user sees.
func lockedAbove(ctx context.Context, q database.Querier, user waymark.UserID, ids []int64) (listsAbove, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if err := lockOwners(ctx, q, user, waymark.Lists, ids); err != nil {
		return nil, err
	}
	return readListsAbove(ctx, q, user, ids)
}

// listTargets returns what a write of user to the contents of lists needs, by id. Lists that the user does not see are
// missing. It holds until the end of the transaction.
func (s *Store) listTargets(ctx context.Context, q database.Querier, user waymark.UserID, ids []int64) (map[int64]waymark.Target, error) {
	above, err := lockedAbove(ctx, q, user, ids)
	targets := make(map[int64]waymark.Target, len(ids))
	for _, id := range ids {
		if list, ok := above[waymark.ListID(id)]; ok {
			targets[id] = waymark.Target{Kind: waymark.Lists, Owner: list.owner, Part: waymark.Content, Editor: above.isEditor(user, list.ID)}
		}
	}
	return targets, err
}

// textsTarget returns what a write of user to the texts of a link needs, and the first list that gives the right to it,
// zero for none. An editor must see the link.
func (s *Store) textsTarget(ctx context.Context, q database.Querier, user waymark.UserID, link waymark.Link) (target waymark.Target, by waymark.ListID, err error) {
	target = waymark.Target{Kind: waymark.Links, Owner: link.Owner, Part: waymark.Texts}
	if link.Owner == user || !user.MaySee(link.Owner, link.Visibility) {
		return target, 0, nil
	}
	ids, err := database.QueryAll(ctx, q, database.ScanValue[int64], `
		SELECT list_id
		FROM link_lists
		WHERE link_id = $1 AND by_saver
		ORDER BY list_id`, link.ID)
	if err != nil {
		return target, 0, err
	}
	above, err := lockedAbove(ctx, q, user, ids)
	for _, id := range ids {
		if above.isEditor(user, waymark.ListID(id)) {
			target.Editor = true
			return target, waymark.ListID(id), err
		}
	}
	return target, 0, err
}
