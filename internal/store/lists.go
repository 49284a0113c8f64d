package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

var lists = entityTable[waymark.List]{
	table: newTable("lists",
		generated("id", func(l *waymark.List) *waymark.ListID { return &l.ID }),
		fixed("user_id", func(l *waymark.List) *waymark.UserID { return &l.Owner }),
		field("name", func(l *waymark.List) *string { return &l.Name }),
		field("description", func(l *waymark.List) *string { return &l.Description }),
		field("visibility", func(l *waymark.List) *waymark.Visibility { return &l.Visibility }),
		fixed("created_at", func(l *waymark.List) *waymark.Time { return &l.CreatedAt }),
		field("updated_at", func(l *waymark.List) *waymark.Time { return &l.UpdatedAt }),
		generated("deleted_at", func(l *waymark.List) *waymark.Time { return &l.DeletedAt }),
		derived("name_folded", func(l *waymark.List) string { return waymark.Fold(l.Name) }),
		derived("description_folded", func(l *waymark.List) string { return waymark.Fold(l.Description) }),
	),
	idOf:    func(l *waymark.List) int64 { return int64(l.ID) },
	ownerOf: func(l *waymark.List) waymark.UserID { return l.Owner },
	nameOf:  func(l *waymark.List) string { return l.Name },
	order: map[waymark.SortField]sortOrder{
		waymark.SortByID:          {},
		waymark.SortByName:        {columns: []string{"e.name_folded", "e.name"}},
		waymark.SortByDescription: {columns: []string{"e.description_folded", "e.description"}},
		waymark.SortByPrivate:     privateLast,
		waymark.SortByVisibility:  byVisibility,
		waymark.SortByCreatedAt:   {columns: []string{"e.created_at"}},
		waymark.SortByUpdatedAt:   {columns: []string{"e.updated_at"}},
	},
	counted: true,
}

// Lists lists the lists that viewer sees.
func (s *Store) Lists(viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.List] {
	return newListing(s, &lists, viewer, order, pagination)
}

// List returns an active list that viewer sees, else waymark.ErrForbidden.
func (s *Store) List(ctx context.Context, viewer waymark.UserID, id waymark.ListID) (waymark.List, error) {
	list, err := lists.getActive(ctx, s.db.Querier(), int64(id))
	if err == nil && !viewer.MaySee(list.Owner, list.Visibility) {
		err = waymark.ErrForbidden
	}
	return list, err
}

// CreateLists creates lists of owner, all or none.
func (s *Store) CreateLists(ctx context.Context, owner waymark.UserID, drafts []waymark.List) ([]waymark.List, error) {
	var created []waymark.List
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		now := s.now()
		created = make([]waymark.List, len(drafts))
		for i, list := range drafts {
			list.Owner, list.CreatedAt, list.UpdatedAt = owner, now, now
			created[i] = list
		}
		ids, err := insert[waymark.ListID](ctx, q, &lists.table, created)
		for i, id := range ids {
			created[i].ID = id
		}
		return err
	})
	return created, err
}

// ChangeList updates an active list as change does. Where change returns an error,
// nothing changes.
func (s *Store) ChangeList(ctx context.Context, id waymark.ListID, change func(*waymark.List) error) (waymark.List, error) {
	var list waymark.List
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		if list, err = lists.getActive(ctx, q, int64(id)); err != nil {
			return err
		}
		if err := change(&list); err != nil {
			return err
		}
		list.UpdatedAt = s.now()
		return lists.update(ctx, q, int64(id), &list)
	})
	return list, err
}
