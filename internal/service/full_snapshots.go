package service

import (
	"context"
	"errors"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// takeFullSnapshot stores a page as one file, as takeSnapshot stores its text.
func (s *Service) takeFullSnapshot(ctx context.Context, claimed store.ClaimedPage, found fetchedPage, failed error) error {
	if failed != nil {
		return failed
	}
	file, err := s.Pages.files.Make(ctx, found.content, found.contentType, found.url)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil { // another fetch would find the same
		s.Log.Debug("page not saved", "link", claimed.Link, "reason", err)
		return nil
	}
	err = s.store.SaveWholePage(context.WithoutCancel(ctx), claimed, waymark.FullSnapshot{FetchedAt: s.Now(), URL: found.url.String()}, file, s.SnapshotQuota)
	if errors.Is(err, waymark.ErrSnapshotQuota) {
		s.Log.Warn("page not saved", "user", claimed.Owner, "link", claimed.Link, "reason", err, "quota", s.SnapshotQuota)
		return nil
	}
	return err
}
