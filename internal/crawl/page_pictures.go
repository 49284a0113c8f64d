package crawl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"waymark/internal/fetch"
	"waymark/internal/fetch/picture"
	"waymark/internal/store/queue"
	"waymark/internal/waymark"
)

// PictureOptions say which images get pictures.
type PictureOptions struct {
	Bytes  int64 // the maximum size of an image
	Memory int64 // the maximum memory in which an image is decoded, in bytes; one is at a time
	Space  int64 // the maximum size of all pictures together
}

// images makes pictures of the images of other servers.
type images struct {
	client   *fetch.Client
	options  PictureOptions
	decoding chan struct{} // holds a value while an image is decoded

	mu      sync.Mutex
	icons   map[string]knownIcon // by URL
	space   int64                // the size of all pictures, as it was measured, and what was added since
	spaceAt waymark.Time
	noSpace map[waymark.UserID]bool // who can get no space of others, until it is measured again
}

// knownIcon is an icon that was fetched not long ago: many links share it.
type knownIcon struct {
	picture *waymark.Picture // nil if there is none
	until   waymark.Time
}

const (
	iconTime = time.Hour
	maxIcons = 500 // of picture.MaxBytes at most
)

// spaceTime is how long the measured size of all pictures stands: other servers add some.
const spaceTime = time.Minute

func newImages(client *fetch.Client, o PictureOptions) *images {
	return &images{
		client: client.WithBytes(o.Bytes + 1), options: o, decoding: make(chan struct{}, 1),
		icons: map[string]knownIcon{}, noSpace: map[waymark.UserID]bool{},
	}
}

// takeThumbnail gives a link a picture of its image.
func (c *Crawler) takeThumbnail(ctx context.Context, claimed queue.ClaimedPage, found fetchedPage, failed error) error {
	link, err := c.store.Link(ctx, claimed.Owner, claimed.Link)
	if errors.Is(err, waymark.ErrNotFound) || err == nil && link.URL != claimed.URL {
		return nil
	}
	if err != nil {
		return err
	}
	imageURL := link.ImageURL
	if imageURL == "" {
		imageURL = found.texts.Image
	}
	if imageURL == "" {
		return failed
	}
	made, err := c.picture(ctx, imageURL, picture.Thumbnail)
	if err != nil || made == nil {
		return err
	}
	return c.storePicture(ctx, claimed, waymark.Thumbnail, *made)
}

// takeIcon gives a link a picture of the icon of its site.
func (c *Crawler) takeIcon(ctx context.Context, claimed queue.ClaimedPage, found fetchedPage, failed error) error {
	if found.icon == "" {
		return failed
	}
	made, err := c.icon(ctx, found.icon)
	if err != nil || made == nil {
		return err
	}
	return c.storePicture(ctx, claimed, waymark.SiteIcon, *made)
}

// icon returns a picture of the icon with a URL, nil if there is none, as picture does.
func (c *Crawler) icon(ctx context.Context, iconURL string) (*waymark.Picture, error) {
	i := c.images
	i.mu.Lock()
	known, ok := i.icons[iconURL]
	i.mu.Unlock()
	if ok && c.store.Now() < known.until {
		return known.picture, nil
	}
	made, err := c.picture(ctx, iconURL, picture.Icon)
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.icons) >= maxIcons {
		clear(i.icons)
	}
	i.icons[iconURL] = knownIcon{made, c.store.Now().Add(iconTime)}
	return made, nil
}

// storePicture gives a link a picture, unless there are too many pictures.
func (c *Crawler) storePicture(ctx context.Context, claimed queue.ClaimedPage, kind waymark.PictureKind, made waymark.Picture) error {
	reserved, err := c.reserveSpace(ctx, claimed.Owner, int64(len(made.Data)))
	if err != nil {
		return err
	}
	if !reserved {
		return nil // another attempt would not help
	}
	return c.store.Snapshots.SetLinkPicture(context.WithoutCancel(ctx), claimed, kind, made)
}

// reserveSpace reports whether there is space for a picture of a user, and reserves it. If there is none,
// the user gets that of the user who has the most, so that nobody fills it for all.
func (c *Crawler) reserveSpace(ctx context.Context, owner waymark.UserID, size int64) (bool, error) {
	i := c.images
	i.mu.Lock()
	defer i.mu.Unlock()
	if now := c.store.Now(); now >= i.spaceAt.Add(spaceTime) {
		used, err := c.store.Snapshots.PictureBytes(ctx)
		if err != nil {
			return false, err
		}
		i.space, i.spaceAt = used, now
		clear(i.noSpace)
	}
	if i.space+size > i.options.Space && !i.noSpace[owner] {
		freed, err := c.store.Snapshots.TakePictureSpace(ctx, owner)
		if err != nil {
			return false, err
		}
		i.space -= freed
		i.noSpace[owner] = freed == 0
	}
	if i.space+size > i.options.Space {
		return false, nil
	}
	i.space += size
	return true, nil
}

// picture fetches an image and makes a picture of it. It returns nil if that is not possible, and
// an error if it may be possible later.
func (c *Crawler) picture(ctx context.Context, imageURL string, encode func(data []byte, memory int64) (picture.Picture, error)) (*waymark.Picture, error) {
	if !waymark.HasPage(imageURL) {
		return nil, nil
	}
	host, hosts := waymark.Host(imageURL), c.hosts
	if err := hosts.wait(ctx, host); err != nil {
		return nil, err
	}
	i := c.images
	data, err := i.fetch(ctx, imageURL, c.store.Now())
	if err != nil {
		if err := hosts.obeyRetryAfter(context.WithoutCancel(ctx), host, err); err != nil {
			return nil, err
		}
		var failed *fetch.Error
		var status *pageError
		if errors.As(err, &failed) && !failed.Temporary() || errors.As(err, &status) && !status.temporary() || errors.Is(err, errImageTooLarge) {
			return nil, nil
		}
		return nil, err
	}
	select {
	case i.decoding <- struct{}{}:
		defer func() { <-i.decoding }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	made, err := encode(data, i.options.Memory)
	if err != nil {
		return nil, nil // the image will not be another one
	}
	return &waymark.Picture{Hash: waymark.PictureHash(made.Data), Type: made.Type, Width: made.Width, Height: made.Height, Data: made.Data}, nil
}

// errImageTooLarge means more than PictureOptions.Bytes: the client reads one byte more.
var errImageTooLarge = errors.New("the image is too large")

func (i *images) fetch(ctx context.Context, imageURL string, now waymark.Time) ([]byte, error) {
	response, err := i.client.Get(ctx, imageURL)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.Status != http.StatusOK {
		return nil, &pageError{status: response.Status, retryAfter: fetch.RetryAfter(response.Header, now.Time(), maxRetryAfter)}
	}
	data, err := io.ReadAll(response.Body)
	if err == nil && int64(len(data)) > i.options.Bytes {
		err = fmt.Errorf("%s: %w", imageURL, errImageTooLarge)
	}
	return data, err
}
