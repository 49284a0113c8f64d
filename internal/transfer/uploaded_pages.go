package transfer

import (
	"context"
	"errors"

	"waymark/internal/waymark"
)

// ReadPage reads the page at rawURL that a browser of a user has saved in a file, which can be compressed with gzip.
// contentType is the media type that the client has sent. The page is stored as it is; its title and its text are
// read within the limits of pages that Waymark fetches. Errors wrap ErrNoPage, ErrZippedPage, waymark.ErrBusy or, for
// a page with more than waymark.MaxUpload bytes after decompression, *http.MaxBytesError.
func (u *Uploads) ReadPage(ctx context.Context, user waymark.UserID, file *File, contentType, rawURL string) (*Page, error) {
	html, p, err := u.transfer.packPage(file, contentType)
	if err != nil {
		return nil, err
	}
	err = u.texts.Do(ctx, int64(user), func() error {
		p.UploadedPage = readUploadedPage(html, p.contentType, rawURL)
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// SavePage stores a page as the full snapshot of a user's own link, and its readable text as the text
// snapshot. It returns waymark.ErrSnapshotQuota as Attach does.
func (u *Uploads) SavePage(ctx context.Context, user waymark.User, link waymark.LinkID, p *Page) (waymark.Attachment, error) {
	a := waymark.NewAttachment(link, pageName, "text/html")
	a.ContentType = p.contentType
	return u.transfer.store.Snapshots.AttachPage(ctx, user, a, p.UploadedPage, p.packed, u.transfer.snapshotQuota)
}
