package store

import (
	"context"
	"errors"

	"waymark/internal/database"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/store/queue"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// fullSnapshot is a row of full_snapshots.
type fullSnapshot struct {
	link  waymark.LinkID
	owner waymark.UserID
	waymark.FullSnapshot
	content []byte // compressed; only to be written
}

var fullSnapshots = table.New("full_snapshots",
	table.Fixed("link_id", func(p *fullSnapshot) *waymark.LinkID { return &p.link }),
	table.Field("user_id", func(p *fullSnapshot) *waymark.UserID { return &p.owner }),
	table.Field("fetched_at", func(p *fullSnapshot) *waymark.Time { return &p.FetchedAt }),
	table.Field("url", func(p *fullSnapshot) *string { return &p.URL }),
	table.Field("size", func(p *fullSnapshot) *int64 { return &p.Size }),
	table.Field("bytes", func(p *fullSnapshot) *int64 { return &p.Bytes }),
	table.Derived("content", func(p *fullSnapshot) database.Hex { return database.NewHex(p.content) }),
)

// SaveWholePage stores the page of a link as the file that package singlefile has made, as
// SaveTextSnapshot stores a snapshot of its text.
func (s *Store) SaveWholePage(ctx context.Context, page queue.ClaimedPage, saved waymark.FullSnapshot, file string, quota int64) error {
	row, err := newFullSnapshot(page.Link, page.Owner, saved, file)
	if err != nil {
		return err
	}
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if ok, err := claimedLink(ctx, q, page); err != nil || !ok {
			return err
		}
		return putFullSnapshot(ctx, q, row, quota)
	})
}

// ImportFullSnapshot stores the full snapshot of a link of an archive, as ImportTextSnapshot does. Call it in
// StepImport.
func (s *Store) ImportFullSnapshot(ctx context.Context, owner waymark.UserID, link ImportedLink, saved waymark.FullSnapshot, file string, quota int64) error {
	row, err := newFullSnapshot(link.ID, owner, saved, file)
	if err != nil {
		return err
	}
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if _, err := fullSnapshots.Get(ctx, q, "e.link_id = $1", link.ID); !errors.Is(err, waymark.ErrNotFound) {
			return err
		}
		if err := putFullSnapshot(ctx, q, row, quota); err != nil {
			return err
		}
		if link.Outcome != LinkAdded { // links that were added go to the trash with their pages
			s.imported(func(i *undo.Import) {
				i.FullSnapshots = append(i.FullSnapshots, undo.Snapshot{Link: link.ID, FetchedAt: saved.FetchedAt})
			})
		}
		return nil
	})
}

// newFullSnapshot returns the row of a full snapshot. It sets Size and Bytes.
func newFullSnapshot(link waymark.LinkID, owner waymark.UserID, saved waymark.FullSnapshot, file string) (fullSnapshot, error) {
	content, err := compressSnapshot(file)
	saved.Size, saved.Bytes = int64(len(file)), int64(len(content))
	return fullSnapshot{link: link, owner: owner, FullSnapshot: saved, content: content}, err
}

// putFullSnapshot stores a row, in place of an older one. It returns waymark.ErrSnapshotQuota if the snapshots
// of the owner would have more than quota bytes.
func putFullSnapshot(ctx context.Context, q database.Querier, row fullSnapshot, quota int64) error {
	if err := checkSnapshotQuota(ctx, q, row.owner, fullSnapshots.Name, row.link, row.Bytes, quota); err != nil {
		return err
	}
	return replaceRow(ctx, q, &fullSnapshots, row.link, row)
}

// FullSnapshot returns the full snapshot of a link that viewer sees, without the file, as TextSnapshot does.
func (s *Store) FullSnapshot(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (waymark.FullSnapshot, error) {
	if viewer == waymark.Guest {
		return waymark.FullSnapshot{}, waymark.ErrNotFound
	}
	if err := s.CheckLink(ctx, viewer, id); err != nil {
		return waymark.FullSnapshot{}, err
	}
	row, err := fullSnapshots.Get(ctx, s.db.Querier(), "e.link_id = $1", id)
	return row.FullSnapshot, err
}

// FullSnapshotHTML returns the file of the full snapshot of a link that viewer sees. Package
// singlefile has removed scripts and requests from it. Send it with singlefile.Policy, which
// forbids both again.
func (s *Store) FullSnapshotHTML(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (string, error) {
	if _, err := s.FullSnapshot(ctx, viewer, id); err != nil {
		return "", err
	}
	return storedHTML(ctx, s.db.Querier(), fullSnapshots.Name, id, singlefile.MaxBytes)
}

// LinksWithPages returns the links of the collection that have full snapshots.
func (c *Collection) LinksWithPages() (map[waymark.LinkID]bool, error) {
	return c.linksIn(fullSnapshots.Name)
}

// FullSnapshot returns the full snapshot of a link of the collection: see Store.FullSnapshotHTML.
func (c *Collection) FullSnapshot(id waymark.LinkID) (waymark.FullSnapshot, string, error) {
	row, err := fullSnapshots.Get(c.ctx, c.q, "e.link_id = $1", id)
	if err != nil {
		return waymark.FullSnapshot{}, "", err
	}
	file, err := storedHTML(c.ctx, c.q, fullSnapshots.Name, id, singlefile.MaxBytes)
	return row.FullSnapshot, file, err
}
