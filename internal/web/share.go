package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"waymark/internal/query"
	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// sharePage is the data of the page, or dialog, on which people choose who sees and who changes a list of theirs.
type sharePage struct {
	ID            waymark.ListID
	Name          string
	Visibility    string
	URL           string // that others open, "" if there are none
	Feed          feedLink
	Hidden        int    // the owner's links in it that those who see the list do not see
	Selection     string // the query of these
	PrivateToThem int    // links of others in it that the owner does not see

	Who      string // who changes it: see waymark.Editing
	Users    string // their names, with commas between them
	Parent   string // the name of the list whose choice counts if it has none, "" for a list that stands in no other one
	AsParent string // whom that is
	Problems page.Problems

	Saved  string // what was saved, "" for nothing
	Undo   string
	Shown  bool // the choice of who changes the list has made it visible
	Copies bool // people have chosen who sees it: a script copies its URL
}

// PageTitle returns the title of the document.
func (p sharePage) PageTitle() string { return p.Name }

// Path returns the path of the list.
func (p sharePage) Path() string { return listPath(p.ID) }

func newSharePage(r *page.Request, list waymark.List) (sharePage, error) {
	p := sharePage{ID: list.ID, Name: list.Name, Visibility: list.Visibility.String()}
	if err := p.addEditors(r, list); err != nil {
		return p, err
	}
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

// addEditors adds who changes a list.
func (p *sharePage) addEditors(r *page.Request, list waymark.List) error {
	editors, err := r.Service.ListEditors(r.Context(), r.User, list.ID)
	if err != nil {
		return err
	}
	p.Who = editors.Who.String()
	if editors.Who == waymark.EditedByNamed {
		p.Users = strings.Join(editors.Users, ", ")
	}
	if p.PrivateToThem, err = r.Store.HiddenLinks(r.Context(), list.Owner, list.ID); err != nil || list.Parent == 0 {
		return err
	}
	p.Parent = list.Path[len(list.Path)-1].Name
	if p.AsParent, err = whoChanges(r, list.Parent); p.AsParent == "" {
		p.AsParent = r.T("share.only-me")
	}
	return err
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
	return shareSaved(r, list, sharePage{Undo: undo, Copies: true})
}

// saveEditors saves who changes a list. One that is private becomes internal, because others change only what they see.
func saveEditors(r *page.Request, list waymark.List) error {
	before, err := r.Service.ListEditors(r.Context(), r.User, list.ID)
	if err != nil {
		return err
	}
	who, err := waymark.ParseEditing(r.Field("who"))
	if err != nil {
		return page.Error{Status: http.StatusUnprocessableEntity}
	}
	var names []string
	if who == waymark.EditedByNamed { // another choice leaves what is in the field
		names = parseNames(r.Field("users"))
		if wrong := wrongNames(r, names, before.Who != who); wrong != nil {
			return showShareProblems(r, list, wrong)
		}
	}
	shows := list.Visibility == waymark.Private && who.IsShared()
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error {
		if shows {
			if _, err := s.EditLists(ctx, r.User, []int64{int64(list.ID)}, waymark.BulkEdit{Visibility: new(waymark.Internal)}); err != nil {
				return err
			}
		}
		return s.SetListEditors(ctx, r.User, list.ID, waymark.Editors{Who: who, Users: names})
	})
	if err != nil {
		return showShareProblems(r, list, err)
	}
	if shows {
		list.Visibility = waymark.Internal
	}
	return shareSaved(r, list, sharePage{Undo: undo, Shown: shows})
}

// wrongNames returns what is wrong with names of people, nil if nothing is.
func wrongNames(r *page.Request, names []string, required bool) error {
	if len(names) == 0 && required {
		return page.Problems{{Field: "users", Text: r.T("share.add-person")}}
	}
	for _, name := range names {
		_, err := r.Store.Accounts.UserByName(r.Context(), name)
		switch {
		case errors.Is(err, waymark.ErrNotFound):
			return page.Problems{{Field: "users", Text: r.T("share.no-person", "name", page.Quoted(name))}}
		case err != nil:
			return err
		}
	}
	return nil
}

// shareSaved responds to a choice of who sees or changes a list.
func shareSaved(r *page.Request, list waymark.List, change sharePage) error {
	saved := r.T("labels.changed", "name", page.Quoted(list.Name))
	if !r.Partial("shared") {
		path := listPath(list.ID) + "/share"
		return r.Changed(path, page.Toast{Text: saved, Undo: change.Undo, Back: path})
	}
	p, err := newSharePage(r, list)
	if err != nil {
		return err
	}
	p.Saved, p.Undo, p.Shown, p.Copies = saved, change.Undo, change.Shown, change.Copies
	return r.RenderPart("shared-part", p)
}

// showShareProblems shows the page again with what is wrong with the choice. A script has the fields already.
func showShareProblems(r *page.Request, list waymark.List, err error) error {
	problems, err := r.ProblemsOf(err)
	if err != nil {
		return err
	}
	p, err := newSharePage(r, list)
	if err != nil {
		return err
	}
	p.Who, p.Users = r.Field("who"), r.Field("users")
	if r.Partial("shared") {
		if p.Users != "" { // else the person has just chosen to name others
			p.Problems = problems
		}
		return r.RenderPart("shared-part", p)
	}
	p.Problems = problems
	return r.RenderStatus(http.StatusUnprocessableEntity, "share", p)
}
