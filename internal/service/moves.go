package service

import (
	"context"
	"errors"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// AcceptMoves gives the user's links of a host, at most limit, the URLs to which their pages have
// moved. A link stays as it is if the user has another one with that URL.
func (s *Service) AcceptMoves(ctx context.Context, user waymark.User, host string, limit int) (store.AcceptedMoves, error) {
	return s.store.AcceptMoves(ctx, user.ID, host, limit, func(link *waymark.Link, url string) error {
		return (waymark.LinkInput{URL: url}).Apply(link)
	})
}

// ErrNotMoved means that no new URL of a link is known.
var ErrNotMoved = errors.New("no check has found a new URL of the link")

// AcceptMove gives a user's own link the URL to which its page has moved. It returns the errors of
// EditLink, and ErrNotMoved.
func (s *Service) AcceptMove(ctx context.Context, user waymark.User, id waymark.LinkID) (waymark.Link, error) {
	link, err := s.store.OwnLink(ctx, user, id)
	if err != nil {
		return link, err
	}
	checks, err := s.store.Queue.LinkChecks(ctx, user.ID, id)
	if err != nil {
		return link, err
	}
	if checks.NewURL == "" {
		return link, ErrNotMoved
	}
	return s.EditLink(ctx, user, id, waymark.LinkInput{URL: checks.NewURL})
}
