package crawl

import (
	"context"
	"errors"

	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

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
	if errors.Is(err, waymark.ErrSnapshotQuota) {
		c.options.Log.Warn("page not saved", "user", claimed.Owner, "link", claimed.Link, "reason", err, "quota", c.options.SnapshotQuota)
		return nil
	}
	return err
}
