package store

import (
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// Lists lists the lists that viewer sees.
func (s *Store) Lists(viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.List] {
	return newPlainListing(s, &lists, viewer, order, pagination)
}

// List returns an active list. It returns waymark.ErrNotFound if there is no such list,
// and waymark.ErrForbidden if viewer may not see it.
func (s *Store) List(ctx context.Context, viewer waymark.UserID, id waymark.ListID) (waymark.List, error) {
	return lists.getVisible(ctx, s.db.Querier(), viewer, int64(id))
}

// ListsNamed returns the ids of the active lists of owner that have a name, without regard to case,
// the oldest first.
func (s *Store) ListsNamed(ctx context.Context, owner waymark.UserID, name string) ([]waymark.ListID, error) {
	if !storableText(name) {
		return nil, nil
	}
	ids, err := database.QueryAll(ctx, s.db.Querier(), database.ScanValue[waymark.ListID], `
		SELECT id
		FROM lists
		WHERE user_id = $1 AND name_folded = $2 AND visible_to IS NOT NULL`, owner, waymark.Fold(name))
	slices.Sort(ids)
	return ids, err
}

// CreateLists creates lists of owner, all or none.
func (s *Store) CreateLists(ctx context.Context, owner waymark.UserID, drafts []waymark.List) ([]waymark.List, error) {
	request := ctx
	var created []waymark.List
	err := s.bulkIf(ctx, len(drafts) > 1, owner, s.writeTx, func(ctx context.Context, q database.Querier) error {
		if err := lockUser(ctx, q, owner); err != nil {
			return err
		}
		now := s.now()
		created = make([]waymark.List, len(drafts))
		for i, list := range drafts {
			list.Owner, list.CreatedAt, list.UpdatedAt = owner, now, now
			created[i] = list
		}
		ids, err := insertBatches[waymark.ListID](ctx, request, q, &lists.table, created)
		for i, id := range ids {
			created[i].ID = id
		}
		s.recordCreated(undo.IDs{Kind: waymark.Lists, At: now, IDs: plainIDs(ids)})
		return err
	})
	return created, err
}

// ChangeList updates an active list with the function change. If change returns an
// error, nothing is stored.
func (s *Store) ChangeList(ctx context.Context, editor waymark.UserID, id waymark.ListID, change func(*waymark.List) error) (waymark.List, error) {
	var list waymark.List
	err := s.writeTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		if err := lockUser(ctx, q, editor); err != nil {
			return err
		}
		if list, err = lists.getActive(ctx, q, int64(id)); err != nil {
			return err
		}
		before := list
		if err := change(&list); err != nil {
			return err
		}
		list.UpdatedAt = s.now()
		if err := lists.update(ctx, q, int64(id), &list); err != nil {
			return err
		}
		s.record(func(r *undo.Record) { r.Lists = append(r.Lists, undo.Row[waymark.List]{Before: before, After: list}) })
		return nil
	})
	return list, err
}
