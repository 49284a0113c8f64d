package store

import (
	"context"

	"waymark/internal/store/snapshots"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// ImportTextSnapshot stores the text snapshot of an archive, for a link that the import has added or
// that was there before. It stores nothing if the link has one, and returns waymark.ErrSnapshotQuota if
// the snapshots of the owner would have more than quota bytes. Call it in StepImport.
func (s *Store) ImportTextSnapshot(ctx context.Context, owner waymark.UserID, link ImportedLink, saved waymark.TextSnapshot, html string, quota int64) error {
	added, err := s.Snapshots.AddText(ctx, owner, link.ID, saved, html, quota)
	if err == nil && added && link.Outcome != LinkAdded { // links that were added go to the trash with their snapshots
		s.imported(func(i *undo.Import) {
			i.TextSnapshots = append(i.TextSnapshots, undo.Snapshot{Link: link.ID, FetchedAt: saved.FetchedAt})
		})
	}
	return err
}

// ImportFullSnapshot is ImportTextSnapshot for a full snapshot.
func (s *Store) ImportFullSnapshot(ctx context.Context, owner waymark.UserID, link ImportedLink, saved waymark.FullSnapshot, file string, quota int64) error {
	added, err := s.Snapshots.AddFull(ctx, owner, link.ID, saved, file, quota)
	if err == nil && added && link.Outcome != LinkAdded {
		s.imported(func(i *undo.Import) {
			i.FullSnapshots = append(i.FullSnapshots, undo.Snapshot{Link: link.ID, FetchedAt: saved.FetchedAt})
		})
	}
	return err
}

// ImportAttachment is ImportTextSnapshot for an attachment of the link. It stores nothing if the link has it
// already: see snapshots.Store.AddAttachment. It returns a waymark.ValidationError if the link has too many.
func (s *Store) ImportAttachment(ctx context.Context, owner waymark.UserID, link ImportedLink, a waymark.Attachment, file snapshots.Packed, quota int64) error {
	a.Link = link.ID
	id, err := s.Snapshots.AddAttachment(ctx, owner, a, file, quota)
	if err == nil && id != 0 && link.Outcome != LinkAdded {
		s.imported(func(i *undo.Import) { i.Attachments = append(i.Attachments, id) })
	}
	return err
}
