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
	if err := f.showToOthers(r); err != nil {
		return err
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

// showToOthers makes the link of a new form as visible as a shared list in it. Otherwise the form has the preset.
func (f *linkForm) showToOthers(r *page.Request) error {
	lists, err := listRefs(r, parseNames(f.Lists), nil)
	if _, wrong := errors.AsType[page.Problems](err); wrong { // the form says so when it is sent
		err = nil
	}
	if err != nil {
		return err
	}
	shared, err := sharedAmong(r, *lists)
	if err != nil {
		return err
	}
	if len(shared) > 0 {
		f.Shared = shared[0].Name
		if visibility, _ := waymark.ParseVisibility(f.Visibility); visibility > shared[0].Visibility {
			f.Visibility = shared[0].Visibility.String()
			return nil
		}
	}
	if f.Visibility == r.User.DefaultVisibility.Links.String() {
		f.Preset = f.Visibility
	}
	return nil
}

// renderLinkForm sends the form for a new link, or in a window of its own.
func renderLinkForm(r *page.Request, status int, f linkForm) error {
	f.Heading = r.T("link-form.create-title")
	if f.ID == 0 {
		f.Previews = previewsOf(r)
	}
	var err error
	if f.Offered, err = offeredTags(r, f.URL, f.Title, parseNames(f.Tags)); err != nil {
		return err
	}
	if f.Window {
		return renderLinkWindow(r, status, f)
	}
	if f.KnownLists, f.KnownTags, err = knownNames(r); err != nil {
		return err
	}
	return r.RenderStatus(status, "link-form", f)
}
