package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
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

// sharedList is what those who may change a list read about the others.
type sharedList struct {
	Text          string   // how many they are, "" if the owner alone changes it
	Names         []string // who they are, the owner first
	Leave         string   // the path of the form with which the user leaves, "" if they cannot
	PrivateToThem int      // links of others in it that its owner, the user, does not see
	Changes       []sharedChange
}

// sharedChange is a change of a link or of a list by one of several people who may make it.
type sharedChange struct {
	Text string
	When page.Moment
	Undo string // the path of the form that undoes it
}

// newSharedList returns who else changes a list, nil if the user may not change it.
func newSharedList(r *page.Request, list waymark.List) (*sharedList, error) {
	if !list.CanEdit {
		return nil, nil
	}
	s := &sharedList{}
	if list.Owner == r.User.ID {
		changes, err := r.Service.ListChanges(r.Context(), r.User, list.ID)
		if err != nil {
			return nil, err
		}
		if s.Changes, err = sharedChanges(r, changes); err != nil {
			return nil, err
		}
	}
	if !mayBeShared(r, list) {
		return s, nil
	}
	if list.Owner == r.User.ID { // it reads all links of the list: 0.2 ms for 2,000
		var err error
		if s.PrivateToThem, err = r.Store.HiddenLinks(r.Context(), list.Owner, list.ID); err != nil {
			return nil, err
		}
	}
	editors, err := effectiveEditors(r, list.ID)
	if err != nil {
		return nil, err
	}
	if s.Text = describeEditors(r, editors); len(editors.Users) == 0 {
		return s, nil
	}
	owners, err := userNames(r, []waymark.UserID{list.Owner})
	s.Names = append([]string{r.T("share.owner", "name", owners[list.Owner])}, editors.Users...)
	if slices.Contains(editors.Users, r.User.Name) {
		s.Leave = listPath(editors.From) + "/leave"
	}
	return s, err
}

// mayBeShared reports whether others may change a list that the user may change, as far as the list says it.
func mayBeShared(r *page.Request, list waymark.List) bool {
	asParent := list.Editing == waymark.EditedAsParent && list.Parent != 0
	return list.CanEdit && list.Visibility != waymark.Private && (list.Owner != r.User.ID || list.Editing.IsShared() || asParent)
}

// effectiveEditors returns the editors of a list, which can be those of a list above it.
func effectiveEditors(r *page.Request, id waymark.ListID) (waymark.Editors, error) {
	editors, err := r.Service.ListEditors(r.Context(), r.User, id)
	if err == nil && editors.Who == waymark.EditedAsParent && editors.From != id && editors.From != 0 {
		return r.Service.ListEditors(r.Context(), r.User, editors.From)
	}
	return editors, err
}

// describeEditors says who changes a list besides the user, "" for nobody.
func describeEditors(r *page.Request, editors waymark.Editors) string {
	n := len(editors.Users) // one of them is the user, or else the user is the owner
	switch {
	case editors.Who == waymark.EditedByEveryone:
		return r.T("share.with-all")
	case n == 0:
		return ""
	}
	word := fmt.Sprint(n)
	if words := strings.Fields(r.T("share.words")); n >= 2 && n-2 < len(words) {
		word = words[n-2]
	}
	return r.T("share.with", "n", n, "word", word)
}

// whoChanges says who changes a list besides the user, "" for nobody.
func whoChanges(r *page.Request, id waymark.ListID) (string, error) {
	editors, err := effectiveEditors(r, id)
	if err != nil {
		return "", err
	}
	return describeEditors(r, editors), nil
}

// isShared reports whether the user may change a list that others change, too.
func isShared(r *page.Request, list waymark.List) (bool, error) {
	if !mayBeShared(r, list) {
		return false, nil
	}
	text, err := whoChanges(r, list.ID)
	return text != "", err
}

// sharedAmong returns those of some lists that others change, too.
func sharedAmong(r *page.Request, named []waymark.Ref) (shared []waymark.List, err error) {
	found, err := r.Store.FindLists(r.Context(), r.User.ID, named)
	if err != nil {
		return nil, err
	}
	for _, ref := range named {
		list, ok := found[ref]
		if !ok || ref.ID == 0 && list.Owner != r.User.ID { // the name is that of a new list
			continue
		}
		is, err := isShared(r, list)
		if err != nil {
			return nil, err
		}
		if is {
			shared = append(shared, list)
		}
	}
	return shared, nil
}

// askPrivate asks in a message about links that were put into lists whether others are to see those that are private.
func askPrivate(r *page.Request, message *page.Toast, ids []int64, lists []waymark.Ref) error {
	if message.Undo == "" || len(lists) == 0 {
		return nil
	}
	shared, err := sharedAmong(r, lists)
	if err != nil || len(shared) == 0 {
		return err
	}
	among := waymark.Among{}
	for _, id := range ids {
		among[waymark.LinkID(id)] = true
	}
	private, err := r.Store.MatchingLinks(r.Context(), r.User.ID, waymark.LinkFilter{Where: waymark.And{among, waymark.IsMine, waymark.IsPrivate}})
	if err != nil || len(private) == 0 {
		return err
	}
	message.Text += " " + r.T("share.stays-private", "n", len(private), "name", page.Quoted(shared[0].Name))
	if len(private) <= maxAsked {
		message.Private = strings.Join(waymark.Map(private, func(id int64) string { return fmt.Sprint(id) }), ",")
		message.Show = waymark.Internal.String()
	}
	return nil
}

// maxAsked is the number of links that a message can show to others: it must fit into a cookie.
const maxAsked = 100

// savedByOther returns a link of another person with a URL in one of several lists.
func savedByOther(r *page.Request, url string, lists []waymark.List) (*nearLink, error) {
	for _, list := range lists {
		where := waymark.And{hasID(waymark.Lists, int64(list.ID)), waymark.NotOf(waymark.IsMine), waymark.Contains{Text: url, In: waymark.InURL}}
		found, err := matchingLinks(r, waymark.LinkFilter{Where: where}, newestFirst, waymark.Pagination{Limit: maxAsked}).Page(r.Context())
		if err != nil {
			return nil, err
		}
		for _, link := range found.Entities {
			if link.URL == url {
				names, err := userNames(r, []waymark.UserID{link.Owner})
				return &nearLink{ID: link.ID, URL: link.URL, Owner: names[link.Owner]}, err
			}
		}
	}
	return nil, nil
}

// linkChanges returns what others have changed in a link of the user's own, and what in another person's link the user
// has changed, or others in a list of the user's own.
func linkChanges(r *page.Request, link waymark.Link) ([]sharedChange, error) {
	list := r.Service.LinkChanges
	if link.Owner != r.User.ID {
		list = r.Store.LinkEdits
	}
	changes, err := list(r.Context(), r.User, link.ID)
	if err != nil {
		return nil, err
	}
	return sharedChanges(r, changes)
}

func sharedChanges(r *page.Request, changes []waymark.SharedChange) ([]sharedChange, error) {
	var ids []waymark.LinkID
	for _, c := range changes {
		if c.Total == 1 {
			ids = append(ids, c.Links...)
		}
	}
	titles, err := linkTitles(r, ids)
	return waymark.Map(changes, func(c waymark.SharedChange) sharedChange {
		what := r.T("links.count", "n", c.Total)
		if c.Total == 1 && len(c.Links) == 1 && titles[c.Links[0]] != "" {
			what = r.T("drop.name", "name", page.Quoted(titles[c.Links[0]]))
		}
		key := "share.did-" + string(c.Kind)
		return sharedChange{r.T(key, "user", c.User, "what", what), r.Moment(c.CreatedAt), fmt.Sprintf("/changes/%d/undo", c.ID)}
	}), err
}

func linkTitles(r *page.Request, ids []waymark.LinkID) (map[waymark.LinkID]string, error) {
	titles, among := map[waymark.LinkID]string{}, waymark.Among{}
	for _, id := range ids {
		among[id] = true
	}
	if len(ids) == 0 {
		return titles, nil
	}
	found, err := matchingLinks(r, waymark.LinkFilter{Where: among}, newestFirst, waymark.Pagination{}).Page(r.Context())
	for _, link := range found.Entities {
		titles[link.ID] = link.Title
	}
	return titles, err
}

func leaveList(r *page.Request, list waymark.List) error {
	return makeChange(r, r.Back(listPath(list.ID)), false, func(ctx context.Context, s *service.Service) (string, error) {
		return r.T("share.left", "name", page.Quoted(list.Name)), s.LeaveList(ctx, r.User, list.ID)
	})
}

func takeFromList(r *page.Request, list waymark.List) error {
	id, err := page.NamedPathID[waymark.LinkID](r, "link")
	if err != nil {
		return err
	}
	link, err := r.Store.Link(r.Context(), r.User.ID, id)
	if err != nil {
		return waymark.ErrNotFound
	}
	return makeChange(r, r.Back(listPath(list.ID)), false, func(ctx context.Context, s *service.Service) (string, error) {
		return r.T("share.taken-out", "title", page.Quoted(link.Title), "name", page.Quoted(list.Name)), s.RemoveFromList(ctx, r.User, list.ID, id)
	})
}

// undoSharedChange undoes a change that the user, or another person who may change the list, has made.
func undoSharedChange(r *page.Request, id waymark.ChangeID) error {
	skipped, err := r.Service.UndoChange(r.Context(), r.User, id)
	if errors.Is(err, waymark.ErrForbidden) {
		return page.ErrNotYours
	}
	if err != nil {
		return err
	}
	return r.Undone(r.Back(r.LinksPath()), skipped)
}

// editableOfOthers returns lists of other people that complete a text and that the user may change, and the names of these
// people.
func editableOfOthers(r *page.Request, text string) (lists []waymark.List, owners map[waymark.UserID]string, err error) {
	if has, err := r.Store.Accounts.HasOtherUsers(r.Context(), r.User.ID); err != nil || !has {
		return nil, nil, err
	}
	if lists, err = r.Store.CompleteListsOfOthers(r.Context(), r.User.ID, text); err != nil {
		return nil, nil, err
	}
	lists = slices.DeleteFunc(lists, func(list waymark.List) bool { return !list.CanEdit })
	owners, err = otherOwners(r, waymark.Map(lists, listOwner))
	return lists, owners, err
}

// changesSharedList reports whether a list is completed that the user and others may change.
func changesSharedList(r *page.Request) (bool, error) {
	others, _, err := editableOfOthers(r, "")
	if err != nil || len(others) > 0 {
		return len(others) > 0, err
	}
	own, err := r.Store.CompleteLists(r.Context(), r.User.ID, "")
	return slices.ContainsFunc(own, func(list waymark.List) bool { return list.Editing.IsShared() }), err
}
