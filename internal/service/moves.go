package service

import (
	"context"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// AcceptMoves gives the user's links of a host, at most limit, the addresses to which their pages
// have moved. Links stay as they are if the user has one with that address.
func (s *Service) AcceptMoves(ctx context.Context, user waymark.User, host string, limit int) (store.AcceptedMoves, error) {
	return s.store.AcceptMoves(ctx, user.ID, host, limit, func(link *waymark.Link, url string) error {
		return (waymark.LinkInput{URL: url}).Apply(link)
	})
}
