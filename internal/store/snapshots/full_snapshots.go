package snapshots

import (
	"context"
	"errors"
	"io"

	"waymark/internal/database"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/store/queue"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

type fullSnapshot struct {
	link  waymark.LinkID
	owner waymark.UserID
	waymark.FullSnapshot
	content []byte // compressed; only to be written
}

// FullSnapshots is the table of full snapshots.
var FullSnapshots = table.New("full_snapshots",
	table.Fixed("link_id", func(p *fullSnapshot) *waymark.LinkID { return &p.link }),
	table.Field("user_id", func(p *fullSnapshot) *waymark.UserID { return &p.owner }),
	table.Field("fetched_at", func(p *fullSnapshot) *waymark.Time { return &p.FetchedAt }),
	table.Field("url", func(p *fullSnapshot) *string { return &p.URL }),
	table.Field("size", func(p *fullSnapshot) *int64 { return &p.Size }),
	table.Field("bytes", func(p *fullSnapshot) *int64 { return &p.Bytes }),
	table.Derived("content", func(p *fullSnapshot) database.Hex { return database.NewHex(p.content) }),
)

// SaveFull stores the file of package singlefile, as SaveText stores a text.
func (s *Store) SaveFull(ctx context.Context, page queue.ClaimedPage, saved waymark.FullSnapshot, file string, quota int64) error {
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

// AddFull stores the full snapshot of an archive as SaveFull does, unless the link has one.
func (s *Store) AddFull(ctx context.Context, owner waymark.UserID, link waymark.LinkID, saved waymark.FullSnapshot, file string, quota int64) (added bool, err error) {
	row, err := newFullSnapshot(link, owner, saved, file)
	if err != nil {
		return false, err
	}
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if added, err = lacksRow(ctx, q, &FullSnapshots, link); err != nil || !added {
			return err
		}
		return putFullSnapshot(ctx, q, row, quota)
	})
	return added, err
}

// newFullSnapshot returns the row of a full snapshot. It sets Size and Bytes.
func newFullSnapshot(link waymark.LinkID, owner waymark.UserID, saved waymark.FullSnapshot, file string) (fullSnapshot, error) {
	content, err := compress(file)
	saved.Size, saved.Bytes = int64(len(file)), int64(len(content))
	return fullSnapshot{link: link, owner: owner, FullSnapshot: saved, content: content}, err
}

// putFullSnapshot stores a row, in place of an older one. It returns waymark.ErrSnapshotQuota if the snapshots
// of the owner would have more than quota bytes.
func putFullSnapshot(ctx context.Context, q database.Querier, row fullSnapshot, quota int64) error {
	if err := checkSnapshotQuota(ctx, q, row.owner, FullSnapshots.Name, row.link, row.Bytes, quota); err != nil {
		return err
	}
	return replaceRow(ctx, q, &FullSnapshots, row.link, row)
}

// Full returns the full snapshot of a link that viewer sees, without the file, as Text does. A snapshot
// from a browser comes first.
func (s *Store) Full(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (waymark.FullSnapshot, error) {
	if viewer == waymark.Guest {
		return waymark.FullSnapshot{}, waymark.ErrNotFound
	}
	link, err := table.Links.GetVisible(ctx, s.db.Querier(), viewer, int64(id))
	if err != nil {
		return waymark.FullSnapshot{}, err
	}
	uploaded, err := Attachments.Get(ctx, s.db.Querier(), "e.link_id = $1 AND e.full_snapshot", id)
	if err == nil {
		return waymark.FullSnapshot{FetchedAt: uploaded.CreatedAt, URL: link.URL, Size: uploaded.Size, Bytes: uploaded.Bytes, Attachment: uploaded}, nil
	}
	if !errors.Is(err, waymark.ErrNotFound) {
		return waymark.FullSnapshot{}, err
	}
	row, err := FullSnapshots.Get(ctx, s.db.Querier(), "e.link_id = $1", id)
	return row.FullSnapshot, err
}

// CopyFull writes the file of the full snapshot of a link, which the caller has got from Full. A page that a browser
// has saved can have scripts and make requests: send it with singlefile.Policy, which forbids both.
func (s *Store) CopyFull(ctx context.Context, id waymark.LinkID, saved waymark.FullSnapshot, to io.Writer) error {
	if saved.Attachment.ID != 0 {
		return s.CopyAttachment(ctx, saved.Attachment, to)
	}
	file, err := storedHTML(ctx, s.db.Querier(), FullSnapshots.Name, id, singlefile.MaxBytes)
	if err != nil {
		return err
	}
	_, err = io.WriteString(to, file)
	return err
}
