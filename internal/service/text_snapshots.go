package service

import (
	"bytes"
	"context"
	"errors"

	"waymark/internal/fetch/article"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// takeSnapshot stores a snapshot of the readable text of a page. A page that could not be fetched, has no
// such text, or does not fit the quota, does not replace an existing snapshot.
func (s *Service) takeSnapshot(ctx context.Context, claimed store.ClaimedPage, found fetchedPage, failed error) error {
	if failed != nil {
		return failed
	}
	text, err := article.Read(bytes.NewReader(found.content), found.contentType, found.url)
	if err != nil { // another check would find the same
		s.Log.Debug("no snapshot saved", "link", claimed.Link, "reason", err)
		return nil
	}
	err = s.store.SaveTextSnapshot(ctx, claimed, waymark.TextSnapshot{
		FetchedAt: s.Now(),
		URL:       found.url.String(),
		Title:     text.Title,
		Byline:    text.Byline,
		Language:  text.Language,
		Direction: text.Direction,
	}, text.HTML, s.SnapshotQuota)
	if errors.Is(err, waymark.ErrSnapshotQuota) {
		s.Log.Warn("no snapshot saved", "user", claimed.Owner, "link", claimed.Link, "reason", err, "quota", s.SnapshotQuota)
		return nil
	}
	return err
}

// ChooseSnapshots sets which snapshots are made of the page of a user's own link. Existing snapshots are
// kept.
func (s *Service) ChooseSnapshots(ctx context.Context, user waymark.User, id waymark.LinkID, choice waymark.SnapshotChoice) (waymark.Link, error) {
	permit := ownerOnly(user)
	return s.store.ChangeLink(ctx, user, id, nil, nil, func(link *waymark.Link) error {
		if err := permit(link.Owner); err != nil {
			return err
		}
		if !choice.Valid() {
			return waymark.Invalid(waymark.FieldSnapshots, waymark.RuleExists)
		}
		link.Snapshots = choice
		return nil
	})
}

// RemoveSnapshots deletes the snapshot of the page of a user's own link. It returns waymark.ErrNotFound
// if there is none.
func (s *Service) RemoveSnapshots(ctx context.Context, user waymark.User, id waymark.LinkID) error {
	return s.store.RemoveSnapshots(ctx, id, ownerOnly(user))
}
