package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"waymark/internal/database"
	"waymark/internal/fetch/article"
	"waymark/internal/store/queue"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// textSnapshot is a row of snapshots.
type textSnapshot struct {
	link  waymark.LinkID
	owner waymark.UserID
	waymark.TextSnapshot
	content []byte // compressed; only to be written
}

var textSnapshots = table.New("text_snapshots",
	table.Fixed("link_id", func(c *textSnapshot) *waymark.LinkID { return &c.link }),
	table.Field("user_id", func(c *textSnapshot) *waymark.UserID { return &c.owner }),
	table.Field("fetched_at", func(c *textSnapshot) *waymark.Time { return &c.FetchedAt }),
	table.Field("url", func(c *textSnapshot) *string { return &c.URL }),
	table.Field("title", func(c *textSnapshot) *string { return &c.Title }),
	table.Field("byline", func(c *textSnapshot) *string { return &c.Byline }),
	table.Field("language", func(c *textSnapshot) *string { return &c.Language }),
	table.Field("direction", func(c *textSnapshot) *string { return &c.Direction }),
	table.Field("size", func(c *textSnapshot) *int64 { return &c.Size }),
	table.Field("bytes", func(c *textSnapshot) *int64 { return &c.Bytes }),
	table.Derived("content", func(c *textSnapshot) database.Hex { return database.NewHex(c.content) }),
)

// maxSnapshotSize is the maximum size of the HTML of a snapshot in bytes, against damaged data.
const maxSnapshotSize = article.MaxHTML

// compressSnapshot returns HTML compressed.
func compressSnapshot(html string) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	if err != nil {
		return nil, err
	}
	content := w.EncodeAll([]byte(html), nil)
	return content, w.Close()
}

// decompressSnapshot is the reverse of compressSnapshot for HTML of at most maxSize bytes.
func decompressSnapshot(content []byte, maxSize uint64) (string, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxSize))
	if err != nil {
		return "", err
	}
	defer r.Close()
	html, err := r.DecodeAll(content, nil)
	return string(html), err
}

// SaveTextSnapshot stores a snapshot of the page of a link, as HTML that article.Sanitize has returned, in
// place of an older snapshot, and sets its Size and Bytes. It stores nothing if the link was deleted for
// good or has another URL now. It returns waymark.ErrSnapshotQuota, and keeps the older snapshot, if the
// snapshots of the owner would have more than quota bytes.
func (s *Store) SaveTextSnapshot(ctx context.Context, page queue.ClaimedPage, saved waymark.TextSnapshot, html string, quota int64) error {
	row, err := newTextSnapshot(page.Link, page.Owner, saved, html)
	if err != nil {
		return err
	}
	text := article.Text(html)
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if ok, err := claimedLink(ctx, q, page); err != nil || !ok {
			return err
		}
		return s.putTextSnapshot(ctx, q, row, text, quota)
	})
}

// claimedLink locks the owner and the link of a claimed page. It reports whether the link still has
// this owner and URL.
func claimedLink(ctx context.Context, q database.Querier, page queue.ClaimedPage) (bool, error) {
	if err := table.LockUser(ctx, q, page.Owner); err != nil {
		return false, err
	}
	link, err := table.Links.Get(ctx, q, "e.id = $1"+q.RowLock(), page.Link)
	if errors.Is(err, waymark.ErrNotFound) {
		return false, nil
	}
	return err == nil && link.URL == page.URL && link.Owner == page.Owner, err
}

// ImportTextSnapshot is SaveTextSnapshot for a snapshot of an archive, for a link that the import has added or
// that was there before. It stores nothing if the link has a snapshot. Call it in StepImport.
func (s *Store) ImportTextSnapshot(ctx context.Context, owner waymark.UserID, link ImportedLink, saved waymark.TextSnapshot, html string, quota int64) error {
	row, err := newTextSnapshot(link.ID, owner, saved, html)
	if err != nil {
		return err
	}
	text := article.Text(html)
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if _, err := textSnapshots.Get(ctx, q, "e.link_id = $1", link.ID); !errors.Is(err, waymark.ErrNotFound) {
			return err
		}
		if err := s.putTextSnapshot(ctx, q, row, text, quota); err != nil {
			return err
		}
		if link.Outcome != LinkAdded { // links that were added go to the trash with their snapshots
			s.imported(func(i *undo.Import) {
				i.TextSnapshots = append(i.TextSnapshots, undo.Snapshot{Link: link.ID, FetchedAt: saved.FetchedAt})
			})
		}
		return nil
	})
}

// newTextSnapshot returns the row of a snapshot. It sets Size and Bytes.
func newTextSnapshot(link waymark.LinkID, owner waymark.UserID, saved waymark.TextSnapshot, html string) (textSnapshot, error) {
	for _, text := range []*string{&saved.URL, &saved.Title, &saved.Byline, &saved.Language, &saved.Direction} {
		*text = table.Storable(*text) // those of an archive can be any
	}
	content, err := compressSnapshot(html)
	saved.Size, saved.Bytes = int64(len(html)), int64(len(content))
	return textSnapshot{link: link, owner: owner, TextSnapshot: saved, content: content}, err
}

// putTextSnapshot stores a row, in place of an older one, and the words of its text. It returns
// waymark.ErrSnapshotQuota if the snapshots of the owner would have more than quota bytes.
func (s *Store) putTextSnapshot(ctx context.Context, q database.Querier, row textSnapshot, text string, quota int64) error {
	if err := checkSnapshotQuota(ctx, q, row.owner, textSnapshots.Name, row.link, row.Bytes, quota); err != nil {
		return err
	}
	if err := replaceRow(ctx, q, &textSnapshots, row.link, row); err != nil {
		return err
	}
	return s.indexSnapshotWords(ctx, q, row.link, text)
}

// replaceRow stores a row of a link in place of the older one.
func replaceRow[T any](ctx context.Context, q database.Querier, t *table.Table[T], link waymark.LinkID, row T) error {
	if _, err := q.Exec(ctx, `
		DELETE FROM `+t.Name+`
		WHERE link_id = $1`, link); err != nil {
		return err
	}
	a := q.Args()
	_, err := q.Exec(ctx, t.InsertSQL(a, []T{row}), a.Values...)
	return err
}

// checkSnapshotQuota returns waymark.ErrSnapshotQuota if the snapshots of a user would have more
// than quota bytes with a row of these bytes for a link in one of the two tables.
func checkSnapshotQuota(ctx context.Context, q database.Querier, owner waymark.UserID, table string, link waymark.LinkID, bytes, quota int64) error {
	used, err := snapshotBytes(ctx, q, owner, table, link)
	if err == nil && used+bytes > quota {
		err = waymark.ErrSnapshotQuota
	}
	return err
}

// snapshotBytes returns the bytes of a user's snapshots, without those that a link has in
// one of the two tables.
func snapshotBytes(ctx context.Context, q database.Querier, owner waymark.UserID, table string, without waymark.LinkID) (int64, error) {
	return database.QueryOne(ctx, q, database.ScanValue[int64], `
		SELECT coalesce((
			SELECT count
			FROM counters
			WHERE entity = 'snapshot_bytes' AND visible_to = 0 AND user_id = $1), 0) - coalesce((
			SELECT bytes
			FROM `+table+`
			WHERE link_id = $2), 0)`, owner, without)
}

// TextSnapshot returns the snapshot of a link's page that viewer sees, without its text. Guests see no snapshots.
// It returns the errors of CheckLink, and waymark.ErrNotFound if there is no snapshot.
func (s *Store) TextSnapshot(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (waymark.TextSnapshot, error) {
	if viewer == waymark.Guest {
		return waymark.TextSnapshot{}, waymark.ErrNotFound
	}
	if err := s.CheckLink(ctx, viewer, id); err != nil {
		return waymark.TextSnapshot{}, err
	}
	row, err := textSnapshots.Get(ctx, s.db.Querier(), "e.link_id = $1", id)
	return row.TextSnapshot, err
}

// LinksWithSnapshot returns the links of the collection whose pages have snapshots.
func (c *Collection) LinksWithSnapshot() (map[waymark.LinkID]bool, error) {
	return c.linksIn(textSnapshots.Name)
}

// linksIn returns the links of the collection that have a row in a table.
func (c *Collection) linksIn(table string) (map[waymark.LinkID]bool, error) {
	found := map[waymark.LinkID]bool{}
	for id, err := range database.QueryEach(c.ctx, c.q, database.ScanValue[waymark.LinkID], `
		SELECT link_id
		FROM `+table+`
		WHERE user_id = $1`, c.owner) {
		if err != nil {
			return nil, err
		}
		found[id] = true
	}
	return found, nil
}

// TextSnapshot returns the text snapshot of a link of the collection: see Store.TextSnapshotHTML.
func (c *Collection) TextSnapshot(id waymark.LinkID) (waymark.TextSnapshot, string, error) {
	row, err := textSnapshots.Get(c.ctx, c.q, "e.link_id = $1", id)
	if err != nil {
		return waymark.TextSnapshot{}, "", err
	}
	html, err := storedHTML(c.ctx, c.q, textSnapshots.Name, id, maxSnapshotSize)
	return row.TextSnapshot, html, err
}

// storedHTML returns the HTML of a link in a table, which has at most maxSize bytes.
func storedHTML(ctx context.Context, q database.Querier, table string, id waymark.LinkID, maxSize uint64) (string, error) {
	content, err := database.QueryOne(ctx, q, database.ScanValue[[]byte], `
		SELECT content
		FROM `+table+`
		WHERE link_id = $1`, id)
	if err != nil {
		return "", err
	}
	html, err := decompressSnapshot(content, maxSize)
	if err != nil {
		return "", fmt.Errorf("the snapshot of the page of link %d: %w", id, err)
	}
	return html, nil
}

// TextSnapshotHTML is TextSnapshot with the text as HTML, as article.Sanitize has returned it.
func (s *Store) TextSnapshotHTML(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (found waymark.TextSnapshot, html string, err error) {
	if found, err = s.TextSnapshot(ctx, viewer, id); err != nil {
		return found, "", err
	}
	html, err = storedHTML(ctx, s.db.Querier(), textSnapshots.Name, id, maxSnapshotSize)
	return found, html, err
}

// RemoveSnapshots deletes the snapshot of the page of an active link, and its full snapshot, if permit
// allows the owner. It returns waymark.ErrNotFound if there is neither.
func (s *Store) RemoveSnapshots(ctx context.Context, id waymark.LinkID, permit waymark.Permit) error {
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		link, err := table.Links.Get(ctx, q, "e.id = $1 AND e.visible_to IS NOT NULL"+q.RowLock(), id)
		if err != nil {
			return err
		}
		if err := permit(link.Owner); err != nil {
			return err
		}
		deleted := int64(0)
		for _, table := range []string{"text_snapshots", "full_snapshots"} {
			n, err := q.Exec(ctx, `
			DELETE FROM `+table+`
			WHERE link_id = $1`, id)
			if err != nil {
				return err
			}
			deleted += n
		}
		if err := table.OrNotFound(deleted, nil); err != nil {
			return err
		}
		return s.forgetSnapshotWords(ctx, q, id)
	})
	if err == nil {
		s.eraseDeleted(ctx)
	}
	return err
}

// storedSnapshot is the content of a snapshot.
type storedSnapshot struct {
	link    waymark.LinkID
	bytes   int
	content []byte
}

// eachStoredSnapshot calls use with each snapshot of a table, one after the other.
func eachStoredSnapshot(ctx context.Context, q database.Querier, table string, use func(storedSnapshot) error) error {
	scan := func(rows *sql.Rows, c *storedSnapshot) error { return rows.Scan(&c.link, &c.bytes, &c.content) }
	last := waymark.LinkID(0)
	for {
		row, err := database.QueryOne(ctx, q, scan, `
			SELECT link_id, bytes, content
			FROM `+table+`
			WHERE link_id > $1
			ORDER BY link_id
			LIMIT 1`, last)
		if errors.Is(err, waymark.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := use(row); err != nil {
			return err
		}
		last = row.link
	}
}

// indexAllSnapshots stores the words of all snapshots again. Snapshots that cannot be read are left out.
func (s *Store) indexAllSnapshots(ctx context.Context, q database.Querier) error {
	if _, err := q.Exec(ctx, "DELETE FROM snapshot_words"); err != nil {
		return err
	}
	return eachStoredSnapshot(ctx, q, textSnapshots.Name, func(c storedSnapshot) error {
		html, err := decompressSnapshot(c.content, maxSnapshotSize)
		if err != nil {
			return nil //nolint:nilerr // waymark doctor reports it
		}
		return s.indexSnapshotWords(ctx, q, c.link, article.Text(html))
	})
}
