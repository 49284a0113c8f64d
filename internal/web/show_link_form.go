package web

import (
	"cmp"
	"errors"
	"net/http"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// showLinkCreate shows the form for a new link. The query fills it in. Bookmarklets of Waymark and
// LinkAce send its parameters, and apps that share a page.
func showLinkCreate(r *page.Request) error { return showNewLink(r, false) }

// showLinkWindow shows the form in a window of its own.
func showLinkWindow(r *page.Request) error { return showNewLink(r, true) }

func showNewLink(r *page.Request, window bool) error {
	query := r.Parameters
	f := linkForm{
		Window: window, URL: firstOf(query, "url", "u"), Title: firstOf(query, "title", "t"), Description: firstOf(query, "description", "d"),
		Lists: query.Get("lists"), Tags: query.Get("tags"), Visibility: query.Get("visibility"), Note: query.Get("note"), Outside: page.Quoted(query.Get("outside")), Back: r.Back(""), Links: r.LinksPath(),
	}
	f.Flags.Unread = r.Settings.SaveUnread
	text := query.Get("text")
	if f.URL == "" {
		f.URL = cmp.Or(urlIn(text), urlIn(f.Title))
	}
	f.URL = withScheme(withoutFragmentDirective(waymark.TrimInvisible(f.URL)))
	if f.Description == "" {
		f.Description = textBeside(f, text)
	}
	if _, err := waymark.ParseVisibility(f.Visibility); err != nil {
		f.Visibility = r.User.DefaultVisibility.Links.String()
	}
	if err := findExisting(r, &f); err != nil {
		return err
	}
	if window && f.Existing != nil && !f.Existing.Trashed {
		if err := fillInExisting(r, &f); err != nil {
			return err
		}
	}
	return renderLinkForm(r, http.StatusOK, f)
}

// showLinkEdit shows the form for a link: as a page, or in the row of the link.
func showLinkEdit(r *page.Request) error {
	link, err := ownLink(r)
	if errors.Is(err, page.ErrTrashed) && !inRow(r, link.ID) {
		return r.Redirect(linkPath(link.ID))
	}
	if err != nil {
		return err
	}
	lists, err := listNames(r, link.Lists)
	if err != nil {
		return err
	}
	f := linkForm{
		ID: link.ID, URL: link.URL, Title: link.Title, Description: link.Description,
		Lists: formatViews(lists), Tags: formatViews(tagNames(link.Tags)),
		Visibility: link.Visibility.String(), Flags: link.LinkFlags, Back: r.Back(""), Links: r.LinksPath(),
		SnapshotChoices: linkSnapshotChoices(r, link.Snapshots), Version: link.UpdatedAt.String(),
		InTags: r.Parameters.Get("field") == "tags",
	}
	r.FillIn(map[string]*string{
		"url": &f.URL, "title": &f.Title, "description": &f.Description, "lists": &f.Lists, "tags": &f.Tags, "visibility": &f.Visibility,
		"version": &f.Version,
	})
	return renderLinkForm(r, http.StatusOK, f)
}

// renderLinkForm sends the form: as a page, or in the row of the link.
func renderLinkForm(r *page.Request, status int, f linkForm) error {
	f.Heading = r.T("link-form.create-title")
	if f.ID != 0 {
		f.Heading = r.T("link-form.edit-title", "title", f.Title)
	}
	if inRow(r, f.ID) {
		return r.RenderPartStatus(status, "row-form", f)
	}
	if f.ID == 0 {
		f.Previews = previewsOf(r)
	}
	if f.Window {
		return renderLinkWindow(r, status, f)
	}
	var err error
	if f.KnownLists, f.KnownTags, err = knownNames(r); err != nil {
		return err
	}
	return r.RenderStatus(status, "link-form", f)
}
