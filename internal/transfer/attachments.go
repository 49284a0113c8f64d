package transfer

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"waymark/internal/fetch/article"
	"waymark/internal/fetch/page"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/httpx"
	"waymark/internal/store/snapshots"
	"waymark/internal/waymark"
)

// maxReceived is the number of files that a server receives and stores as attachments at the same time. With
// waymark.MaxUpload it limits the space that they take on the disk.
const maxReceived = 8

// File is a file that a client has sent, on the disk. The caller must call Close.
type File struct {
	*os.File
	Size    int64
	release func()
}

// Close deletes the file.
func (f *File) Close() error {
	defer f.release()
	return discard(f.File)
}

// Receive writes the body of a request of a user to a file. It returns waymark.ErrBusy if the server receives too many, an
// *http.MaxBytesError if body has more than waymark.MaxUpload bytes, waymark.ErrUnavailable if the disk is
// full, and the error of body.
func (u *Uploads) Receive(ctx context.Context, user waymark.UserID, body io.Reader) (*File, error) {
	release, err := u.files.Acquire(ctx, int64(user), 1)
	if err != nil {
		return nil, err
	}
	file, err := u.transfer.save(httpx.LimitReader(body, waymark.MaxUpload))
	if err != nil {
		release()
		return nil, err
	}
	f := &File{file, 0, release}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	f.Size = info.Size()
	return f, nil
}

// Attach stores a file as an attachment of a user's own link. It returns waymark.ErrSnapshotQuota if the
// snapshots and attachments of the user would exceed the quota.
func (u *Uploads) Attach(ctx context.Context, user waymark.User, a waymark.Attachment, file *File) (waymark.Attachment, error) {
	packed, temporary, err := u.transfer.pack(file)
	if err != nil {
		return a, err
	}
	stored, err := u.transfer.store.Snapshots.Attach(ctx, a, packed, u.transfer.snapshotQuota, waymark.OwnerOnly(user))
	return stored, errors.Join(err, discard(temporary))
}

// Page is the page of a link as a browser has saved it, cleaned and on the disk. The caller must call Close.
type Page struct {
	waymark.UploadedPage
	packed snapshots.Packed
	file   *os.File
}

// Close deletes the page.
func (p *Page) Close() error { return discard(p.file) }

// ReadPage returns the page at rawURL that a browser has saved in a file, which can be compressed with gzip or by
// SingleFile. contentType is the media type that the client has sent. One page is read at a time, so that it takes little
// memory. Errors wrap singlefile.ErrNoPage or singlefile.ErrTooLarge; the latter also *http.MaxBytesError for a
// page with more than waymark.MaxUpload bytes after decompression.
func (u *Uploads) ReadPage(ctx context.Context, file *File, contentType, rawURL string) (*Page, error) {
	var p Page
	var err error
	p.packed, p.file, err = u.transfer.packPage(ctx, file.File, contentType, func(html string) { p.UploadedPage = readUploadedPage(html, rawURL) })
	if err != nil {
		return nil, err
	}
	return &p, nil
}

// packPage cleans a page that a browser has saved, and packs it into a temporary file, as pack does. It calls
// read with the HTML before that. Errors are those of ReadPage.
func (t *Transfer) packPage(ctx context.Context, file *os.File, contentType string, read func(html string)) (_ snapshots.Packed, _ *os.File, err error) {
	var none snapshots.Packed
	select {
	case t.reading <- struct{}{}:
		defer func() { <-t.reading }()
	case <-ctx.Done():
		return none, nil, ctx.Err()
	}
	parts, err := t.save(strings.NewReader(""))
	if err != nil {
		return none, nil, err
	}
	defer func() { err = errors.Join(err, discard(parts)) }()
	upload, err := readUpload(file, contentType, parts)
	if err != nil {
		return none, nil, uploadError(err)
	}
	read(upload.HTML)
	cleaned, err := t.save(strings.NewReader(""))
	if err != nil {
		return none, nil, err
	}
	defer func() { err = errors.Join(err, discard(cleaned)) }()
	w := bufio.NewWriter(cleaned)
	if err := errors.Join(upload.Clean(w), w.Flush()); err != nil {
		return none, nil, err
	}
	if _, err := cleaned.Seek(0, io.SeekStart); err != nil {
		return none, nil, err
	}
	return t.pack(cleaned)
}

// uploadError returns the error of a page that is too large after decompression as singlefile.ErrTooLarge, which
// wraps the *http.MaxBytesError.
func uploadError(err error) error {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fmt.Errorf("%w: %w", singlefile.ErrTooLarge, tooLarge)
	}
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w (%w)", singlefile.ErrNoPage, err)
	}
	return err
}

// readUpload reads a page that a browser has saved in a file.
func readUpload(file *os.File, contentType string, parts singlefile.Parts) (*singlefile.Upload, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if upload, err := singlefile.ReadZip(file, info.Size(), parts); !errors.Is(err, zip.ErrFormat) {
		return upload, err
	}
	content, err := decompressed(file)
	if err != nil {
		return nil, err
	}
	return singlefile.ReadUpload(content, contentType, parts)
}

// decompressed returns the content of a file, which can be compressed with gzip.
func decompressed(file io.Reader) (io.Reader, error) {
	content := bufio.NewReader(file)
	if begin, _ := content.Peek(2); !bytes.Equal(begin, []byte{0x1f, 0x8b}) {
		return content, nil
	}
	r, err := gzip.NewReader(content)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", singlefile.ErrNoPage, err)
	}
	return httpx.LimitReader(r, waymark.MaxUpload), nil
}

func readUploadedPage(html, rawURL string) waymark.UploadedPage {
	const contentType = "text/html; charset=utf-8"
	at, err := url.Parse(rawURL)
	if err != nil {
		at = &url.URL{}
	}
	var p waymark.UploadedPage
	if found, err := page.Read(bytes.NewReader([]byte(html)), contentType, at); err == nil {
		p.Texts = waymark.PageTexts{Title: found.Title, Description: found.Description, Image: found.Image}
	}
	if text, err := article.Read(bytes.NewReader([]byte(html)), contentType, at); err == nil {
		p.Text = waymark.TextSnapshot{URL: rawURL, Title: text.Title, Byline: text.Byline, Language: text.Language, Direction: text.Direction}
		p.TextHTML = text.HTML
	}
	return p
}

// SavePage stores a page as the full snapshot of a user's own link, and its readable text as the text
// snapshot. It returns waymark.ErrSnapshotQuota as Attach does.
func (u *Uploads) SavePage(ctx context.Context, user waymark.User, link waymark.LinkID, p *Page) (waymark.Attachment, error) {
	a := waymark.NewAttachment(link, pageName, "text/html")
	return u.transfer.store.Snapshots.AttachPage(ctx, a, p.UploadedPage, p.packed, u.transfer.snapshotQuota, waymark.OwnerOnly(user))
}

// pageName is the name of the file of a page that a browser has saved.
const pageName = "page.html"
