package web

import (
	"errors"
	"html/template"

	"waymark/internal/waymark"
)

// snapshotPage is the data of the page with the snapshot of a link's page.
type snapshotPage struct {
	Link      linkView
	Title     string // of the page, or of the link
	Byline    string
	Fetched   moment
	Language  string // "" if it is not known
	Direction string // "auto" if it is not known
	Text      template.HTML
	Back      string // the page from which people came to the page of the link, "" if it is not known
}

// pageTitle implements titled.
func (p snapshotPage) pageTitle() string { return p.Title }

// snapshotTime returns when the snapshot of a link's page was made, nil if there is none.
func snapshotTime(v *visit, id waymark.LinkID) (*moment, error) {
	found, err := v.Store.TextSnapshot(v.ctx(), v.user.ID, id)
	if errors.Is(err, waymark.ErrNotFound) {
		return nil, nil //nolint:nilnil // there is no snapshot
	}
	at := v.moment(found.FetchedAt)
	return &at, err
}

// showSnapshot shows the snapshot of a link's page.
func showSnapshot(v *visit) error {
	id, err := pathID[waymark.LinkID](v)
	if err != nil {
		return err
	}
	link, err := v.Store.Link(v.ctx(), v.user.ID, id)
	if err != nil {
		return err
	}
	found, html, err := v.Store.TextSnapshotHTML(v.ctx(), v.user.ID, id)
	if err != nil {
		return err
	}
	view, err := newLinkView(v, link)
	if err != nil {
		return err
	}
	p := snapshotPage{
		Link: view, Title: found.Title, Byline: found.Byline, Fetched: v.moment(found.FetchedAt),
		Language: found.Language, Direction: found.Direction,
		Text: template.HTML(html), //nolint:gosec // package article has sanitized it
		Back: v.back(""),
	}
	if p.Title == "" {
		p.Title = p.Link.Title
	}
	if p.Direction == "" {
		p.Direction = "auto"
	}
	return v.render("snapshot", p)
}

// removeSnapshot deletes the snapshot of a link's page.
func removeSnapshot(v *visit) error {
	link, err := ownLink(v)
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	if err := v.Crawler.RemoveSnapshots(v.ctx(), v.user, link.ID); err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return err
	}
	return v.changed(backToLink(v, link.ID), toast{Text: v.t("snapshot.removed")})
}
