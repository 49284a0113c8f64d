package store

import (
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

// FullSnapshot returns the full snapshot of a link of the collection.
func (c *Collection) FullSnapshot(id waymark.LinkID) (waymark.FullSnapshot, string, error) {
	return snapshots.ReadFull(c.ctx, c.q, id)
}
