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
	return s.CreateList(ctx, owner.ID, list)
}

// AddLists creates all of the lists, or none.
func (s *Service) AddLists(ctx context.Context, owner waymark.User, inputs []waymark.ListInput) (store.Changed[waymark.List], error) {
	drafts, err := newDrafts(inputs, func(in waymark.ListInput) (waymark.List, error) { return waymark.NewList(owner, in) })
	if err != nil {
		return store.Changed[waymark.List]{}, err
	}
	lists, err := s.CreateLists(ctx, owner.ID, drafts)
	return store.ChangedInMemory(lists), err
}

// EditList changes a list.
func (s *Service) EditList(ctx context.Context, editor waymark.User, id waymark.ListID, in waymark.ListInput) (waymark.List, error) {
	return s.ChangeList(ctx, editor.ID, id, func(list *waymark.List) error {
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
	return s.Store.EditLists(ctx, editor, ids, edit)
}
