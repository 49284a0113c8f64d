package snapshots

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/klauspost/compress/zstd"

	"waymark/internal/database"
	"waymark/internal/fetch/article"
	"waymark/internal/store/query"
	"waymark/internal/store/queue"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

type textSnapshot struct {
	link  waymark.LinkID
	owner waymark.UserID
	waymark.TextSnapshot
	content []byte // compressed; only to be written
}

// TextSnapshots is the table of text snapshots.
var TextSnapshots = table.New("text_snapshots",
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

// maxTextSize is the maximum size of the HTML of a snapshot in bytes, against damaged data.
const maxTextSize = article.MaxHTML

// compress returns HTML compressed.
func compress(html string) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	if err != nil {
		return nil, err
	}
	content := w.EncodeAll([]byte(html), nil)
	return content, w.Close()
}

// decompress is the reverse of compress for HTML of at most maxSize bytes.
func decompress(content []byte, maxSize uint64) (string, error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxSize))
	if err != nil {
		return "", err
	}
	defer r.Close()
	html, err := r.DecodeAll(content, nil)
	return string(html), err
}

// SaveText stores a snapshot of the page of a link, as HTML that article.Sanitize has returned, in
// place of an older snapshot, and sets its Size and Bytes. It stores nothing if the link was deleted for
// good or has another URL now. It returns waymark.ErrSnapshotQuota, and keeps the older snapshot, if the
// snapshots of the owner would have more than quota bytes.
func (s *Store) SaveText(ctx context.Context, page queue.ClaimedPage, saved waymark.TextSnapshot, html string, quota int64) error {
	row, text, err := newTextSnapshot(page.Link, page.Owner, saved, html)
	if err != nil {
		return err
	}
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if ok, err := claimedLink(ctx, q, page); err != nil || !ok {
			return err
		}
		return s.putTextSnapshot(ctx, q, row, text, quota)
	})
}

// claimedLink locks the owner and the link of a claimed page. It reports whether the link still has
// this owner and URL, and no page that a browser has saved.
func claimedLink(ctx context.Context, q database.Querier, page queue.ClaimedPage) (bool, error) {
	if err := table.LockUser(ctx, q, page.Owner); err != nil {
		return false, err
	}
	link, err := table.Links.Get(ctx, q, "e.id = $1"+q.RowLock(), page.Link)
	if errors.Is(err, waymark.ErrNotFound) {
		return false, nil
	}
	if err != nil || link.URL != page.URL || link.Owner != page.Owner {
		return false, err
	}
	uploaded, err := hasUploaded(ctx, q, page.Link)
	return !uploaded, err
}

// AddText stores the text snapshot of an archive as SaveText does, and how far the owner has read it, unless the link
// has one.
func (s *Store) AddText(ctx context.Context, owner waymark.UserID, link waymark.LinkID, saved waymark.TextSnapshot, html string, at waymark.ReadingPosition, quota int64) (added bool, err error) {
	row, text, err := newTextSnapshot(link, owner, saved, html)
	if err != nil {
		return false, err
	}
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if added, err = lacksRow(ctx, q, &TextSnapshots, link); err != nil || !added {
			return err
		}
		if err := s.putTextSnapshot(ctx, q, row, text, quota); err != nil || at == (waymark.ReadingPosition{}) {
			return err
		}
		return putPosition(ctx, q, owner, link, at)
	})
	return added, err
}

// lacksRow reports whether a link has no row in a table.
func lacksRow[T any](ctx context.Context, q database.Querier, t *table.Table[T], link waymark.LinkID) (bool, error) {
	_, err := t.Get(ctx, q, "e.link_id = $1", link)
	if errors.Is(err, waymark.ErrNotFound) {
		return true, nil
	}
	return false, err
}

// newTextSnapshot returns the row of a snapshot, and its plain text. It sets Size and Bytes.
func newTextSnapshot(link waymark.LinkID, owner waymark.UserID, saved waymark.TextSnapshot, html string) (row textSnapshot, text string, err error) {
	for _, text := range []*string{&saved.URL, &saved.Title, &saved.Byline, &saved.Language, &saved.Direction} {
		*text = table.Storable(*text) // the texts of an archive can be any
	}
	content, err := compress(html)
	saved.Size, saved.Bytes = int64(len(html)), int64(len(content))
	return textSnapshot{link: link, owner: owner, TextSnapshot: saved, content: content}, article.Text(html), err
}

// putTextSnapshot stores a row, in place of an older one, and the words of its text. It returns
// waymark.ErrSnapshotQuota if the snapshots of the owner would have more than quota bytes.
func (s *Store) putTextSnapshot(ctx context.Context, q database.Querier, row textSnapshot, text string, quota int64) error {
	if err := checkSnapshotQuota(ctx, q, row.owner, TextSnapshots.Name, row.link, row.Bytes, quota); err != nil {
		return err
	}
	if err := replaceRow(ctx, q, &TextSnapshots, row.link, row); err != nil {
		return err
	}
	return s.IndexWords(ctx, q, row.link, text)
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

// checkSnapshotQuota returns waymark.ErrSnapshotQuota if a row of these bytes for a link, in one of
// the two tables, would exceed the user's quota.
func checkSnapshotQuota(ctx context.Context, q database.Querier, owner waymark.UserID, table string, link waymark.LinkID, bytes, quota int64) error {
	used, err := usedBytes(ctx, q, owner, table, link)
	if err == nil && used+bytes > quota {
		err = waymark.ErrSnapshotQuota
	}
	return err
}

// usedBytes returns the bytes of a user's snapshots and attachments, without the row of a link in one
// of the two tables. There is no link 0.
func usedBytes(ctx context.Context, q database.Querier, owner waymark.UserID, table string, without waymark.LinkID) (int64, error) {
	return database.QueryOne(ctx, q, database.ScanValue[int64], `
		SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) - coalesce((
			SELECT bytes
			FROM `+table+`
			WHERE link_id = $2), 0)
		FROM (
			SELECT bytes FROM text_snapshots WHERE user_id = $1
			UNION ALL
			SELECT bytes FROM full_snapshots WHERE user_id = $1
			UNION ALL
			SELECT bytes FROM attachments WHERE user_id = $1) AS stored`, owner, without)
}

// Text returns the snapshot of a link's page that viewer sees, without its text. Guests see no snapshots.
// It returns waymark.ErrForbidden if viewer may not see
// the link, and waymark.ErrNotFound if there is no such link or no snapshot.
func (s *Store) Text(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (waymark.TextSnapshot, error) {
	if viewer == waymark.Guest {
		return waymark.TextSnapshot{}, waymark.ErrNotFound
	}
	if _, err := table.Links.GetVisible(ctx, s.db.Querier(), viewer, int64(id)); err != nil {
		return waymark.TextSnapshot{}, err
	}
	row, err := TextSnapshots.Get(ctx, s.db.Querier(), "e.link_id = $1", id)
	return row.TextSnapshot, err
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
	html, err := decompress(content, maxSize)
	if err != nil {
		return "", fmt.Errorf("the snapshot of the page of link %d: %w", id, err)
	}
	return html, nil
}

// TextHTML is Text with the text as HTML, as article.Sanitize has returned it.
func (s *Store) TextHTML(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (found waymark.TextSnapshot, html string, err error) {
	if found, err = s.Text(ctx, viewer, id); err != nil {
		return found, "", err
	}
	html, err = storedHTML(ctx, s.db.Querier(), TextSnapshots.Name, id, maxTextSize)
	return found, html, err
}

// Remove deletes the snapshot of the page of the user's own active link, and its full snapshots. It returns waymark.ErrNotFound if there is neither.
func (s *Store) Remove(ctx context.Context, user waymark.User, id waymark.LinkID) error {
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		link, err := table.Links.Get(ctx, q, "e.id = $1 AND e.visible_to IS NOT NULL"+q.RowLock(), id)
		if err != nil {
			return err
		}
		if err := user.MayWrite(waymark.Target{Kind: waymark.Links, Owner: link.Owner}); err != nil {
			return err
		}
		deleted := int64(0)
		for _, rows := range []string{
			"text_snapshots WHERE link_id = $1", "full_snapshots WHERE link_id = $1", "attachments WHERE link_id = $1 AND full_snapshot",
		} {
			n, err := q.Exec(ctx, "DELETE FROM "+rows, id)
			if err != nil {
				return err
			}
			deleted += n
		}
		if err := table.OrNotFound(deleted, nil); err != nil {
			return err
		}
		return s.ForgetWords(ctx, q, id)
	})
	if err == nil {
		_ = s.db.EmptyWAL(ctx) // the deletion is committed, and Store.EmptyWAL of package store tries again
	}
	return err
}

// TextsWithoutHTML returns the snapshots of some links that viewer sees, by link, without their texts. Guests see none.
func (s *Store) TextsWithoutHTML(ctx context.Context, viewer waymark.UserID, ids []waymark.LinkID) (map[waymark.LinkID]waymark.TextSnapshot, error) {
	if viewer == waymark.Guest || len(ids) == 0 {
		return nil, nil
	}
	q := s.db.Querier()
	a := q.Args()
	found, err := TextSnapshots.All(ctx, q, `e.link_id `+database.In(a, ids)+` AND EXISTS (
			SELECT 1
			FROM links AS l
			WHERE l.id = e.link_id AND `+query.VisibleTo(a, database.Unindexed("l.visible_to"), viewer)+")", a.Values...)
	texts := make(map[waymark.LinkID]waymark.TextSnapshot, len(found))
	for _, row := range found {
		texts[row.link] = row.TextSnapshot
	}
	return texts, err
}

// Texts returns the texts of the snapshots of some links that viewer sees, by link, without those
// whose HTML has more than maxSize bytes. Guests see no snapshots.
func (s *Store) Texts(ctx context.Context, viewer waymark.UserID, ids []waymark.LinkID, maxSize int64) (map[waymark.LinkID]string, error) {
	texts := map[waymark.LinkID]string{}
	if viewer == waymark.Guest || len(ids) == 0 {
		return texts, nil
	}
	type row struct {
		link    waymark.LinkID
		content []byte
	}
	scan := func(rows *sql.Rows, r *row) error { return rows.Scan(&r.link, &r.content) }
	q := s.db.Querier()
	a := q.Args()
	for r, err := range database.QueryEach(ctx, q, scan, `
		SELECT c.link_id, c.content
		FROM text_snapshots AS c`+database.JoinInOrder+`links AS e
		WHERE c.link_id `+database.In(a, ids)+` AND c.size <= `+a.Add(maxSize)+` AND e.id = c.link_id AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), viewer), a.Values...) {
		if err != nil {
			return nil, err
		}
		html, err := decompress(r.content, maxTextSize)
		if err != nil {
			continue // waymark doctor reports it
		}
		texts[r.link] = article.Text(html)
	}
	return texts, nil
}

// IndexWords stores the words of a link's snapshot, so that searches find it, and how long its text takes to read. They
// replace those of an older snapshot. It appends the link to the log of changes, which makes cached counts invalid.
func (s *Store) IndexWords(ctx context.Context, q database.Querier, link waymark.LinkID, text string) error {
	return indexWords(ctx, q, s.dialect, link, text)
}

func indexWords(ctx context.Context, q database.Querier, dialect *query.Dialect, link waymark.LinkID, text string) error {
	if _, err := q.Exec(ctx, dialect.SaveSnapshotWords, link, strings.Join(waymark.SnapshotWords(text), " ")); err != nil {
		return err
	}
	return setMinutes(ctx, q, link, waymark.Minutes(text))
}

// ForgetWords deletes the words of a link's snapshot. Triggers do so for a deleted link.
func (s *Store) ForgetWords(ctx context.Context, q database.Querier, link waymark.LinkID) error {
	if _, err := q.Exec(ctx, s.dialect.DeleteSnapshotWords, link); err != nil {
		return err
	}
	return setMinutes(ctx, q, link, 0)
}

// setMinutes writes how long the text of a link takes to read. A trigger appends the link to the log of changes.
func setMinutes(ctx context.Context, q database.Querier, link waymark.LinkID, minutes int) error {
	_, err := q.Exec(ctx, `
		UPDATE links
		SET minutes = $2
		WHERE id = $1`, link, min(minutes, math.MaxUint16))
	return err
}

// Any reports whether there are snapshots of pages to search. It runs no statement:
// RefreshSearchIndex looks for snapshots until it has found one.
func (s *Store) Any() bool { return s.any.Load() }

// LookForAny makes Any true if there is a snapshot.
func (s *Store) LookForAny(ctx context.Context) error {
	if s.any.Load() {
		return nil
	}
	found, err := database.Exists(ctx, s.db.Querier(), "snapshot_words")
	if found {
		s.any.Store(true)
	}
	return err
}

// SaveReadingPosition stores how far a user has read the text of a link, in place of an earlier position. It returns
// waymark.ErrForbidden if the user does not see the link, and waymark.ErrNotFound if there is no such link or no text.
func (s *Store) SaveReadingPosition(ctx context.Context, user waymark.UserID, link waymark.LinkID, p waymark.ReadingPosition) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if seen, err := table.Links.GetVisible(ctx, q, user, int64(link)); err != nil || seen.Minutes == 0 {
			return table.OrNotFound(0, err)
		}
		return putPosition(ctx, q, user, link, p)
	})
}

func putPosition(ctx context.Context, q database.Querier, user waymark.UserID, link waymark.LinkID, p waymark.ReadingPosition) error {
	_, err := q.Exec(ctx, `
		INSERT INTO reading_positions (user_id, link_id, paragraph, per_mille)
		VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, link_id) DO UPDATE SET paragraph = excluded.paragraph, per_mille = excluded.per_mille`, user, link, p.Paragraph, p.PerMille)
	return err
}

// ReadingPositions returns how far a user has read the texts of some links, without those that were not begun.
func (s *Store) ReadingPositions(ctx context.Context, user waymark.UserID, links []waymark.LinkID) (map[waymark.LinkID]waymark.ReadingPosition, error) {
	return readPositions(ctx, s.db.Querier(), user, links)
}

func readPositions(ctx context.Context, q database.Querier, user waymark.UserID, links []waymark.LinkID) (map[waymark.LinkID]waymark.ReadingPosition, error) {
	positions := map[waymark.LinkID]waymark.ReadingPosition{}
	if len(links) == 0 {
		return positions, nil
	}
	type row struct {
		link waymark.LinkID
		waymark.ReadingPosition
	}
	scan := func(rows *sql.Rows, r *row) error { return rows.Scan(&r.link, &r.Paragraph, &r.PerMille) }
	a := q.Args(user)
	for r, err := range database.QueryEach(ctx, q, scan, `
		SELECT link_id, paragraph, per_mille
		FROM reading_positions
		WHERE user_id = $1 AND link_id `+database.In(a, links), a.Values...) {
		if err != nil {
			return nil, err
		}
		positions[r.link] = r.ReadingPosition
	}
	return positions, nil
}
