package service

import (
	"context"
	"errors"

	"waymark/internal/fetch/article"
	"waymark/internal/waymark"
)

// AddPassage marks a text in a link, which can be another user's. What is missing of the quote is filled from the text
// snapshot. It returns waymark.ErrForbidden if the user may not see the link.
func (s *Service) AddPassage(ctx context.Context, user waymark.User, link waymark.LinkID, in waymark.PassageInput) (waymark.Passage, error) {
	if err := s.Store.CheckLink(ctx, user.ID, link); err != nil {
		return waymark.Passage{}, err
	}
	passage, err := waymark.NewPassage(user.ID, link, in)
	if err != nil {
		return passage, err
	}
	_, html, err := s.Store.Snapshots.TextHTML(ctx, user.ID, link)
	if err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return passage, err
	}
	passage.Quote, _ = article.Complete(html, passage.Quote)
	return s.Store.CreatePassage(ctx, passage)
}

// EditPassage changes the note of a user's passage on a link.
func (s *Service) EditPassage(ctx context.Context, user waymark.User, link waymark.LinkID, id waymark.PassageID, in waymark.PassageInput) (waymark.Passage, error) {
	return s.Store.ChangePassage(ctx, user.ID, link, id, in.Apply)
}
