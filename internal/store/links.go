package store

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"waymark/internal/waymark"
)

var links = entityTable[waymark.Link]{
	table: "links",
	columns: `e.id, e.user_id, e.url, e.title, e.description, e.thumbnail, e.visibility, e.status,
		e.check_disabled, e.created_at, e.updated_at, e.deleted_at`,
	id:    func(l *waymark.Link) int64 { return int64(l.ID) },
	owner: func(l *waymark.Link) waymark.UserID { return l.Owner },
	scanTargets: func(l *waymark.Link) []any {
		return []any{&l.ID, &l.Owner, &l.URL, &l.Title, &l.Description, &l.Thumbnail, &l.Visibility, &l.Status,
			&l.CheckDisabled, &l.CreatedAt, &l.UpdatedAt, &l.DeletedAt}
	},
	orderColumns: map[waymark.SortField][]string{
		waymark.SortByID:            {},
		waymark.SortByURL:           {"e.url_key", "e.url"},
		waymark.SortByTitle:         {"e.title_key", "e.title"},
		waymark.SortByDescription:   {"e.description_key", "e.description"},
		waymark.SortByPrivate:       {"e.shelf"}, // what is shared stands on shelf 0, before all others
		waymark.SortByVisibility:    {"e.visibility"},
		waymark.SortByStatus:        {"e.status"},
		waymark.SortByCheckDisabled: {"e.check_disabled"},
		waymark.SortByCreatedAt:     {"e.created_at"},
		waymark.SortByUpdatedAt:     {"e.updated_at"},
	},
	newLoader: newLabelLoader,
}

// Links shows a page of the links that viewer may see.
func (s *Store) Links(ctx context.Context, viewer waymark.UserID, order waymark.Order, page waymark.Pagination, show Emit[waymark.Link]) error {
	return browse(ctx, s, &links, everything("links", viewer, order), page, show)
}

// Link returns an active link that viewer may see.
func (s *Store) Link(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (waymark.Link, error) {
	var link waymark.Link
	err := s.view(ctx, func(q querier) (err error) {
		if link, err = getActive(ctx, q, &links, int64(id)); err != nil {
			return err
		}
		if !viewer.MaySee(link.Owner, link.Visibility) {
			return waymark.ErrForbidden
		}
		return loadLink(ctx, q, viewer, &link)
	})
	return link, err
}

// HasURL tells whether viewer may see an active link with exactly that address.
func (s *Store) HasURL(ctx context.Context, viewer waymark.UserID, url string) (bool, error) {
	if !storableText(url) {
		return false, nil
	}
	found, err := queryOne(ctx, s.ask(), scanValue[bool], `
		SELECT EXISTS (
			SELECT 1
			FROM links AS e
			WHERE e.url_hash = $1 AND e.url = $2 AND e.shelf IN (0, $3))`, urlHash(url), url, viewer)
	return found, s.dialect.mapError(err)
}

// CreateLinks keeps new links of owner, all or none, with their lists and tags,
// which are made where owner has none of that name. Addresses that owner has
// already, or that come twice, are a waymark.ConflictError.
func (s *Store) CreateLinks(ctx context.Context, owner waymark.User, drafts []waymark.LinkDraft) ([]waymark.Link, error) {
	var created []waymark.Link
	err := s.change(ctx, func(ctx context.Context, q querier) error {
		urls := make([]string, len(drafts))
		for i, draft := range drafts {
			urls[i] = draft.URL
		}
		switch at, err := duplicateURLs(ctx, q, owner.ID, urls, 0); {
		case err != nil:
			return err
		case len(at) > 0:
			return &waymark.ConflictError{Indexes: at}
		}
		now := s.now()
		created = make([]waymark.Link, len(drafts))
		rows := make([][]any, len(drafts))
		for i, draft := range drafts {
			link := draft.Link
			link.Owner, link.CreatedAt, link.UpdatedAt = owner.ID, now, now
			created[i] = link
			rows[i] = append([]any{link.Owner, link.CreatedAt}, linkValues(&link)...)
		}
		ids, err := insert[waymark.LinkID](ctx, q, "links", slices.Concat(immutableColumns, linkColumns), rows)
		if err != nil {
			return err
		}
		var into, with attachments
		for i, draft := range drafts {
			created[i].ID = ids[i]
			into.add(ids[i], draft.IntoLists)
			with.add(ids[i], draft.WithTags)
		}
		if err := s.attach(ctx, q, linkLists, owner, into); err != nil {
			return err
		}
		if err := s.attach(ctx, q, linkTags, owner, with); err != nil {
			return err
		}
		for some := range slices.Chunk(created, chunk) {
			if err := loadLabels(ctx, q, owner.ID, some); err != nil {
				return err
			}
		}
		return nil
	})
	return created, err
}

// DuplicateURLs returns the places of those addresses that owner has already, on
// another active link than except, or that come a second time.
func (s *Store) DuplicateURLs(ctx context.Context, owner waymark.UserID, urls []string, except waymark.LinkID) ([]int, error) {
	at, err := duplicateURLs(ctx, s.ask(), owner, urls, except)
	return at, s.dialect.mapError(err)
}

func duplicateURLs(ctx context.Context, q querier, owner waymark.UserID, urls []string, except waymark.LinkID) (at []int, err error) {
	hashes := make([]string, len(urls))
	for i, url := range urls {
		hashes[i] = urlHash(url)
	}
	a := q.args(owner, except)
	taken := map[string]bool{}
	for hash, err := range queryEach(ctx, q, scanValue[string], `
		SELECT url_hash
		FROM links
		WHERE url_hash `+in(a, hashes)+` AND user_id = $1 AND id <> $2 AND shelf IS NOT NULL`, a.values...) {
		if err != nil {
			return nil, err
		}
		taken[hash] = true
	}
	for i, hash := range hashes {
		if taken[hash] {
			at = append(at, i)
		}
		taken[hash] = true
	}
	return at, nil
}

// ChangeLink changes an active link as change says, and files it where lists and
// tags are not nil. What change refuses stays as it was.
func (s *Store) ChangeLink(ctx context.Context, editor waymark.User, id waymark.LinkID, lists, tags *[]waymark.Ref, change func(*waymark.Link) error) (waymark.Link, error) {
	var link waymark.Link
	err := s.change(ctx, func(ctx context.Context, q querier) (err error) {
		if link, err = getActive(ctx, q, &links, int64(id)); err != nil {
			return err
		}
		if err := change(&link); err != nil {
			return err
		}
		link.UpdatedAt = s.now()
		a := q.args(id)
		if _, err := q.exec(ctx, `
			UPDATE links
			SET `+linkColumns.assign(a, linkValues(&link))+`
			WHERE id = $1`, a.values...); err != nil {
			return err
		}
		if lists != nil {
			if err := s.setAttachments(ctx, q, linkLists, editor, []waymark.LinkID{id}, *lists, true); err != nil {
				return err
			}
		}
		if tags != nil {
			if err := s.setAttachments(ctx, q, linkTags, editor, []waymark.LinkID{id}, *tags, true); err != nil {
				return err
			}
		}
		return loadLink(ctx, q, editor.ID, &link)
	})
	return link, err
}

// immutableColumns are the columns of an entry that never change.
var immutableColumns = columns{{"user_id", "BIGINT"}, {"created_at", "BIGINT"}}

// linkColumns are those that follow from what a link says of itself, and
// linkValues their values.
var linkColumns = columns{
	{"visibility", "INTEGER"},
	{"status", "INTEGER"},
	{"check_disabled", "BOOLEAN"},
	{"updated_at", "BIGINT"},
	{"url", "TEXT"},
	{"url_hash", "TEXT"},
	{"title", "TEXT"},
	{"thumbnail", "TEXT"},
	{"description", "TEXT"},
	{"url_key", "TEXT"},
	{"title_key", "TEXT"},
	{"description_key", "TEXT"},
}

func linkValues(l *waymark.Link) []any {
	return []any{l.Visibility, l.Status, l.CheckDisabled, l.UpdatedAt, l.URL, urlHash(l.URL), l.Title, l.Thumbnail, l.Description,
		waymark.Fold(l.URL), waymark.Fold(l.Title), waymark.Fold(l.Description)}
}

func loadLink(ctx context.Context, q querier, viewer waymark.UserID, link *waymark.Link) error {
	one := []waymark.Link{*link}
	err := loadLabels(ctx, q, viewer, one)
	*link = one[0]
	return err
}

// urlHash stands for an address where it must be unique: an address may be longer
// than what an index can hold.
func urlHash(url string) string {
	sum := sha256.Sum256([]byte(url))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}
