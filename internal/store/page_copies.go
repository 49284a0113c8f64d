package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"waymark/internal/database"
	"waymark/internal/fetch/article"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// pageCopy is a row of copies.
type pageCopy struct {
	link  waymark.LinkID
	owner waymark.UserID
	waymark.PageCopy
	content []byte // compressed; only to be written
}

var pageCopies = newTable("copies",
	fixed("link_id", func(c *pageCopy) *waymark.LinkID { return &c.link }),
	field("user_id", func(c *pageCopy) *waymark.UserID { return &c.owner }),
	field("fetched_at", func(c *pageCopy) *waymark.Time { return &c.FetchedAt }),
	field("url", func(c *pageCopy) *string { return &c.URL }),
	field("title", func(c *pageCopy) *string { return &c.Title }),
	field("byline", func(c *pageCopy) *string { return &c.Byline }),
	field("language", func(c *pageCopy) *string { return &c.Language }),
	field("direction", func(c *pageCopy) *string { return &c.Direction }),
	field("size", func(c *pageCopy) *int64 { return &c.Size }),
	field("bytes", func(c *pageCopy) *int64 { return &c.Bytes }),
	derived("content", func(c *pageCopy) database.Hex { return database.NewHex(c.content) }),
)

// maxCopySize is the maximum size of the HTML of a copy in bytes, against damaged data.
const maxCopySize = article.MaxHTML

// compressCopy returns HTML compressed.
func compressCopy(html string) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	if err != nil {
		return nil, err
	}
	content := w.EncodeAll([]byte(html), nil)
	return content, w.Close()
}

// decompressCopy is the reverse of compressCopy for HTML of at most maxSize bytes.
func decompressCopy(content []byte, maxSize uint64) (string, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxSize))
	if err != nil {
		return "", err
	}
	defer r.Close()
	html, err := r.DecodeAll(content, nil)
	return string(html), err
}

// SavePageCopy stores a copy of the page of a link, as HTML that article.Sanitize has returned, in
// place of an older copy, and sets its Size and Bytes. It stores nothing if the link was deleted for
// good or has another URL now. It returns waymark.ErrCopyQuota, and keeps the older copy, if the
// copies of the owner would have more than quota bytes.
func (s *Store) SavePageCopy(ctx context.Context, page ClaimedPage, saved waymark.PageCopy, html string, quota int64) error {
	row, err := newPageCopy(page.Link, page.Owner, saved, html)
	if err != nil {
		return err
	}
	text := article.Text(html)
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if ok, err := claimedLink(ctx, q, page); err != nil || !ok {
			return err
		}
		return s.putPageCopy(ctx, q, row, text, quota)
	})
}

// claimedLink locks the owner and the link of a claimed page. It reports whether the link still has
// this owner and URL.
func claimedLink(ctx context.Context, q database.Querier, page ClaimedPage) (bool, error) {
	if err := lockUser(ctx, q, page.Owner); err != nil {
		return false, err
	}
	link, err := links.get(ctx, q, "e.id = $1"+q.RowLock(), page.Link)
	if errors.Is(err, waymark.ErrNotFound) {
		return false, nil
	}
	return err == nil && link.URL == page.URL && link.Owner == page.Owner, err
}

// ImportPageCopy is SavePageCopy for a copy of an archive, for a link that the import has added or
// that was there before. It stores nothing if the link has a copy. Call it in StepImport.
func (s *Store) ImportPageCopy(ctx context.Context, owner waymark.UserID, link ImportedLink, saved waymark.PageCopy, html string, quota int64) error {
	row, err := newPageCopy(link.ID, owner, saved, html)
	if err != nil {
		return err
	}
	text := article.Text(html)
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if _, err := pageCopies.get(ctx, q, "e.link_id = $1", link.ID); !errors.Is(err, waymark.ErrNotFound) {
			return err
		}
		if err := s.putPageCopy(ctx, q, row, text, quota); err != nil {
			return err
		}
		if link.Outcome != LinkAdded { // links that were added go to the trash with their copies
			s.record(func(r *undo.Record) {
				r.Copies = append(r.Copies, undo.Copy{Link: link.ID, FetchedAt: saved.FetchedAt})
			})
		}
		return nil
	})
}

// newPageCopy returns the row of a copy. It sets Size and Bytes.
func newPageCopy(link waymark.LinkID, owner waymark.UserID, saved waymark.PageCopy, html string) (pageCopy, error) {
	for _, text := range []*string{&saved.URL, &saved.Title, &saved.Byline, &saved.Language, &saved.Direction} {
		*text = storable(*text) // those of an archive can be any
	}
	content, err := compressCopy(html)
	saved.Size, saved.Bytes = int64(len(html)), int64(len(content))
	return pageCopy{link: link, owner: owner, PageCopy: saved, content: content}, err
}

// putPageCopy stores a row, in place of an older one, and the words of its text. It returns
// waymark.ErrCopyQuota if the copies of the owner would have more than quota bytes.
func (s *Store) putPageCopy(ctx context.Context, q database.Querier, row pageCopy, text string, quota int64) error {
	if err := checkCopyQuota(ctx, q, row.owner, pageCopies.name, row.link, row.Bytes, quota); err != nil {
		return err
	}
	if err := replaceRow(ctx, q, &pageCopies, row.link, row); err != nil {
		return err
	}
	return s.indexCopyWords(ctx, q, row.link, text)
}

// replaceRow stores a row of a link in place of the older one.
func replaceRow[T any](ctx context.Context, q database.Querier, t *table[T], link waymark.LinkID, row T) error {
	if _, err := q.Exec(ctx, `
		DELETE FROM `+t.name+`
		WHERE link_id = $1`, link); err != nil {
		return err
	}
	a := q.Args()
	_, err := q.Exec(ctx, insertRowsSQL(a, t.name, t.columns, []T{row}), a.Values...)
	return err
}

// checkCopyQuota returns waymark.ErrCopyQuota if the copies and saved pages of a user would have more
// than quota bytes with a row of these bytes for a link in one of the two tables.
func checkCopyQuota(ctx context.Context, q database.Querier, owner waymark.UserID, table string, link waymark.LinkID, bytes, quota int64) error {
	used, err := copyBytes(ctx, q, owner, table, link)
	if err == nil && used+bytes > quota {
		err = waymark.ErrCopyQuota
	}
	return err
}

// copyBytes returns the bytes of a user's copies and saved pages, without those that a link has in
// one of the two tables.
func copyBytes(ctx context.Context, q database.Querier, owner waymark.UserID, table string, without waymark.LinkID) (int64, error) {
	return database.QueryOne(ctx, q, database.ScanValue[int64], `
		SELECT coalesce((
			SELECT count
			FROM counters
			WHERE entity = 'copy_bytes' AND visible_to = 0 AND user_id = $1), 0) - coalesce((
			SELECT bytes
			FROM `+table+`
			WHERE link_id = $2), 0)`, owner, without)
}

// PageCopy returns the copy of a link's page that viewer sees, without its text. Guests see no copies.
// It returns the errors of CheckLink, and waymark.ErrNotFound if there is no copy.
func (s *Store) PageCopy(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (waymark.PageCopy, error) {
	if viewer == waymark.Guest {
		return waymark.PageCopy{}, waymark.ErrNotFound
	}
	if err := s.CheckLink(ctx, viewer, id); err != nil {
		return waymark.PageCopy{}, err
	}
	row, err := pageCopies.get(ctx, s.db.Querier(), "e.link_id = $1", id)
	return row.PageCopy, err
}

// CopiedLinks returns the links of the collection whose pages have copies.
func (c *Collection) CopiedLinks() (map[waymark.LinkID]bool, error) {
	return c.linksIn(pageCopies.name)
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

// Copy returns the copy of the page of a link of the collection: see Store.PageCopyHTML.
func (c *Collection) Copy(id waymark.LinkID) (waymark.PageCopy, string, error) {
	row, err := pageCopies.get(c.ctx, c.q, "e.link_id = $1", id)
	if err != nil {
		return waymark.PageCopy{}, "", err
	}
	html, err := storedHTML(c.ctx, c.q, pageCopies.name, id, maxCopySize)
	return row.PageCopy, html, err
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
	html, err := decompressCopy(content, maxSize)
	if err != nil {
		return "", fmt.Errorf("the copy of the page of link %d: %w", id, err)
	}
	return html, nil
}

// PageCopyHTML is PageCopy with the text as HTML, as article.Sanitize has returned it.
func (s *Store) PageCopyHTML(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (found waymark.PageCopy, html string, err error) {
	if found, err = s.PageCopy(ctx, viewer, id); err != nil {
		return found, "", err
	}
	html, err = storedHTML(ctx, s.db.Querier(), pageCopies.name, id, maxCopySize)
	return found, html, err
}

// RemovePageCopy deletes the copy of the page of an active link, and its saved page, if permit
// allows the owner. It returns waymark.ErrNotFound if there is neither.
func (s *Store) RemovePageCopy(ctx context.Context, id waymark.LinkID, permit Permit) error {
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		link, err := links.get(ctx, q, "e.id = $1 AND e.visible_to IS NOT NULL"+q.RowLock(), id)
		if err != nil {
			return err
		}
		if err := permit(link.Owner); err != nil {
			return err
		}
		deleted := int64(0)
		for _, table := range []string{"copies", "saved_pages"} {
			n, err := q.Exec(ctx, `
			DELETE FROM `+table+`
			WHERE link_id = $1`, id)
			if err != nil {
				return err
			}
			deleted += n
		}
		if err := orNotFound(deleted, nil); err != nil {
			return err
		}
		return s.forgetCopyWords(ctx, q, id)
	})
	if err == nil {
		s.eraseDeleted(ctx)
	}
	return err
}

// storedCopy is the content of a copy.
type storedCopy struct {
	link    waymark.LinkID
	bytes   int
	content []byte
}

// eachStoredCopy calls use with each copy of a table, one after the other.
func eachStoredCopy(ctx context.Context, q database.Querier, table string, use func(storedCopy) error) error {
	scan := func(rows *sql.Rows, c *storedCopy) error { return rows.Scan(&c.link, &c.bytes, &c.content) }
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

// indexAllCopies stores the words of all copies again. Copies that cannot be read are left out.
func (s *Store) indexAllCopies(ctx context.Context, q database.Querier) error {
	if _, err := q.Exec(ctx, "DELETE FROM copy_words"); err != nil {
		return err
	}
	return eachStoredCopy(ctx, q, pageCopies.name, func(c storedCopy) error {
		html, err := decompressCopy(c.content, maxCopySize)
		if err != nil {
			return nil //nolint:nilerr // waymark doctor reports it
		}
		return s.indexCopyWords(ctx, q, c.link, article.Text(html))
	})
}
