package web

import (
	"context"

	"waymark/internal/query"
	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// sharePage is the data of the page, or dialog, on which people choose who sees a list of theirs.
type sharePage struct {
	ID         waymark.ListID
	Name       string
	Visibility string
	URL        string // that others open, "" if there are none
	Feed       feedLink
	Hidden     int    // the owner's links in it that those who see the list do not see
	Selection  string // the query of these
	Saved      string // what was saved, "" for nothing
	Undo       string
}

// PageTitle returns the title of the document.
func (p sharePage) PageTitle() string { return p.Name }

// Path returns the path of the list.
func (p sharePage) Path() string { return listPath(p.ID) }

func newSharePage(r *page.Request, list waymark.List) (sharePage, error) {
	p := sharePage{ID: list.ID, Name: list.Name, Visibility: list.Visibility.String()}
	hidden, guests := waymark.NotOf(waymark.IsPublic), ""
	switch {
	case list.Visibility == waymark.Private:
		return p, nil
	case list.Visibility == waymark.Internal:
		hidden = waymark.IsPrivate
	case r.Config.GuestPages:
		guests = "/guest" + p.Path()
	}
	p.URL = r.AbsoluteURL(p.Path())
	if guests != "" {
		p.URL, guests = r.AbsoluteURL(guests), guests+"/feed"
	}
	var err error
	if p.Feed, err = makeFeedLink(r, p.Path()+"/feed", nil, guests); guests != "" {
		p.Feed = feedLink{guests, true} // the other one has the token of the user
	}
	if err != nil {
		return p, err
	}
	where := waymark.And{hasID(waymark.Lists, int64(list.ID)), waymark.IsMine, hidden}
	counts, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{{Where: where}})
	if err == nil {
		p.Hidden, p.Selection = max(0, counts[0]), query.Print(where)
	}
	return p, err
}

func showShare(r *page.Request, list waymark.List) error {
	p, err := newSharePage(r, list)
	if err != nil {
		return err
	}
	if r.Partial("place") {
		return r.RenderPart("share-part", p)
	}
	return r.Render("share", p)
}

// saveShare saves who sees a list.
func saveShare(r *page.Request, list waymark.List) error {
	visibility, err := waymark.ParseVisibility(r.Field("visibility"))
	if err != nil {
		return err
	}
	edit := waymark.BulkEdit{Visibility: &visibility}
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error {
		_, err := s.EditLists(ctx, r.User, []int64{int64(list.ID)}, edit)
		return err
	})
	if err != nil {
		return err
	}
	list.Visibility = visibility
	saved := r.T("labels.changed", "name", page.Quoted(list.Name))
	if !r.Partial("shared") {
		path := listPath(list.ID) + "/share"
		return r.Changed(path, page.Toast{Text: saved, Undo: undo, Back: path})
	}
	p, err := newSharePage(r, list)
	if err != nil {
		return err
	}
	p.Saved, p.Undo = saved, undo
	return r.RenderPart("shared-part", p)
}
