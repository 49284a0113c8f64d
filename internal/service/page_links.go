package service

import (
	"context"
	"errors"
	"strings"

	"waymark/internal/waymark"
)

// LinkOfPage returns the user's own link for a page that a browser has saved: the one that is known by the
// URL of in, or a new one. It returns waymark.ErrForbidden for a known one unless mayEdit.
func (s *Service) LinkOfPage(ctx context.Context, user waymark.User, in waymark.LinkInput, mayEdit bool) (waymark.Link, error) {
	link, err := s.KnownLink(ctx, user, in.URL)
	if errors.Is(err, waymark.ErrNotFound) {
		if link, err = s.AddLink(ctx, user, in); err == nil {
			return link, nil
		}
		known, missing := s.store.LinkByURL(ctx, user.ID, strings.TrimSpace(in.URL)) // another request can have added it meanwhile
		if missing != nil || known.DeletedAt != 0 {
			return link, err
		}
		link, err = known, nil
	}
	if err == nil && !mayEdit {
		err = waymark.ErrForbidden
	}
	return link, err
}
