package service

import (
	"context"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// AddList creates a list of owner.
func (s *Service) AddList(ctx context.Context, owner waymark.User, in waymark.ListInput) (waymark.List, error) {
	list, err := waymark.NewList(owner, in)
	if err != nil {
		return waymark.List{}, err
	}
	return s.store.CreateList(ctx, owner.ID, list)
}

// AddLists creates all of the lists, or none.
func (s *Service) AddLists(ctx context.Context, owner waymark.User, inputs []waymark.ListInput) (store.Changed[waymark.List], error) {
	drafts, err := newDrafts(inputs, func(in waymark.ListInput) (waymark.List, error) { return waymark.NewList(owner, in) })
	if err != nil {
		return store.Changed[waymark.List]{}, err
	}
	lists, err := s.store.CreateLists(ctx, owner.ID, drafts)
	return store.ChangedInMemory(lists), err
}

// EditList changes a list.
func (s *Service) EditList(ctx context.Context, editor waymark.User, id waymark.ListID, in waymark.ListInput) (waymark.List, error) {
	permit := waymark.OwnerOnly(editor)
	return s.store.ChangeList(ctx, editor.ID, id, func(list *waymark.List) error {
		if err := permit(list.Owner); err != nil {
			return err
		}
		return in.Apply(list)
	})
}

// EditLists makes one change to the editor's own lists among ids, as EditLinks does.
func (s *Service) EditLists(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) (store.Changed[waymark.List], error) {
	if err := edit.Validate(); err != nil {
		return store.Changed[waymark.List]{}, err
	}
	return s.store.EditLists(ctx, editor.ID, ids, edit, waymark.OwnerOnly(editor))
}

// DeleteWithSublists moves the user's own active lists among ids and all lists that stand in them into the
// trash. It returns their ids.
func (s *Service) DeleteWithSublists(ctx context.Context, user waymark.User, ids []int64) (map[int64]bool, error) {
	return s.store.DeleteWithSublists(ctx, user.ID, ids, waymark.OwnerOnly(user))
}

// MoveLists moves the user's own lists to a place in their tree: see store.Store.MoveLists.
func (s *Service) MoveLists(ctx context.Context, user waymark.User, ids []waymark.ListID, place waymark.ListPlace) error {
	return s.store.MoveLists(ctx, user.ID, ids, place, waymark.OwnerOnly(user))
}

// SortSublists sorts the lists in a list by name. It must be the user's own.
func (s *Service) SortSublists(ctx context.Context, user waymark.User, parent waymark.ListID) error {
	return s.store.SortSublists(ctx, user.ID, parent, waymark.OwnerOnly(user))
}

// MergeLists puts all links and sublists of other lists into a list, and moves these to the trash. It returns the
// number of links that were in one of them. All must be the user's own.
func (s *Service) MergeLists(ctx context.Context, user waymark.User, into waymark.ListID, others []waymark.ListID) (links int, err error) {
	return s.store.MergeLists(ctx, user.ID, into, others, waymark.OwnerOnly(user))
}

// RemoveFromList removes a link from a list. The owners of both may do that.
func (s *Service) RemoveFromList(ctx context.Context, user waymark.User, list waymark.ListID, link waymark.LinkID) error {
	return s.store.RemoveFromList(ctx, list, link, waymark.OwnerOnly(user))
}
