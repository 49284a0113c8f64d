package web

import (
	"errors"
	"html/template"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// snapshotPage is the data of the page with the snapshot of a link's page.
type snapshotPage struct {
	Link      linkView
	Title     string // of the page, or of the link
	Byline    string
	Fetched   page.Moment
	Language  string // "" if it is not known
	Direction string // "auto" if it is not known
	Text      template.HTML
	Back      string // the page from which people came to the page of the link, "" if it is not known
}

func (p snapshotPage) PageTitle() string { return p.Title }

// snapshotTime returns when the snapshot of a link's page was made, nil if there is none.
func snapshotTime(r *page.Request, id waymark.LinkID) (*page.Moment, error) {
	found, err := r.Store.Snapshots.Text(r.Context(), r.User.ID, id)
	if errors.Is(err, waymark.ErrNotFound) {
		return nil, nil //nolint:nilnil // there is no snapshot
	}
	at := r.Moment(found.FetchedAt)
	return &at, err
}

// showSnapshot shows the snapshot of a link's page.
func showSnapshot(r *page.Request, link waymark.Link) error {
	found, html, err := r.Store.Snapshots.TextHTML(r.Context(), r.User.ID, link.ID)
	if err != nil {
		return err
	}
	view, err := newLinkView(r, link)
	if err != nil {
		return err
	}
	p := snapshotPage{
		Link: view, Title: found.Title, Byline: found.Byline, Fetched: r.Moment(found.FetchedAt),
		Language: found.Language, Direction: found.Direction,
		Text: template.HTML(html), //nolint:gosec // package article has sanitized it
		Back: r.Back(""),
	}
	if p.Title == "" {
		p.Title = p.Link.Title
	}
	if p.Direction == "" {
		p.Direction = "auto"
	}
	return r.Render("snapshot", p)
}

// removeSnapshot deletes the snapshot of a link's page.
func removeSnapshot(r *page.Request, link waymark.Link) error {
	if err := r.Crawler.RemoveSnapshots(r.Context(), r.User, link.ID); err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return err
	}
	return r.Changed(backToLink(r, link.ID), page.Toast{Text: r.T("snapshot.removed")})
}
