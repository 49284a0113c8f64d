package service

import (
	"context"
	"errors"

	"waymark/internal/waymark"
)

// Restore makes an entity of the user active again; an active one stays as it is. It
// returns a ValidationError if the URL or the name exists again. Another user's entity is
// waymark.ErrNotFound, so that the response does not reveal what is in their trash.
func (s *Service) Restore(ctx context.Context, user waymark.User, kind waymark.EntityKind, id int64) error {
	err := s.Store.Restore(ctx, user, kind, id)
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
