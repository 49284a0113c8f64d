package service

import (
	"context"
	"errors"

	"waymark/internal/waymark"
)

// Trash moves those of the entries into the trash that are active and the editor's
// own, and returns which those were.
func (s *Service) Trash(ctx context.Context, editor waymark.User, kind waymark.Kind, ids []int64) (map[int64]bool, error) {
	return s.store.Trash(ctx, editor.ID, kind, ids)
}

// ClearTrash erases the owner's trashed entries of a kind for good.
func (s *Service) ClearTrash(ctx context.Context, owner waymark.User, kind waymark.Kind) error {
	return s.store.ClearTrash(ctx, owner.ID, kind)
}

// Restore takes an entry of the owner's back out of the trash. Where its address or
// name has been taken meanwhile, nothing changes and the id is what is wrong.
func (s *Service) Restore(ctx context.Context, owner waymark.User, kind waymark.Kind, id int64) error {
	err := s.store.Restore(ctx, owner.ID, kind, id)
	if errors.Is(err, waymark.ErrConflict) {
		field := "url"
		if kind == waymark.Tags {
			field = "name"
		}
		return waymark.Invalid("id", "The %s has already been taken.", field)
	}
	return err
}
