package web

import (
	"context"
	"errors"
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

	// Other is the list or tag with the new name, of one that has Links.
	Other string
	Links int
	Joins string // the path of the page that merges them
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
	if err != nil || f.ID == 0 || len(f.SameName) != 1 {
		return err
	}
	list, err := r.Store.List(r.Context(), r.User.ID, waymark.ListID(f.ID))
	if err != nil || list.Owner != r.User.ID {
		return err
	}
	counts, err := r.Store.CountListLinks(r.Context(), r.User.ID, []waymark.List{list})
	f.Other, f.Links, f.Joins = page.Quoted(f.Name), counts[f.ID], fmt.Sprintf("/lists/merge?models=%d&%s", f.ID, page.QueryOf("words", f.Name))
	return err
}

// SameNamePath is the path of the other list with the name, or of all lists with it.
func (f labelForm) SameNamePath() string {
	if len(f.SameName) == 1 {
		return listPath(f.SameName[0])
	}
	return "/lists?" + url.Values{"name": {f.Name}}.Encode()
}

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

// findParent sets the parent of a new list, if the user may change that list.
func (f *labelForm) findParent(r *page.Request, text string) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return
	}
	if list, err := r.Store.List(r.Context(), r.User.ID, waymark.ListID(id)); err == nil && list.CanEdit {
		f.Parent, f.ParentName = id, list.Name
	}
}

func showListEdit(r *page.Request, list waymark.List) error {
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

func showTagCreate(r *page.Request) error {
	return showLabelForm(r, labelForm{Kind: "tags", Visibility: r.User.DefaultVisibility.Tags.String()})
}

func showTagEdit(r *page.Request, tag waymark.Tag) error {
	return showLabelForm(r, labelForm{Kind: "tags", ID: int64(tag.ID), Name: tag.Name, Visibility: tag.Visibility.String(), Version: tag.UpdatedAt.String()})
}

func showLabelForm(r *page.Request, f labelForm) error {
	r.FillIn(map[string]*string{"name": &f.Name, "description": &f.Description, "visibility": &f.Visibility, "version": &f.Version})
	return renderLabelForm(r, http.StatusOK, f)
}

func renderLabelForm(r *page.Request, status int, f labelForm) error {
	key := f.Kind + ".edit"
	if f.ID == 0 {
		key = f.Kind + ".create"
	}
	f.Heading = r.T(key)
	return r.RenderStatus(status, "label-form", f)
}

// readLabelForm returns the form that was sent, with what is wrong with it. id is zero for a new list
// or tag.
func readLabelForm(r *page.Request, kind string, id int64) labelForm {
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
	return f
}

// showLabelProblems shows the form again with what is wrong with it.
func showLabelProblems(r *page.Request, f labelForm, err error) error {
	f.Version = r.VersionAfter(err)
	invalid, _ := errors.AsType[*waymark.ValidationError](err)
	if f.Problems, err = r.ProblemsOf(err); err != nil {
		return err
	}
	if f.Kind == "tags" && f.ID != 0 && slices.ContainsFunc(invalid.Problems, func(p waymark.Problem) bool { return p.Rule == waymark.RuleUnique }) {
		if err := f.offerJoin(r); err != nil {
			return err
		}
	}
	return renderLabelForm(r, http.StatusUnprocessableEntity, f)
}

// offerJoin adds the tag with the new name, with which the links of the tag can be joined.
func (f *labelForm) offerJoin(r *page.Request) error {
	tag, err := r.Store.Tag(r.Context(), r.User.ID, waymark.TagID(f.ID))
	if err != nil {
		return err
	}
	found, err := r.Store.CompleteTags(r.Context(), r.User.ID, f.Name)
	if err != nil || len(found) == 0 || waymark.Fold(found[0].Name) != waymark.Fold(f.Name) {
		return err
	}
	counts, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{{Where: waymark.Labeled{Kind: waymark.Tags, Refs: []waymark.Ref{{ID: f.ID}}}}})
	if err == nil {
		f.Other, f.Links, f.Joins = page.Quoted(found[0].Name), max(0, counts[0]), "/tags/merge?"+page.QueryOf("tags", tag.Name+", "+found[0].Name)
	}
	return err
}

// save adds the list or tag of a form, or changes it, and returns its id and its name.
func (f labelForm) save(ctx context.Context, s *service.Service, user waymark.User) (id int64, name string, err error) {
	visibility := visibilityInput(f.Visibility)
	if f.Kind == "tags" {
		in := waymark.TagInput{Name: f.Name, VisibilityInput: visibility, Version: f.Version}
		var tag waymark.Tag
		if f.ID == 0 {
			tag, err = s.AddTag(ctx, user, in)
		} else {
			tag, err = s.EditTag(ctx, user, waymark.TagID(f.ID), in)
		}
		return int64(tag.ID), tag.Name, err
	}
	in := waymark.ListInput{Name: f.Name, Description: &f.Description, VisibilityInput: visibility, Version: f.Version}
	if f.Parent != 0 {
		in.Parent = (*waymark.ListID)(&f.Parent)
	}
	var list waymark.List
	if f.ID == 0 {
		list, err = s.AddList(ctx, user, in)
	} else {
		list, err = s.EditList(ctx, user, waymark.ListID(f.ID), in)
	}
	return int64(list.ID), list.Name, err
}

func saveLabel(r *page.Request, kind string, id int64, name string) error {
	f := readLabelForm(r, kind, id)
	if f.Problems != nil {
		return renderLabelForm(r, http.StatusUnprocessableEntity, f)
	}
	if f.Name != name {
		if err := findSameName(r, &f); err != nil {
			return err
		}
	}
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) (err error) {
		id, name, err = f.save(ctx, s, r.User)
		return err
	})
	if err != nil {
		return showLabelProblems(r, f, err)
	}
	path := fmt.Sprintf("/%s/%d", kind, id)
	saved := page.Toast{Text: r.T("labels.changed", "name", page.Quoted(name)), Undo: undo, Back: path}
	if f.ID == 0 {
		saved.Text, saved.Back = r.T("labels.saved", "name", page.Quoted(name)), "/"+kind
	}
	if n := len(f.SameName); n > 0 {
		saved.Text = r.T("lists.saved-same-name", "name", page.Quoted(f.Name), "n", n)
	}
	return r.Changed(path, saved)
}

func saveList(r *page.Request) error {
	if id := listField(r, "parent"); id != 0 {
		if parent, err := r.Store.List(r.Context(), r.User.ID, id); err == nil && !parent.CanEdit {
			return page.ErrNotYours
		}
	}
	return saveLabel(r, "lists", 0, "")
}

func saveTag(r *page.Request) error { return saveLabel(r, "tags", 0, "") }

func saveListEdit(r *page.Request, list waymark.List) error {
	return saveLabel(r, "lists", int64(list.ID), list.Name)
}

func saveTagEdit(r *page.Request, tag waymark.Tag) error {
	return saveLabel(r, "tags", int64(tag.ID), tag.Name)
}
