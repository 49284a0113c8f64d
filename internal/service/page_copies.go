package service

import (
	"bytes"
	"context"
	"errors"

	"waymark/internal/fetch/article"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// takeCopy stores a copy of the readable text of a page. A page that could not be fetched, has no
// such text, or does not fit the quota, does not replace an existing copy.
func (s *Service) takeCopy(ctx context.Context, claimed store.ClaimedPage, found fetchedPage, failed error) error {
	if failed != nil {
		return failed
	}
	text, err := article.Read(bytes.NewReader(found.content), found.contentType, found.url)
	if err != nil { // another visit would find the same
		s.Log.Debug("page not copied", "link", claimed.Link, "reason", err)
		return nil
	}
	err = s.store.SavePageCopy(ctx, claimed, waymark.PageCopy{
		FetchedAt: s.Now(),
		URL:       found.url.String(),
		Title:     text.Title,
		Byline:    text.Byline,
		Language:  text.Language,
		Direction: text.Direction,
	}, text.HTML, s.CopyQuota)
	if errors.Is(err, waymark.ErrCopyQuota) {
		s.Log.Warn("page not copied", "user", claimed.Owner, "link", claimed.Link, "reason", err, "quota", s.CopyQuota)
		return nil
	}
	return err
}

// ChooseCopies sets which copies are made of the page of a user's own link. Existing copies are
// kept.
func (s *Service) ChooseCopies(ctx context.Context, user waymark.User, id waymark.LinkID, choice waymark.CopyChoice) (waymark.Link, error) {
	permit := ownerOnly(user)
	return s.store.ChangeLink(ctx, user, id, nil, nil, func(link *waymark.Link) error {
		if err := permit(link.Owner); err != nil {
			return err
		}
		if !choice.Valid() {
			return waymark.Invalid(waymark.FieldCopies, waymark.RuleExists)
		}
		link.Copies = choice
		return nil
	})
}

// RemovePageCopy deletes the copy of the page of a user's own link. It returns waymark.ErrNotFound
// if there is none.
func (s *Service) RemovePageCopy(ctx context.Context, user waymark.User, id waymark.LinkID) error {
	return s.store.RemovePageCopy(ctx, id, ownerOnly(user))
}
