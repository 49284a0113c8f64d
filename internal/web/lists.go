package web

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// listsPage is the data of the page with all lists: the tree of the user's own, or a part of all that the user sees.
type listsPage struct {
	Name   string // a part of the names, "" for all
	Order  string // "tree" for the tree
	Orders []string
	In     *waymark.List       // in which the lists stand, nil for any
	Shared int                 // the number of lists of others
	Others bool                // the page shows only these
	Smart  []page.SidebarEntry // smart lists, on the first page
	Tree   page.SidebarEntry
	Lists  []labelView
	Paths  bool // whether names are paths, which can become a tree; on the first page
	Select labelSelection
	Pager  page.Pager
}

const maxLabelDescription = 120

const listsPerPage = 36

// labelOrders are the orders of lists and tags by their name in the query.
var labelOrders = map[string]waymark.Order{
	"links":  mostLinks,
	"fewest": {By: waymark.SortByLinks},
	"name":   byName,
	"newest": newestFirst,
}

// labelOrder returns the name of the order in the query, which must be one of names; the first
// one is the default.
func labelOrder(r *page.Request, names ...string) string {
	if order := r.Parameters.Get("order"); slices.Contains(names, order) {
		return order
	}
	return names[0]
}

func showLists(r *page.Request) error {
	filter := labelFilter(r, r.Parameters)
	p := listsPage{Name: filter.Name, Orders: []string{"links", "name", "newest"}, Others: filter.Not != 0}
	if filter.In != 0 {
		list, err := r.Store.List(r.Context(), r.User.ID, filter.In)
		if err != nil {
			return err
		}
		if r.Partial(fmt.Sprint("in-", list.ID)) {
			return findInBranch(r, list, filter.Name)
		}
		p.In = &list
	}
	if filter == (waymark.LabelFilter{}) {
		p.Orders = append([]string{"tree"}, p.Orders...)
	}
	p.Order = labelOrder(r, p.Orders...)
	if err := p.fill(r, filter); err != nil {
		return err
	}
	return r.RenderListing("lists", p.Pager, p)
}

// fill adds the lists.
func (p *listsPage) fill(r *page.Request, filter waymark.LabelFilter) (err error) {
	own, others, err := r.Store.CountListsOf(r.Context(), r.User.ID)
	if err != nil {
		return err
	}
	if p.Shared = others; p.Order == "tree" {
		p.Pager = page.Pager{Page: 1, Total: own}
		err = p.addTree(r)
	} else {
		err = p.addLists(r, filter)
	}
	if err != nil || p.Pager.Page > 1 || filter.Empty || p.Others || p.In != nil {
		return err
	}
	couldBePaths := waymark.LabelFilter{Owner: r.User.ID, Name: waymark.FolderSeparator}
	found, err := r.Store.SearchLists(r.Context(), r.User.ID, couldBePaths, byName, waymark.Pagination{Limit: 100})
	if err != nil {
		return err
	}
	p.Paths = slices.ContainsFunc(found.Entities, service.IsPath)
	p.Smart, err = smartLists(r, p.Name)
	return err
}

// addTree adds the tree of the user's own lists. The parameter open opens the way to a list, and the list.
func (p *listsPage) addTree(r *page.Request) error {
	open := rememberedLists(r, branchesCookie)
	if id := idIn(r.Parameters.Get("open")); id != 0 {
		paths, err := r.Store.ListPaths(r.Context(), r.User.ID, []waymark.ListID{waymark.ListID(id)})
		if err != nil {
			return err
		}
		for _, list := range paths[waymark.ListID(id)] {
			open = append(open, list.ID)
		}
	}
	p.Select = newLabelSelection(r, "lists", waymark.LabelFilter{}, p.Pager.Total)
	var err error
	p.Tree, err = readBranch(r, 0, open)
	return err
}

func (p *listsPage) addLists(r *page.Request, filter waymark.LabelFilter) error {
	found, err := r.Store.SearchLists(r.Context(), r.User.ID, filter, labelOrders[p.Order], pagination(r, listsPerPage))
	if err != nil {
		return err
	}
	p.Pager = page.NewPager(r, found.Total, listsPerPage)
	p.Select = newLabelSelection(r, "lists", filter, found.Total)
	owners, err := otherOwners(r, waymark.Map(found.Entities, listOwner))
	if err != nil {
		return err
	}
	for _, list := range found.Entities {
		view := newListView(list)
		view.Description, view.Owner, view.Above = page.Cut(view.Description, maxLabelDescription), owners[list.Owner], pathOf(list)
		view.Mine, view.CanEdit = r.User.ID.MayEdit(list.Owner), list.CanEdit && list.Owner != r.User.ID
		p.Lists = append(p.Lists, view)
	}
	return nil
}

// smartLists returns the smart lists of the user whose names contain a text.
func smartLists(r *page.Request, name string) ([]page.SidebarEntry, error) {
	searches, err := r.Store.Accounts.SavedSearches(r.Context(), r.User.ID)
	if err != nil {
		return nil, err
	}
	bundles, err := r.Store.Accounts.Bundles(r.Context(), r.User.ID)
	if err != nil {
		return nil, err
	}
	smart, _, err := searchEntries(r, searches, bundles)
	return slices.DeleteFunc(smart, func(e page.SidebarEntry) bool { return !strings.Contains(waymark.Plain(e.Name), waymark.Plain(name)) }), err
}

func showList(r *page.Request, list waymark.List) error {
	pinned, err := r.Store.ListPinned(r.Context(), r.User.ID, list.ID)
	if err != nil {
		return err
	}
	found, total, err := r.Store.Sublists(r.Context(), r.User.ID, list.ID, maxSublists)
	if err != nil {
		return err
	}
	here, below, err := countHereAndBelow(r, list.ID, total)
	if err != nil {
		return err
	}
	text, err := r.Store.ListTexts(r.Context(), r.User.ID, []waymark.List{list})
	if err != nil {
		return err
	}
	label := hasID(waymark.Lists, int64(list.ID))
	label.Direct = slices.Contains(rememberedLists(r, withoutCookie), list.ID)
	shared, err := newSharedList(r, list)
	if err != nil {
		return err
	}
	ordered, err := mayOrder(r, list)
	if err != nil {
		return err
	}
	return renderLabel(r, labelPage{
		Kind: "lists", ID: int64(list.ID), Name: list.Name, Text: text[list.ID], Hue: page.Hue(list.Name), Description: page.Markdown(list.Description, 2),
		Visibility: list.Visibility.String(), Mine: r.User.ID.MayEdit(list.Owner), CanEdit: list.CanEdit, Shared: shared, Ordered: ordered, Pinned: pinned, list: list,
		Above: list.Path, Sublists: waymark.Map(found, newListView), SublistCount: total, Direct: label.Direct, Here: here, Below: below,
	}, listPath(list.ID), list.Owner, label)
}

// mayOrder reports whether the user may order a list among those in the same list.
func mayOrder(r *page.Request, list waymark.List) (bool, error) {
	if list.Owner == r.User.ID || list.Parent == 0 {
		return list.Owner == r.User.ID, nil
	}
	parent, err := r.Store.List(r.Context(), r.User.ID, list.Parent)
	return parent.CanEdit, err
}

// countHereAndBelow returns how many links are in a list, and how many others in its sublists; none if it has no
// sublists or the numbers are not known.
func countHereAndBelow(r *page.Request, id waymark.ListID, sublists int) (here, below int, err error) {
	if sublists == 0 {
		return 0, 0, nil
	}
	all := hasID(waymark.Lists, int64(id))
	direct := all
	direct.Direct = true
	counts, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{{Where: direct}, {Where: all}})
	if err != nil || counts[0] < 0 || counts[1] < 0 {
		return 0, 0, err
	}
	return counts[0], counts[1] - counts[0], nil
}

func pinList(r *page.Request, list waymark.List) error {
	return pin(r, list.ID, list.Name, listPath(list.ID), r.Store.PinList)
}

func pin[ID waymark.ID](r *page.Request, id ID, name, path string, save func(context.Context, waymark.UserID, ID, bool) error) error {
	pinned := r.Field("pinned") == "1"
	if err := save(r.Context(), r.User.ID, id, pinned); err != nil {
		return err
	}
	text := r.T("labels.unpinned", "name", page.Quoted(name))
	if pinned {
		text = r.T("labels.pinned", "name", page.Quoted(name))
	}
	return r.Changed(path, page.Toast{Text: text})
}

// nestLists makes a tree of the lists whose names are paths.
func nestLists(r *page.Request) error {
	return makeChange(r, "/lists", true, func(ctx context.Context, s *service.Service) (string, error) {
		moved, err := s.NestLists(ctx, r.User)
		return r.T("lists.nested", "n", moved), err
	})
}

func sortSublists(r *page.Request, list waymark.List) error {
	return makeChange(r, listPath(list.ID), false, func(ctx context.Context, s *service.Service) (string, error) {
		return r.T("labels.sublists-sorted", "name", page.Quoted(list.Name)), s.SortSublists(ctx, r.User, list.ID)
	})
}

// includeSublists remembers whether the page of a list shows the links of its sublists.
func includeSublists(r *page.Request, list waymark.List) error {
	rememberList(r, withoutCookie, list.ID, r.Field("include") == "0")
	return r.Redirect(listPath(list.ID))
}

// trashList moves a list to the trash. Its sublists take its place, or go with it. The message about the former offers
// the latter: that form has the token that undoes it.
func trashList(r *page.Request) error {
	if token := r.Field("undo"); token != "" {
		if _, err := r.Service.Undo(r.Context(), service.UndoOptions{User: r.User, Session: r.Session.ID}, token); err != nil {
			return err
		}
	}
	list, err := ownList(r)
	if err != nil {
		return err
	}
	_, sublists, err := r.Store.Sublists(r.Context(), r.User.ID, list.ID, 0)
	if err != nil {
		return err
	}
	alone := r.Field("sublists") == ""
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error {
		if alone {
			return s.Delete(ctx, r.User, waymark.Lists, int64(list.ID))
		}
		_, err := s.DeleteWithSublists(ctx, r.User, []int64{int64(list.ID)})
		return err
	})
	if err != nil {
		return err
	}
	name := page.Quoted(list.Name)
	message := page.Toast{Text: r.T("labels.trashed", "name", name), Undo: undo, Back: listPath(list.ID)}
	if alone && sublists > 0 {
		parent := r.T("place-lists.top")
		if n := len(list.Path); n > 0 {
			parent = list.Path[n-1].Name
		}
		message.Text = r.T("labels.trashed-lifted", "name", name, "n", sublists, "parent", page.Quoted(parent))
		message.Trash, message.Sublists = listPath(list.ID)+"/trash", sublists
	}
	return r.Changed("/lists", message)
}
