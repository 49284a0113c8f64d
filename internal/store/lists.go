package store

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// Lists lists the lists that viewer sees.
func (s *Store) Lists(viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.List] {
	return newPlainListing(s, &lists, viewer, order, pagination)
}

// OwnLists lists the lists of a user's own, by their id.
func (s *Store) OwnLists(owner waymark.UserID) Listing[waymark.List] {
	l := s.Lists(owner, waymark.Order{By: waymark.SortByID}, waymark.Pagination{Limit: math.MaxInt32})
	l.sql = []condition{ownedBy(owner)}
	return l
}

// List returns an active list. It returns waymark.ErrNotFound if there is no such list,
// and waymark.ErrForbidden if viewer may not see it.
func (s *Store) List(ctx context.Context, viewer waymark.UserID, id waymark.ListID) (waymark.List, error) {
	list, err := lists.GetVisible(ctx, s.db.Querier(), viewer, int64(id))
	if err != nil {
		return list, err
	}
	return list, addPaths(ctx, s.db.Querier(), viewer, []*waymark.List{&list})
}

// ListsNamed returns owner's active lists with a name, without regard to case, the oldest first.
func (s *Store) ListsNamed(ctx context.Context, owner waymark.UserID, name string) ([]waymark.ListID, error) {
	if !table.StorableText(name) {
		return nil, nil
	}
	ids, err := database.QueryAll(ctx, s.db.Querier(), database.ScanValue[waymark.ListID], `
		SELECT id
		FROM lists
		WHERE user_id = $1 AND name_folded = $2 AND visible_to IS NOT NULL`, owner, waymark.Fold(name))
	slices.Sort(ids)
	return ids, err
}

// CreateList creates a list of owner.
func (s *Store) CreateList(ctx context.Context, owner waymark.UserID, draft waymark.List) (list waymark.List, err error) {
	created, err := s.CreateLists(ctx, owner, []waymark.List{draft})
	if err == nil {
		list = created[0]
	}
	return list, err
}

// CreateLists creates many lists of owner, all or none.
func (s *Store) CreateLists(ctx context.Context, owner waymark.UserID, drafts []waymark.List) (created []waymark.List, err error) {
	err = s.bulkIf(ctx, len(drafts) > 1, owner, func(ctx context.Context, q database.Querier) (err error) {
		created, err = s.insertLists(ctx, q, owner, drafts)
		return err
	})
	return created, err
}

// insertLists inserts new lists. One in a list of another user that owner edits belongs to that user, who alone decides
// who sees it: it is as visible as its parent.
func (s *Store) insertLists(ctx context.Context, q database.Querier, owner waymark.UserID, drafts []waymark.List) ([]waymark.List, error) {
	created := slices.Clone(drafts)
	var parents []int64
	for _, list := range created {
		parents = append(parents, int64(list.Parent))
	}
	above, err := lockedAbove(ctx, q, owner, table.Unique(parents))
	if err != nil {
		return nil, err
	}
	now, byOwner := s.now(), map[waymark.UserID][]int{}
	for i := range created {
		list := &created[i]
		list.Owner, list.CreatedAt, list.UpdatedAt = owner, now, now
		if parent, ok := above[list.Parent]; ok && parent.owner != owner {
			target := waymark.Target{Kind: waymark.Lists, Owner: parent.owner, Part: waymark.Content, Editor: above.isEditor(owner, parent.ID)}
			if (waymark.User{ID: owner}).MayWrite(target) == nil {
				list.Owner, list.Visibility = parent.owner, parent.visibility
			}
		}
		byOwner[list.Owner] = append(byOwner[list.Owner], i)
	}
	if err := placeNewOf(ctx, q, created, byOwner); err != nil {
		return nil, err
	}
	ids, err := table.InsertBatches[waymark.ListID](ctx, q, &lists.Table, created)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		created[i].ID = id
	}
	if err := recordInserted(ctx, s, q, &lists, table.PlainIDs(ids), false); err != nil {
		return nil, err
	}
	return created, addPaths(ctx, q, owner, pointers(created))
}

// placeNewOf is placeNew for the lists of several owners.
func placeNewOf(ctx context.Context, q database.Querier, created []waymark.List, byOwner map[waymark.UserID][]int) error {
	problems := &waymark.ValidationError{}
	for _, owner := range slices.Sorted(maps.Keys(byOwner)) {
		indexes := byOwner[owner]
		of := waymark.Map(indexes, func(i int) waymark.List { return created[i] })
		err := placeNew(ctx, q, owner, of)
		if invalid, ok := errors.AsType[*waymark.ValidationError](err); ok {
			for _, p := range invalid.Problems {
				p.Index = indexes[p.Index]
				problems.Problems = append(problems.Problems, p)
			}
		} else if err != nil {
			return err
		}
		for n, i := range indexes {
			created[i] = of[n]
		}
	}
	return problems.Err()
}

// ChangeList updates an active list with the function change, unless it returns an error.
func (s *Store) ChangeList(ctx context.Context, editor waymark.UserID, id waymark.ListID, change func(*waymark.List) error) (waymark.List, error) {
	var list waymark.List
	err := s.userTx(ctx, editor, func(ctx context.Context, q database.Querier) (err error) {
		if list, err = lists.GetActive(ctx, q, int64(id)); err != nil {
			return err
		}
		before := list
		if err := change(&list); err != nil {
			return err
		}
		if err := s.replaceList(ctx, q, editor, before, &list); err != nil {
			return err
		}
		list.UpdatedAt = s.now()
		if err := recorded(ctx, s, q, &lists.Table, []int64{int64(id)}, func() error { return lists.Update(ctx, q, int64(id), &list) }); err != nil {
			return err
		}
		return addPaths(ctx, q, editor, []*waymark.List{&list})
	})
	return list, err
}
