package web

import (
	"errors"
	"html/template"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// copyPage is the data of the page with the copy of a link's page.
type copyPage struct {
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
func (p copyPage) pageTitle() string { return p.Title }

// copyTime returns when the copy of a link's page was made, nil if there is none.
func (v *visit) copyTime(id waymark.LinkID) (*moment, error) {
	found, err := v.Store.PageCopy(v.ctx(), v.user.ID, id)
	if errors.Is(err, waymark.ErrNotFound) {
		return nil, nil //nolint:nilnil // there is no copy
	}
	at := v.moment(found.FetchedAt)
	return &at, err
}

// showCopy shows the copy of a link's page.
func (v *visit) showCopy() error {
	id, err := pathID[waymark.LinkID](v)
	if err != nil {
		return err
	}
	link, err := v.Store.Link(v.ctx(), v.user.ID, id)
	if err != nil {
		return err
	}
	found, err := v.Store.PageCopy(v.ctx(), v.user.ID, id)
	if err != nil {
		return err
	}
	if err := httpx.Reserve(v.w, 4*found.Size); err != nil { // for the text, and twice for the page
		return err
	}
	found, html, err := v.Store.PageCopyHTML(v.ctx(), v.user.ID, id)
	if err != nil {
		return err
	}
	p := copyPage{
		Link: v.linkView(link), Title: found.Title, Byline: found.Byline, Fetched: v.moment(found.FetchedAt),
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
	return v.render("copy", p)
}

// copyChoice is a choice of which copies are made.
type copyChoice struct {
	Value  waymark.CopyChoice
	Label  string
	Chosen bool
}

// copyChoices returns first and the choices among the copies that the server makes, nil if it makes
// none.
func (v *visit) copyChoices(chosen waymark.CopyChoice, first ...copyChoice) []copyChoice {
	if !v.Service.PageParts.Has(waymark.CopyPart) {
		return nil
	}
	choices := first
	if v.Service.PageParts.Has(waymark.SavedPagePart) {
		choices = append(choices, copyChoice{Value: waymark.AllCopies, Label: v.t("copy.keep-page")}, copyChoice{Value: waymark.TextCopies, Label: v.t("copy.keep-text")})
	} else {
		choices = append(choices, copyChoice{Value: waymark.AllCopies, Label: v.t("copy.keep-text")})
		if chosen == waymark.TextCopies {
			chosen = waymark.AllCopies // the same if the text is all that the server copies
		}
	}
	choices = append(choices, copyChoice{Value: waymark.NoCopies, Label: v.t("copy.keep-none")})
	for i := range choices {
		choices[i].Chosen = choices[i].Value == chosen
	}
	return choices
}

// removeCopy deletes the copy of a link's page.
func (v *visit) removeCopy() error {
	link, err := v.ownLink()
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	if err := v.Service.RemovePageCopy(v.ctx(), v.user, link.ID); err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return err
	}
	return v.changed(v.backToLink(link.ID), toast{Text: v.t("copy.removed")})
}
