package service

import (
	"context"

	"waymark/internal/waymark"
)

// AddList makes a list for owner.
func (s *Service) AddList(ctx context.Context, owner waymark.User, in waymark.ListInput) (waymark.List, error) {
	list, err := waymark.NewList(owner, in)
	if err != nil {
		return list, err
	}
	lists, err := s.store.CreateLists(ctx, owner.ID, []waymark.List{list})
	if err != nil {
		return list, err
	}
	return lists[0], nil
}

// AddLists makes many lists, all of them or none.
func (s *Service) AddLists(ctx context.Context, owner waymark.User, inputs []waymark.ListInput) ([]waymark.List, error) {
	drafts, err := draftAll(inputs, func(in waymark.ListInput) (waymark.List, error) { return waymark.NewList(owner, in) })
	if err != nil {
		return nil, err
	}
	return s.store.CreateLists(ctx, owner.ID, drafts)
}

// EditList changes a list of the editor's own.
func (s *Service) EditList(ctx context.Context, editor waymark.User, id waymark.ListID, in waymark.ListInput) (waymark.List, error) {
	return s.store.ChangeList(ctx, id, func(list *waymark.List) error {
		if !editor.ID.MayEdit(list.Owner) {
			return waymark.ErrForbidden
		}
		return in.Apply(list)
	})
}

// EditLists makes one change to many lists: see store.Store.EditLinks for what
// comes back.
func (s *Service) EditLists(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) ([]*waymark.List, error) {
	return s.store.EditLists(ctx, editor.ID, ids, edit)
}
