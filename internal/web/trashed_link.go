package web

import (
	"html/template"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// trashedLinkPage is the data of the page of a link that is in the user's trash. It has no notes
// and no snapshot of the page: those cannot be read until the link is restored.
type trashedLinkPage struct {
	Link        linkView
	Description template.HTML
	Lists       []nameView
	Tags        []nameView
	Visibility  string
	Since       page.Moment
	Again       waymark.LinkID // the user's other link with the URL, which is not in the trash, or 0
}

func (p trashedLinkPage) PageTitle() string { return p.Link.Title }

// showTrashedLink sends the page of a link in the user's trash. It returns waymark.ErrNotFound if
// there is no such link, also if another user has it in their trash.
func showTrashedLink(r *page.Request, id waymark.LinkID) error {
	link, err := r.Store.TrashedLink(r.Context(), r.User.ID, id)
	if err != nil {
		return err
	}
	view, err := newLinkView(r, link)
	if err != nil {
		return err
	}
	lists, err := listNames(r, link.Lists)
	if err != nil {
		return err
	}
	p := trashedLinkPage{
		Link: view, Description: page.Markdown(link.Description, 2), Lists: lists, Tags: tagNames(link.Tags),
		Visibility: link.Visibility.String(), Since: r.Moment(link.DeletedAt),
	}
	other, err := r.Store.LinkByURL(r.Context(), r.User.ID, link.URL)
	if err != nil {
		return err
	}
	if other.DeletedAt == 0 {
		p.Again = other.ID
	}
	return r.Render("trashed-link", p)
}
