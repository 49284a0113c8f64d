package store

import (
	"context"
	"errors"

	"waymark/internal/database"
	"waymark/internal/fetch/singlefile"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// savedPage is a row of saved_pages.
type savedPage struct {
	link  waymark.LinkID
	owner waymark.UserID
	waymark.SavedPage
	content []byte // compressed; only to be written
}

var savedPages = newTable("saved_pages",
	fixed("link_id", func(p *savedPage) *waymark.LinkID { return &p.link }),
	field("user_id", func(p *savedPage) *waymark.UserID { return &p.owner }),
	field("fetched_at", func(p *savedPage) *waymark.Time { return &p.FetchedAt }),
	field("url", func(p *savedPage) *string { return &p.URL }),
	field("size", func(p *savedPage) *int64 { return &p.Size }),
	field("bytes", func(p *savedPage) *int64 { return &p.Bytes }),
	derived("content", func(p *savedPage) database.Hex { return database.NewHex(p.content) }),
)

// SaveWholePage stores the page of a link as the file that package singlefile has made, as
// SavePageCopy stores a copy of its text.
func (s *Store) SaveWholePage(ctx context.Context, page ClaimedPage, saved waymark.SavedPage, file string, quota int64) error {
	row, err := newSavedPage(page.Link, page.Owner, saved, file)
	if err != nil {
		return err
	}
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if ok, err := claimedLink(ctx, q, page); err != nil || !ok {
			return err
		}
		return putSavedPage(ctx, q, row, quota)
	})
}

// ImportSavedPage stores the saved page of a link of an archive, as ImportPageCopy does. Call it in
// StepImport.
func (s *Store) ImportSavedPage(ctx context.Context, owner waymark.UserID, link ImportedLink, saved waymark.SavedPage, file string, quota int64) error {
	row, err := newSavedPage(link.ID, owner, saved, file)
	if err != nil {
		return err
	}
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if _, err := savedPages.get(ctx, q, "e.link_id = $1", link.ID); !errors.Is(err, waymark.ErrNotFound) {
			return err
		}
		if err := putSavedPage(ctx, q, row, quota); err != nil {
			return err
		}
		if link.Outcome != LinkAdded { // links that were added go to the trash with their pages
			s.record(func(r *undo.Record) {
				r.SavedPages = append(r.SavedPages, undo.Copy{Link: link.ID, FetchedAt: saved.FetchedAt})
			})
		}
		return nil
	})
}

// newSavedPage returns the row of a saved page. It sets Size and Bytes.
func newSavedPage(link waymark.LinkID, owner waymark.UserID, saved waymark.SavedPage, file string) (savedPage, error) {
	content, err := compressCopy(file)
	saved.Size, saved.Bytes = int64(len(file)), int64(len(content))
	return savedPage{link: link, owner: owner, SavedPage: saved, content: content}, err
}

// putSavedPage stores a row, in place of an older one. It returns waymark.ErrCopyQuota if the copies
// of the owner would have more than quota bytes.
func putSavedPage(ctx context.Context, q database.Querier, row savedPage, quota int64) error {
	if err := checkCopyQuota(ctx, q, row.owner, savedPages.name, row.link, row.Bytes, quota); err != nil {
		return err
	}
	return replaceRow(ctx, q, &savedPages, row.link, row)
}

// SavedPage returns the saved page of a link that viewer sees, without the file, as PageCopy does.
func (s *Store) SavedPage(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (waymark.SavedPage, error) {
	if viewer == waymark.Guest {
		return waymark.SavedPage{}, waymark.ErrNotFound
	}
	if err := s.CheckLink(ctx, viewer, id); err != nil {
		return waymark.SavedPage{}, err
	}
	row, err := savedPages.get(ctx, s.db.Querier(), "e.link_id = $1", id)
	return row.SavedPage, err
}

// SavedPageHTML returns the file of the saved page of a link that viewer sees. Package
// singlefile has removed scripts and requests from it. Send it with singlefile.Policy, which
// forbids both again.
func (s *Store) SavedPageHTML(ctx context.Context, viewer waymark.UserID, id waymark.LinkID) (string, error) {
	if _, err := s.SavedPage(ctx, viewer, id); err != nil {
		return "", err
	}
	return storedHTML(ctx, s.db.Querier(), savedPages.name, id, singlefile.MaxBytes)
}

// LinksWithPages returns the links of the collection that have saved pages.
func (c *Collection) LinksWithPages() (map[waymark.LinkID]bool, error) {
	return c.linksIn(savedPages.name)
}

// SavedPage returns the saved page of a link of the collection: see Store.SavedPageHTML.
func (c *Collection) SavedPage(id waymark.LinkID) (waymark.SavedPage, string, error) {
	row, err := savedPages.get(c.ctx, c.q, "e.link_id = $1", id)
	if err != nil {
		return waymark.SavedPage{}, "", err
	}
	file, err := storedHTML(c.ctx, c.q, savedPages.name, id, singlefile.MaxBytes)
	return row.SavedPage, file, err
}
