package crawl

import (
	"bytes"
	"context"
	"errors"

	"waymark/internal/fetch/article"
	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// takeSnapshot stores a snapshot of the readable text of a page. A page that could not be fetched, has no
// such text, or does not fit the quota, does not replace an existing snapshot.
func (c *Crawler) takeSnapshot(ctx context.Context, claimed queue.ClaimedPage, found fetchedPage, failed error) error {
	if failed != nil {
		return failed
	}
	text, err := c.readText(ctx, found)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil { // another fetch would find the same
		c.options.Log.Debug("no snapshot saved", "link", claimed.Link, "reason", err)
		return nil
	}
	err = c.store.Snapshots.SaveText(context.WithoutCancel(ctx), claimed, waymark.TextSnapshot{
		FetchedAt: c.store.Now(),
		URL:       found.url.String(),
		Title:     text.Title,
		Byline:    text.Byline,
		Language:  text.Language,
		Direction: text.Direction,
	}, text.HTML, c.options.SnapshotQuota)
	return c.withoutQuota(claimed, err)
}

// withoutQuota logs that a snapshot does not fit the quota, and returns other errors.
func (c *Crawler) withoutQuota(claimed queue.ClaimedPage, err error) error {
	if errors.Is(err, waymark.ErrSnapshotQuota) {
		c.options.Log.Warn("no snapshot saved", "user", claimed.Owner, "link", claimed.Link, "reason", err, "quota", c.options.SnapshotQuota)
		return nil
	}
	return err
}

// readText returns the readable text of a page. One is read at a time: it can take seconds.
func (c *Crawler) readText(ctx context.Context, found fetchedPage) (article.Article, error) {
	select {
	case c.pages.reading <- struct{}{}:
		defer func() { <-c.pages.reading }()
	case <-ctx.Done():
		return article.Article{}, ctx.Err()
	}
	return article.Read(bytes.NewReader(found.content), found.contentType, found.url)
}

// RemoveSnapshots deletes the snapshots of a user's own link, or returns waymark.ErrNotFound.
func (c *Crawler) RemoveSnapshots(ctx context.Context, user waymark.User, id waymark.LinkID) error {
	return c.store.Snapshots.Remove(ctx, user, id)
}

// takeFullSnapshot stores a page as one file, as takeSnapshot stores its text.
func (c *Crawler) takeFullSnapshot(ctx context.Context, claimed queue.ClaimedPage, found fetchedPage, failed error) error {
	if failed != nil {
		return failed
	}
	file, err := c.pages.files.Make(ctx, found.content, found.contentType, found.url)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil { // another fetch would find the same
		c.options.Log.Debug("page not saved", "link", claimed.Link, "reason", err)
		return nil
	}
	err = c.store.Snapshots.SaveFull(context.WithoutCancel(ctx), claimed, waymark.FullSnapshot{FetchedAt: c.store.Now(), URL: found.url.String()}, file, c.options.SnapshotQuota)
	return c.withoutQuota(claimed, err)
}
