package snapshots

import (
	"context"
	"io"

	"waymark/internal/database"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/waymark"
)

// Reader reads what is kept of an owner's links in one transaction.
type Reader struct {
	ctx   context.Context //nolint:containedctx // of the transaction
	q     database.Querier
	owner waymark.UserID
}

// NewReader returns the Reader of a transaction.
func NewReader(ctx context.Context, q database.Querier, owner waymark.UserID) Reader {
	return Reader{ctx, q, owner}
}

// LinksWithTextSnapshot returns the links that have text snapshots.
func (r Reader) LinksWithTextSnapshot() (map[waymark.LinkID]bool, error) {
	return r.linksIn(TextSnapshots.Name)
}

// LinksWithFullSnapshot returns the links that have full snapshots that the server has made.
func (r Reader) LinksWithFullSnapshot() (map[waymark.LinkID]bool, error) {
	return r.linksIn(FullSnapshots.Name)
}

// LinksWithAttachments returns the links that have attachments.
func (r Reader) LinksWithAttachments() (map[waymark.LinkID]bool, error) {
	return r.linksIn(Attachments.Name)
}

// linksIn returns the links that have a row in a table.
func (r Reader) linksIn(name string) (map[waymark.LinkID]bool, error) {
	return database.QueryMap[waymark.LinkID, bool](r.ctx, r.q, `
		SELECT link_id, true
		FROM `+name+`
		WHERE user_id = $1`, r.owner)
}

// TextSnapshot returns the text snapshot of a link, as article.Sanitize has returned it, and how far the owner has read.
func (r Reader) TextSnapshot(id waymark.LinkID) (saved waymark.TextSnapshot, html string, at waymark.ReadingPosition, err error) {
	row, err := TextSnapshots.Get(r.ctx, r.q, "e.link_id = $1", id)
	if err != nil {
		return saved, "", at, err
	}
	positions, err := readPositions(r.ctx, r.q, r.owner, []waymark.LinkID{id})
	if err != nil {
		return saved, "", at, err
	}
	html, err = storedHTML(r.ctx, r.q, TextSnapshots.Name, id, maxTextSize)
	return row.TextSnapshot, html, positions[id], err
}

// FullSnapshot returns the full snapshot that the server has made of a link, with its file: see Store.CopyFull.
func (r Reader) FullSnapshot(id waymark.LinkID) (waymark.FullSnapshot, string, error) {
	row, err := FullSnapshots.Get(r.ctx, r.q, "e.link_id = $1", id)
	if err != nil {
		return waymark.FullSnapshot{}, "", err
	}
	file, err := storedHTML(r.ctx, r.q, FullSnapshots.Name, id, singlefile.MaxBytes)
	return row.FullSnapshot, file, err
}

// Attachments returns the attachments of a link, the oldest first.
func (r Reader) Attachments(id waymark.LinkID) ([]waymark.Attachment, error) {
	return readAttachments(r.ctx, r.q, id)
}

// CopyAttachment writes the file of an attachment.
func (r Reader) CopyAttachment(a waymark.Attachment, to io.Writer) error {
	return readFile(r.ctx, r.q, a, to)
}
