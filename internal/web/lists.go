package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// listsPage is the data of the page with all lists that the user sees.
type listsPage struct {
	Name   string // a part of the names, "" for all
	Order  string
	Smart  []page.SidebarEntry // smart lists, on the first page
	Lists  []labelView
	Paths  bool // whether names are paths, which can become a tree; on the first page
	Select labelSelection
	Pager  page.Pager
}

// maxLabelDescription limits the description on the page with all lists, in characters.
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
	p := listsPage{Name: filter.Name, Order: labelOrder(r, "links", "name", "newest")}
	found, err := r.Store.SearchLists(r.Context(), r.User.ID, filter, labelOrders[p.Order], pagination(r, listsPerPage))
	if err != nil {
		return err
	}
	p.Pager = page.NewPager(r, found.Total, listsPerPage)
	p.Select = newLabelSelection(r, "lists", filter, found.Total)
	if last := p.Pager.BeyondEnd(); last != "" {
		return r.Redirect(last)
	}
	owners, err := otherOwners(r, ownersOf(found.Entities, listOwner))
	if err != nil {
		return err
	}
	for i, name := range listNames(found.Entities) {
		list := found.Entities[i]
		p.Lists = append(p.Lists, labelView{
			nameView: name, Description: cut(page.PlainText(list.Description), maxLabelDescription), Count: list.LinkCount, Owner: owners[list.Owner],
			Mine: r.User.ID.MayEdit(list.Owner), Above: pathOf(list),
		})
	}
	if p.Pager.Page == 1 && !filter.Empty {
		if p.Paths, err = hasPaths(r); err != nil {
			return err
		}
		if p.Smart, err = smartLists(r, p.Name); err != nil {
			return err
		}
	}
	return r.Render("lists", p)
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
	return slices.DeleteFunc(smart, func(e page.SidebarEntry) bool { return !strings.Contains(waymark.Fold(e.Name), waymark.Fold(name)) }), err
}

func showList(r *page.Request) error {
	list, err := visibleList(r)
	if err != nil {
		return err
	}
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
	var sublists []labelView
	for i, name := range listNames(found) {
		sublists = append(sublists, labelView{nameView: name, Count: found[i].LinkCount})
	}
	q := linksQueryOf(r.Parameters)
	q.Lists = []int64{int64(list.ID)}
	q.Direct = q.Direct || slices.Contains(rememberedLists(r, withoutCookie), list.ID)
	return renderLabel(r, labelPage{
		Kind: "lists", ID: int64(list.ID), Name: list.Name, Hue: page.Hue(list.Name), Description: page.Markdown(list.Description, 2),
		Visibility: list.Visibility.String(), Mine: r.User.ID.MayEdit(list.Owner), Pinned: pinned,
		Above: list.Path, Sublists: sublists, SublistCount: total, Direct: q.Direct, Here: here, Below: below,
	}, listPath(list.ID), list.Owner, q)
}

// countHereAndBelow returns how many links are in a list, and how many others in its sublists; none if it has no
// sublists or the numbers are not known.
func countHereAndBelow(r *page.Request, id waymark.ListID, sublists int) (here, below int, err error) {
	if sublists == 0 {
		return 0, 0, nil
	}
	all := waymark.Labeled{Kind: waymark.Lists, Refs: []waymark.Ref{{ID: int64(id)}}}
	direct := all
	direct.Direct = true
	counts, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{{Where: direct}, {Where: all}})
	if err != nil || counts[0] < 0 || counts[1] < 0 {
		return 0, 0, err
	}
	return counts[0], counts[1] - counts[0], nil
}

func visibleList(r *page.Request) (waymark.List, error) {
	id, err := page.PathID[waymark.ListID](r)
	if err != nil {
		return waymark.List{}, err
	}
	return r.Store.List(r.Context(), r.User.ID, id)
}

// ownList returns the list in the path, which must be one that the user may edit.
func ownList(r *page.Request) (waymark.List, error) {
	list, err := visibleList(r)
	if err == nil && !r.User.ID.MayEdit(list.Owner) {
		err = waymark.ErrForbidden
	}
	return list, err
}

// labelForm is the form for a new or an existing list or tag, as it was filled in.
type labelForm struct {
	Heading     string
	Kind        string // lists or tags
	ID          int64  // zero for a new one
	Name        string
	Description string // of a list
	Visibility  string
	Version     string // when the list or tag was changed the last time, "" for a new one
	Problems    page.Problems
	SameName    []waymark.ListID // other lists of the user with the name
	Parent      int64            // the list in which a new list is to stand, 0 for none
	ParentName  string
	Sublists    int // of a list
}

func (f labelForm) PageTitle() string { return f.Heading }

// Action is the path to which the form is sent.
func (f labelForm) Action() string {
	if f.ID == 0 {
		return "/" + f.Kind
	}
	return fmt.Sprintf("/%s/%d", f.Kind, f.ID)
}

// findSameName looks for other lists of the user with the name of the form. Names of lists need
// not differ, but two lists with one name are rarely meant.
func findSameName(r *page.Request, f *labelForm) error {
	if f.Kind != "lists" || f.Name == "" {
		return nil
	}
	found, err := r.Store.ListsNamed(r.Context(), r.User.ID, f.Name)
	f.SameName = slices.DeleteFunc(found, func(id waymark.ListID) bool { return int64(id) == f.ID })
	return err
}

// SameNamePath is the path of the other list with the name, or of all lists with it.
func (f labelForm) SameNamePath() string {
	if len(f.SameName) == 1 {
		return listPath(f.SameName[0])
	}
	return "/lists?" + url.Values{"name": {f.Name}}.Encode()
}

// savedText returns the message after a list was saved: text, or that the user has other lists
// with the name.
func savedText(r *page.Request, f labelForm, text string) string {
	if n := len(f.SameName); n > 0 {
		return r.T("lists.saved-same-name", "name", cut(f.Name, maxQuoted), "n", n)
	}
	return text
}

// completeListName shows whether the user has another list with the name in a form.
func completeListName(r *page.Request) error {
	query := r.Parameters
	id, _ := strconv.ParseInt(query.Get("id"), 10, 64) // 0 for a new list
	f := labelForm{Kind: "lists", ID: id, Name: strings.TrimSpace(query.Get("name"))}
	if err := findSameName(r, &f); err != nil {
		return err
	}
	return r.RenderPart("name-notice", f)
}

func showListCreate(r *page.Request) error {
	f := labelForm{Kind: "lists", Visibility: r.User.DefaultVisibility.Lists.String()}
	f.findParent(r, r.Parameters.Get("parent"))
	return showLabelForm(r, f)
}

// findParent sets the parent of a new list, if the user has such a list.
func (f *labelForm) findParent(r *page.Request, text string) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return
	}
	if list, err := r.Store.List(r.Context(), r.User.ID, waymark.ListID(id)); err == nil && list.Owner == r.User.ID {
		f.Parent, f.ParentName = id, list.Name
	}
}

func showListEdit(r *page.Request) error {
	list, err := ownList(r)
	if err != nil {
		return err
	}
	_, total, err := r.Store.Sublists(r.Context(), r.User.ID, list.ID, 0)
	if err != nil {
		return err
	}
	return showLabelForm(r, labelForm{
		Sublists: total,
		Kind:     "lists", ID: int64(list.ID), Name: list.Name, Description: list.Description, Visibility: list.Visibility.String(),
		Version: list.UpdatedAt.String(),
	})
}

// showLabelForm shows the form for a list or tag.
func showLabelForm(r *page.Request, f labelForm) error {
	r.FillIn(map[string]*string{"name": &f.Name, "description": &f.Description, "visibility": &f.Visibility, "version": &f.Version})
	return renderLabelForm(r, http.StatusOK, f)
}

// renderLabelForm sends the form for a list or tag.
func renderLabelForm(r *page.Request, status int, f labelForm) error {
	switch {
	case f.Kind == "lists" && f.ID == 0:
		f.Heading = r.T("lists.create")
	case f.Kind == "lists":
		f.Heading = r.T("lists.edit")
	case f.ID == 0:
		f.Heading = r.T("tags.create")
	default:
		f.Heading = r.T("tags.edit")
	}
	return r.RenderStatus(status, "label-form", f)
}

// readLabelForm returns the form that was sent, with what is wrong with it. id is zero for a new list
// or tag.
func readLabelForm(r *page.Request, kind string, id int64) (labelForm, error) {
	if err := r.ParseForm(); err != nil {
		return labelForm{}, err
	}
	f := labelForm{
		Kind: kind, ID: id, Version: r.Field("version"),
		Name: strings.TrimSpace(r.Field("name")), Description: textArea(r.Field("description")), Visibility: r.Field("visibility"),
	}
	if kind == "lists" && id == 0 {
		f.findParent(r, r.Field("parent"))
	}
	if strings.Contains(f.Name, ",") {
		f.Problems = page.Problems{{Field: "name", Text: r.T("problem.name-comma")}} // the service would remove it
	}
	return f, nil
}

// showLabelProblems shows the form again with what is wrong with it.
func showLabelProblems(r *page.Request, f labelForm, err error) error {
	f.Version = r.VersionAfter(err)
	values := map[string]string{"name": f.Name, "visibility": f.Visibility}
	if f.Problems, err = r.ProblemsOf(err, func(field string) string { return cut(values[field], maxQuoted) }); err != nil {
		return err
	}
	return renderLabelForm(r, http.StatusUnprocessableEntity, f)
}

func (f labelForm) listInput() waymark.ListInput {
	in := waymark.ListInput{Name: f.Name, Description: &f.Description, VisibilityInput: visibilityInput(f.Visibility), Version: f.Version}
	if f.Parent != 0 {
		in.Parent = (*waymark.ListID)(&f.Parent)
	}
	return in
}

func saveList(r *page.Request) error {
	f, err := readLabelForm(r, "lists", 0)
	if err != nil {
		return err
	}
	if f.Problems != nil {
		return renderLabelForm(r, http.StatusUnprocessableEntity, f)
	}
	if err := findSameName(r, &f); err != nil {
		return err
	}
	var list waymark.List
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) (err error) {
		list, err = s.AddList(ctx, r.User, f.listInput())
		return err
	})
	if err != nil {
		return showLabelProblems(r, f, err)
	}
	return r.Changed(listPath(list.ID), page.Toast{Text: savedText(r, f, r.T("labels.saved", "name", cut(list.Name, maxQuoted))), Undo: undo, Back: "/lists"})
}

// saveListEdit changes a list.
func saveListEdit(r *page.Request) error {
	list, err := ownList(r)
	if err != nil {
		return err
	}
	f, err := readLabelForm(r, "lists", int64(list.ID))
	if err != nil {
		return err
	}
	if f.Problems != nil {
		return renderLabelForm(r, http.StatusUnprocessableEntity, f)
	}
	if f.Name != list.Name {
		if err := findSameName(r, &f); err != nil {
			return err
		}
	}
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) (err error) {
		list, err = s.EditList(ctx, r.User, waymark.ListID(f.ID), f.listInput())
		return err
	})
	if err != nil {
		return showLabelProblems(r, f, err)
	}
	path := listPath(list.ID)
	return r.Changed(path, page.Toast{Text: savedText(r, f, r.T("labels.changed", "name", cut(list.Name, maxQuoted))), Undo: undo, Back: path})
}

// pinList pins a list to the sidebar, or removes it from there.
func pinList(r *page.Request) error {
	list, err := visibleList(r)
	if err != nil {
		return err
	}
	if err := r.ParseForm(); err != nil {
		return err
	}
	pinned := r.Field("pinned") == "1"
	if err := r.Store.PinList(r.Context(), r.User.ID, list.ID, pinned); err != nil {
		return err
	}
	return r.Changed(listPath(list.ID), page.Toast{Text: pinMessage(r, list.Name, pinned)})
}

func pinMessage(r *page.Request, name string, pinned bool) string {
	if pinned {
		return r.T("labels.pinned", "name", cut(name, maxQuoted))
	}
	return r.T("labels.unpinned", "name", cut(name, maxQuoted))
}
