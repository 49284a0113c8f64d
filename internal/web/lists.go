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
)

// listsPage is the data of the page with all lists that the user sees.
type listsPage struct {
	Name  string // a part of the names, "" for all
	Order string
	Lists []labelView
	Pager pager
}

// labelView is a list or a tag on the page with all of them.
type labelView struct {
	nameView
	Description string
	Count       int
	Owner       string // "" if it is the user
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
func labelOrder(v *visit, names ...string) string {
	if order := v.parameters.Get("order"); slices.Contains(names, order) {
		return order
	}
	return names[0]
}

func showLists(v *visit) error {
	p := listsPage{Name: strings.TrimSpace(v.parameters.Get("name")), Order: labelOrder(v, "links", "name", "newest")}
	found, err := v.Store.SearchLists(v.ctx(), v.user.ID, waymark.LabelFilter{Name: p.Name}, labelOrders[p.Order], pagination(v, listsPerPage))
	if err != nil {
		return err
	}
	p.Pager = newPager(v, found.Total, listsPerPage)
	if address := p.Pager.beyondEnd(); address != "" {
		return v.redirect(address)
	}
	owners, err := otherOwners(v, ownersOf(found.Entities, listOwner))
	if err != nil {
		return err
	}
	for i, name := range listNames(found.Entities) {
		list := found.Entities[i]
		p.Lists = append(p.Lists, labelView{name, cut(list.Description, maxLabelDescription), list.LinkCount, owners[list.Owner]})
	}
	return v.render("lists", p)
}

// labelPage is the data of the page of one list or tag: its links.
type labelPage struct {
	Kind        string // lists or tags
	ID          int64
	Name        string
	Hue         int
	Description string
	Visibility  string
	Owner       string // "" if it is the user
	Mine        bool
	Pinned      bool
	Links       linksPage
}

// pageTitle implements titled.
func (p labelPage) pageTitle() string { return p.Name }

// describe implements described.
func (p labelPage) describe() description {
	return description{Feed: p.Feed(), FeedTitle: p.Name}
}

// Feed is the path of the feed with the links.
func (p labelPage) Feed() string { return p.Links.Path + "/feed" }

func showList(v *visit) error {
	list, err := visibleList(v)
	if err != nil {
		return err
	}
	pinned, err := v.Store.ListPinned(v.ctx(), v.user.ID, list.ID)
	if err != nil {
		return err
	}
	q := linksQueryOf(v.parameters)
	q.Lists = []int64{int64(list.ID)}
	return renderLabel(v, labelPage{
		Kind: "lists", ID: int64(list.ID), Name: list.Name, Hue: hue(list.Name), Description: list.Description,
		Visibility: list.Visibility.String(), Mine: v.user.ID.MayEdit(list.Owner), Pinned: pinned,
	}, listPath(list.ID), list.Owner, q)
}

// renderLabel sends the page of a list or tag. Its query selects the links with it.
func renderLabel(v *visit, p labelPage, path string, owner waymark.UserID, q linksQuery) error {
	owners, err := otherOwners(v, []waymark.UserID{owner})
	if err != nil {
		return err
	}
	p.Owner = owners[owner]
	if p.Links, err = linksPageAt(v, path, q); err != nil {
		return err
	}
	if address := p.Links.Pager.beyondEnd(); address != "" {
		return v.redirect(address)
	}
	p.Links.Chips = nil // the heading says it
	p.Links.Saved = nil
	return v.render("label", p)
}

// visibleList returns the list in the path.
func visibleList(v *visit) (waymark.List, error) {
	id, err := pathID[waymark.ListID](v)
	if err != nil {
		return waymark.List{}, err
	}
	return v.Store.List(v.ctx(), v.user.ID, id)
}

// ownList returns the list in the path, which must be one that the user may edit.
func ownList(v *visit) (waymark.List, error) {
	list, err := visibleList(v)
	if err == nil && !v.user.ID.MayEdit(list.Owner) {
		err = waymark.ErrForbidden
	}
	return list, err
}

// labelForm is the form for a new or an existing list or tag, as it was filled in.
type labelForm struct {
	v           *visit
	Kind        string // lists or tags
	ID          int64  // zero for a new one
	Name        string
	Description string // of a list
	Visibility  string
	Version     string // when the list or tag was changed the last time, "" for a new one
	Problems    problems
	SameName    []waymark.ListID // other lists of the user with the name
}

// pageTitle implements titled.
func (f labelForm) pageTitle() string { return f.Heading() }

// Heading is the heading of the page.
func (f labelForm) Heading() string {
	switch {
	case f.Kind == "lists" && f.ID == 0:
		return f.v.t("lists.create")
	case f.Kind == "lists":
		return f.v.t("lists.edit")
	case f.ID == 0:
		return f.v.t("tags.create")
	}
	return f.v.t("tags.edit")
}

// Action is the path to which the form is sent.
func (f labelForm) Action() string {
	if f.ID == 0 {
		return "/" + f.Kind
	}
	return fmt.Sprintf("/%s/%d", f.Kind, f.ID)
}

// findSameName looks for other lists of the user with the name of the form. Names of lists need
// not differ, but two lists with one name are rarely meant.
func (f *labelForm) findSameName() error {
	if f.Kind != "lists" || f.Name == "" {
		return nil
	}
	found, err := f.v.Store.ListsNamed(f.v.ctx(), f.v.user.ID, f.Name)
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
func (f *labelForm) savedText(text string) string {
	if n := len(f.SameName); n > 0 {
		return f.v.t("lists.saved-same-name", "name", cut(f.Name, maxQuoted), "n", n)
	}
	return text
}

// completeListName shows whether the user has another list with the name in a form.
func completeListName(v *visit) error {
	query := v.parameters
	id, _ := strconv.ParseInt(query.Get("id"), 10, 64) // 0 for a new list
	f := labelForm{v: v, Kind: "lists", ID: id, Name: strings.TrimSpace(query.Get("name"))}
	if err := f.findSameName(); err != nil {
		return err
	}
	return v.renderPart("name-notice", f)
}

func showListCreate(v *visit) error {
	return showLabelForm(v, labelForm{v: v, Kind: "lists", Visibility: v.user.DefaultVisibility.Lists.String()})
}

func showListEdit(v *visit) error {
	list, err := ownList(v)
	if err != nil {
		return err
	}
	return showLabelForm(v, labelForm{
		v: v, Kind: "lists", ID: int64(list.ID), Name: list.Name, Description: list.Description, Visibility: list.Visibility.String(),
		Version: list.UpdatedAt.String(),
	})
}

// showLabelForm shows the form for a list or tag.
func showLabelForm(v *visit, f labelForm) error {
	v.fillIn(map[string]*string{"name": &f.Name, "description": &f.Description, "visibility": &f.Visibility, "version": &f.Version})
	return v.render("label-form", f)
}

// readLabelForm returns the form that was sent, with what is wrong with it. id is zero for a new list
// or tag.
func readLabelForm(v *visit, kind string, id int64) (labelForm, error) {
	if err := v.parseForm(); err != nil {
		return labelForm{}, err
	}
	f := labelForm{
		v: v, Kind: kind, ID: id, Version: v.field("version"),
		Name: strings.TrimSpace(v.field("name")), Description: textArea(v.field("description")), Visibility: v.field("visibility"),
	}
	if strings.Contains(f.Name, ",") {
		f.Problems = problems{{"name", v.t("problem.name-comma")}} // the service would remove it
	}
	return f, nil
}

// showLabelProblems shows the form again with what is wrong with it.
func showLabelProblems(v *visit, f labelForm, err error) error {
	f.Version = v.versionAfter(err)
	values := map[string]string{"name": f.Name, "visibility": f.Visibility}
	if f.Problems, err = v.problemsOf(err, func(field string) string { return cut(values[field], maxQuoted) }); err != nil {
		return err
	}
	return v.renderStatus(http.StatusUnprocessableEntity, "label-form", f)
}

func (f labelForm) listInput() waymark.ListInput {
	return waymark.ListInput{Name: f.Name, Description: &f.Description, VisibilityInput: visibilityInput(f.Visibility), Version: f.v.field("version")}
}

// saveList saves a new list.
func saveList(v *visit) error {
	f, err := readLabelForm(v, "lists", 0)
	if err != nil {
		return err
	}
	if f.Problems != nil {
		return v.renderStatus(http.StatusUnprocessableEntity, "label-form", f)
	}
	if err := f.findSameName(); err != nil {
		return err
	}
	var list waymark.List
	undo, err := withUndo(v, func(ctx context.Context, s *service.Service) (err error) {
		list, err = s.AddList(ctx, v.user, f.listInput())
		return err
	})
	if err != nil {
		return showLabelProblems(v, f, err)
	}
	return v.changed(listPath(list.ID), toast{Text: f.savedText(v.t("labels.saved", "name", cut(list.Name, maxQuoted))), Undo: undo, Back: "/lists"})
}

// saveListEdit changes a list.
func saveListEdit(v *visit) error {
	list, err := ownList(v)
	if err != nil {
		return err
	}
	f, err := readLabelForm(v, "lists", int64(list.ID))
	if err != nil {
		return err
	}
	if f.Problems != nil {
		return v.renderStatus(http.StatusUnprocessableEntity, "label-form", f)
	}
	if f.Name != list.Name {
		if err := f.findSameName(); err != nil {
			return err
		}
	}
	undo, err := withUndo(v, func(ctx context.Context, s *service.Service) (err error) {
		list, err = s.EditList(ctx, v.user, waymark.ListID(f.ID), f.listInput())
		return err
	})
	if err != nil {
		return showLabelProblems(v, f, err)
	}
	path := listPath(list.ID)
	return v.changed(path, toast{Text: f.savedText(v.t("labels.changed", "name", cut(list.Name, maxQuoted))), Undo: undo, Back: path})
}

// trashList moves a list to the trash.
func trashList(v *visit) error {
	list, err := ownList(v)
	if err != nil {
		return err
	}
	undo, err := withUndo(v, func(ctx context.Context, s *service.Service) error { return s.DeleteList(ctx, v.user, list.ID) })
	if err != nil {
		return err
	}
	return v.changed("/lists", toast{Text: v.t("labels.trashed", "name", cut(list.Name, maxQuoted)), Undo: undo, Back: listPath(list.ID)})
}

// pinList pins a list to the sidebar, or removes it from there.
func pinList(v *visit) error {
	list, err := visibleList(v)
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	pinned := v.field("pinned") == "1"
	if err := v.Service.PinList(v.ctx(), v.user, list.ID, pinned); err != nil {
		return err
	}
	return v.changed(listPath(list.ID), toast{Text: pinMessage(v, list.Name, pinned)})
}

func pinMessage(v *visit, name string, pinned bool) string {
	if pinned {
		return v.t("labels.pinned", "name", cut(name, maxQuoted))
	}
	return v.t("labels.unpinned", "name", cut(name, maxQuoted))
}
