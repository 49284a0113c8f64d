package service

import (
	"context"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// AddList creates a list of owner, or of the owner of its parent, if that is another user whose list owner edits.
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
	return s.store.ChangeList(ctx, editor.ID, id, func(list *waymark.List) error {
		if err := editor.MayWrite(waymark.Target{Kind: waymark.Lists, Owner: list.Owner}); err != nil {
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
	return s.store.EditLists(ctx, editor.ID, ids, edit, editor.MayWrite)
}

// DeleteWithSublists moves the user's own active lists among ids and all lists that stand in them into the
// trash. It returns their ids.
func (s *Service) DeleteWithSublists(ctx context.Context, user waymark.User, ids []int64) (map[int64]bool, error) {
	return s.store.DeleteWithSublists(ctx, user.ID, ids, user.MayWrite)
}

// MoveLists moves the user's own lists to a place in their tree: see store.Store.MoveLists.
func (s *Service) MoveLists(ctx context.Context, user waymark.User, ids []waymark.ListID, place waymark.ListPlace) error {
	return s.store.MoveLists(ctx, user, ids, place)
}

// SortSublists sorts the lists in a list by name: see store.Store.SortSublists.
func (s *Service) SortSublists(ctx context.Context, user waymark.User, parent waymark.ListID) error {
	return s.store.SortSublists(ctx, user, parent)
}

// MergeLists puts all links and sublists of other lists into a list, and moves these to the trash. It returns the
// number of links that were in one of them. All must be the user's own.
func (s *Service) MergeLists(ctx context.Context, user waymark.User, into waymark.ListID, others []waymark.ListID) (links int, err error) {
	return s.store.MergeLists(ctx, user.ID, into, others, user.MayWrite)
}

// AddToList puts a link into a list: see store.Store.AddToList.
func (s *Service) AddToList(ctx context.Context, user waymark.User, list waymark.ListID, link waymark.LinkID) error {
	return s.store.AddToList(ctx, user, list, link)
}

// RemoveFromList removes a link from a list: see store.Store.RemoveFromList.
func (s *Service) RemoveFromList(ctx context.Context, user waymark.User, list waymark.ListID, link waymark.LinkID) error {
	return s.store.RemoveFromList(ctx, user, list, link)
}

// ListEditors returns who edits a list: see store.Store.ListEditors.
func (s *Service) ListEditors(ctx context.Context, user waymark.User, list waymark.ListID) (waymark.Editors, error) {
	return s.store.ListEditors(ctx, user, list)
}

// SetListEditors sets who edits a list of the user's own: see store.Store.SetListEditors.
func (s *Service) SetListEditors(ctx context.Context, user waymark.User, list waymark.ListID, editors waymark.Editors) error {
	return s.store.SetListEditors(ctx, user, list, editors)
}

// LeaveList ends that the user is named as an editor of a list. It returns waymark.ErrNotFound if they are not.
func (s *Service) LeaveList(ctx context.Context, user waymark.User, list waymark.ListID) error {
	return s.store.LeaveList(ctx, user, list)
}

// ListChanges returns what others have changed in a list of the user's own: see store.Store.ListChanges.
func (s *Service) ListChanges(ctx context.Context, user waymark.User, list waymark.ListID) ([]waymark.SharedChange, error) {
	return s.store.ListChanges(ctx, user, list)
}

// LinkChanges returns what others have changed in a link of the user's own: see store.Store.LinkChanges.
func (s *Service) LinkChanges(ctx context.Context, user waymark.User, link waymark.LinkID) ([]waymark.SharedChange, error) {
	return s.store.LinkChanges(ctx, user, link)
}

// UndoChange undoes what somebody has changed in a list or a link: see store.Store.UndoChange.
func (s *Service) UndoChange(ctx context.Context, user waymark.User, change waymark.ChangeID) (skipped int, err error) {
	return s.store.UndoChange(ctx, user, change)
}
