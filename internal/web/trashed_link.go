package web

import (
	"html/template"

	"waymark/internal/waymark"
)

// trashedLinkPage is the data of the page of a link that is in the user's trash. It has no notes
// and no snapshot of the page: those cannot be read until the link is restored.
type trashedLinkPage struct {
	Link        linkView
	Description template.HTML
	Lists       []nameView
	Tags        []nameView
	Visibility  string
	Since       moment
	Again       waymark.LinkID // the user's other link with the address, which is not in the trash, or 0
}

// pageTitle implements titled.
func (p trashedLinkPage) pageTitle() string { return p.Link.Title }

// showTrashedLink sends the page of a link in the user's trash. It returns waymark.ErrNotFound if
// there is no such link, also if another user has it in their trash.
func showTrashedLink(v *visit, id waymark.LinkID) error {
	link, err := v.Store.TrashedLink(v.ctx(), v.user.ID, id)
	if err != nil {
		return err
	}
	view, err := newLinkView(v, link)
	if err != nil {
		return err
	}
	p := trashedLinkPage{
		Link: view, Description: markdown(link.Description, 2), Lists: listNames(link.Lists), Tags: tagNames(link.Tags),
		Visibility: link.Visibility.String(), Since: v.moment(link.DeletedAt),
	}
	other, err := v.Store.LinkByURL(v.ctx(), v.user.ID, link.URL)
	if err != nil {
		return err
	}
	if other.DeletedAt == 0 {
		p.Again = other.ID
	}
	return v.render("trashed-link", p)
}
