package api

import (
	"net/http"
	"strconv"

	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

func (a *API) listLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := queryParams(r)
	page := q.pageRequest()
	if q.bool("tree") {
		return a.listTree(w, r, user, q, page)
	}
	return a.Store.Lists(user.ID, q.order(waymark.ListSortFields, newestFirst), page.pagination()).Stream(r.Context(), writePage(a, w, r, q, page, newListJSON))
}

// listTree writes a page of the lists in the order of the tree.
func (a *API) listTree(w http.ResponseWriter, r *http.Request, user waymark.User, q *params, page pageRequest) error {
	lists, err := a.Store.ListTree(r.Context(), user.ID)
	if err != nil {
		return err
	}
	total, p := len(lists), page.pagination()
	lists = lists[min(p.Offset, total):]
	if p.Limit != waymark.NoLimit {
		lists = lists[:min(p.Limit, len(lists))]
	}
	return writePage(a, w, r, q, page, newListJSON)(total, httpx.WithoutErrors(lists))
}

// moveList moves a list to another place in the tree of the user's lists. It is no part of LinkAce's API.
func (a *API) moveList(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.ListID) error {
	list, err := a.Store.List(r.Context(), user.ID, id)
	if err != nil {
		return err
	}
	var body struct {
		Parent number `json:"parent_id"`
		Before number `json:"before"`
	}
	if err := a.readBody(w, r, httpx.UserBody, &body).err(); err != nil {
		return err
	}
	place := waymark.ListPlace{Parent: list.Parent, Before: waymark.ListID(body.Before.value)}
	if body.Parent.sent {
		place.Parent = waymark.ListID(body.Parent.value)
	}
	if err := a.Service.MoveLists(r.Context(), user, []waymark.ListID{list.ID}, place); err != nil {
		return err
	}
	list, err = a.Store.List(r.Context(), user.ID, list.ID)
	return writeEntity(a, w, r, &list, newListJSON, err)
}

// listFields are the fields of a list in requests.
type listFields struct {
	Name        text     `json:"name"`
	Description text     `json:"description"`
	Parent      number   `json:"parent_id"`
	Position    position `json:"position"`
	visibilityFields
}

func (f *listFields) input() waymark.ListInput {
	return waymark.ListInput{
		Name: f.Name.orEmpty(), Description: f.Description.value, Parent: idIn[waymark.ListID](f.Parent), Position: f.Position.value,
		VisibilityInput: f.visibility(),
	}
}

type listJSON struct {
	ID          waymark.ListID `json:"id"`
	UserID      waymark.UserID `json:"user_id"`
	Name        string         `json:"name"`
	Description *string        `json:"description"`
	visibilityJSON
	Links    string          `json:"links"` // URL of its links
	ParentID *waymark.ListID `json:"parent_id"`
	Position int             `json:"position"`
	Path     []string        `json:"path"` // the names of the lists above it, and its own
	CanEdit  bool            `json:"can_edit"`
	timesJSON
	Pivot *pivotJSON `json:"pivot,omitempty"` // in a link
}

func newListJSON(prefix string, l *waymark.List) listJSON {
	path := make([]string, 0, len(l.Path)+1)
	for _, above := range l.Path {
		path = append(path, above.Name)
	}
	return listJSON{
		ParentID: optional(l.Parent), Position: l.Position, Path: append(path, l.Name), CanEdit: l.CanEdit,
		ID: l.ID, UserID: l.Owner, Name: l.Name, Description: optional(l.Description), visibilityJSON: newVisibilityJSON(l.Visibility),
		Links: prefix + "/lists/" + strconv.FormatInt(int64(l.ID), 10) + "/links", timesJSON: newTimesJSON(l.CreatedAt, l.UpdatedAt, l.DeletedAt),
	}
}
