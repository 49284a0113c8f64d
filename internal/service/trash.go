package service

import (
	"context"
	"errors"

	"waymark/internal/waymark"
)

// Delete moves an active entity of the user into the trash. Nothing else is deleted with it; the sublists of a list take
// its place.
func (s *Service) Delete(ctx context.Context, user waymark.User, kind waymark.EntityKind, id int64) error {
	return s.store.Delete(ctx, kind, id, user.MayWrite)
}

// DeleteMany moves the user's own active entities among ids to the trash, and returns their ids.
func (s *Service) DeleteMany(ctx context.Context, user waymark.User, kind waymark.EntityKind, ids []int64) (map[int64]bool, error) {
	return s.store.DeleteMany(ctx, user.ID, kind, ids, user.MayWrite)
}

// RestoreMany makes the user's own entities among ids active again that are in the trash. It
// returns their ids. It skips those whose URL or name exists again.
func (s *Service) RestoreMany(ctx context.Context, user waymark.User, kind waymark.EntityKind, ids []int64) (map[int64]bool, error) {
	return s.store.RestoreMany(ctx, user.ID, kind, ids, user.MayWrite)
}

// Restore makes an entity of the user active again; an active one stays as it is. It
// returns a ValidationError if the URL or the name exists again. Another user's entity is
// waymark.ErrNotFound, so that the response does not reveal what is in their trash.
func (s *Service) Restore(ctx context.Context, user waymark.User, kind waymark.EntityKind, id int64) error {
	err := s.store.Restore(ctx, kind, id, user.MayWrite)
	switch {
	case errors.Is(err, waymark.ErrForbidden):
		return waymark.ErrNotFound
	case errors.Is(err, waymark.ErrConflict) && kind == waymark.Tags:
		return waymark.Invalid(waymark.FieldName, waymark.RuleUnique)
	case errors.Is(err, waymark.ErrConflict):
		return waymark.Invalid(waymark.FieldURL, waymark.RuleUnique)
	}
	return err
}
