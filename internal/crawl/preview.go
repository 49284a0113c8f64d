package crawl

import (
	"context"
	"time"

	"waymark/internal/fetch/picture"
	"waymark/internal/waymark"
)

// previewTime is the longest time of a preview.
const previewTime = 10 * time.Second

// Preview fetches the page of a URL while user fills in the form for a new link, and returns its texts.
// The permits and the pauses are those for the page of a new link. It returns ErrNoPages if there are no
// texts of pages, and another error if the page could not be fetched.
func (c *Crawler) Preview(ctx context.Context, user waymark.UserID, rawURL string) (texts waymark.PageTexts, err error) {
	if !c.options.Parts.Has(waymark.TextParts) || !waymark.HasPage(rawURL) {
		return texts, ErrNoPages
	}
	err = c.preview(ctx, user, func(ctx context.Context) error {
		host, hosts := waymark.Host(rawURL), c.hosts
		if err := hosts.wait(ctx, host); err != nil {
			return err
		}
		found, err := c.pages.fetch(ctx, rawURL, waymark.TextParts, c.store.Now(), hosts.wait)
		c.countPage(err)
		if held := hosts.obeyRetryAfter(context.WithoutCancel(ctx), host, err); held != nil {
			return held
		}
		if texts = found.texts; texts.Title != "" { // enough, if the page could not be read to its end
			return nil
		}
		return err
	})
	return texts, err
}

// PreviewPicture makes a picture of an image that Preview has found on another server, nil if it cannot.
// It returns ErrNoPages if there are no pictures of pages.
func (c *Crawler) PreviewPicture(ctx context.Context, user waymark.UserID, imageURL string) (made *waymark.Picture, err error) {
	if !c.options.Parts.Has(waymark.ThumbnailPart) {
		return nil, ErrNoPages
	}
	err = c.preview(ctx, user, func(ctx context.Context) (err error) {
		made, err = c.picture(ctx, imageURL, picture.Thumbnail)
		return err
	})
	return made, err
}

// preview calls fetch with a permit for a user.
func (c *Crawler) preview(ctx context.Context, user waymark.UserID, fetch func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	return c.pages.now.Do(ctx, int64(user), func() error { return fetch(ctx) })
}
