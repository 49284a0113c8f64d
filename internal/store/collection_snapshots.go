package store

import (
	"io"

	"waymark/internal/store/snapshots"
	"waymark/internal/waymark"
)

// LinksWithTextSnapshot returns the links of the collection that have text snapshots.
func (c *Collection) LinksWithTextSnapshot() (map[waymark.LinkID]bool, error) {
	return snapshots.LinksWithText(c.ctx, c.q, c.owner)
}

// TextSnapshot returns the text snapshot of a link of the collection.
func (c *Collection) TextSnapshot(id waymark.LinkID) (waymark.TextSnapshot, string, error) {
	return snapshots.ReadText(c.ctx, c.q, id)
}

// LinksWithFullSnapshot returns the links of the collection that have full snapshots.
func (c *Collection) LinksWithFullSnapshot() (map[waymark.LinkID]bool, error) {
	return snapshots.LinksWithFull(c.ctx, c.q, c.owner)
}

// LinksWithAttachments returns the links of the collection that have attachments.
func (c *Collection) LinksWithAttachments() (map[waymark.LinkID]bool, error) {
	return snapshots.LinksWithAttachments(c.ctx, c.q, c.owner)
}

// Attachments returns the attachments of a link of the collection.
func (c *Collection) Attachments(id waymark.LinkID) ([]waymark.Attachment, error) {
	return snapshots.ReadAttachments(c.ctx, c.q, id)
}

// CopyAttachment writes the file of an attachment of the collection.
func (c *Collection) CopyAttachment(a waymark.Attachment, to io.Writer) error {
	return snapshots.ReadFile(c.ctx, c.q, a, to)
}

// FullSnapshot returns the full snapshot of a link of the collection.
func (c *Collection) FullSnapshot(id waymark.LinkID) (waymark.FullSnapshot, string, error) {
	return snapshots.ReadFull(c.ctx, c.q, id)
}
