package api

import (
	"net/http"
	"strconv"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

func (a *API) listLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := queryParams(r)
	page := q.pageRequest()
	return a.store.Lists(user.ID, q.order(waymark.ListSortFields, newestFirst), page.pagination()).Stream(r.Context(), writePage(a, w, r, q, page, newListJSON))
}

func (a *API) getList(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	list, err := a.list(r, user)
	if err != nil {
		return err
	}
	return a.writeList(w, r, &list)
}

func (a *API) addList(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	body := a.readBody(w, r, a.settings.BodyLimit)
	if body.malformed != nil {
		return body.malformed
	}
	in := body.listInput()
	list, err := a.service.AddList(r.Context(), user, in)
	if err != nil {
		return err
	}
	return a.writeList(w, r, &list)
}

func (a *API) editList(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	id, err := pathID[waymark.ListID](r)
	if err != nil {
		return err
	}
	body := a.readBody(w, r, a.settings.BodyLimit)
	list, err := a.service.EditList(r.Context(), user, id, body.listInput())
	if err != nil {
		return err
	}
	return a.writeList(w, r, &list)
}

func (a *API) deleteList(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return deleteEntity(w, r, user, a.service.DeleteList)
}

func (a *API) listLinksOfList(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	list, err := a.list(r, user)
	if err != nil {
		return err
	}
	q := queryParams(r)
	page := q.pageRequest()
	order := q.order(waymark.LinkSortFields, waymark.Order{By: waymark.SortByID})
	links := a.store.LinksOfList(user.ID, list.ID, order, page.pagination())
	return store.WithFlags(links, q.flags()).Stream(r.Context(), writePage(a, w, r, q, page, newLinkJSON))
}

func (a *API) removeFromList(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return removeLink(w, r, user, a.service.RemoveFromList)
}

// list returns the list with the id in the path.
func (a *API) list(r *http.Request, user waymark.User) (waymark.List, error) {
	id, err := pathID[waymark.ListID](r)
	if err != nil {
		return waymark.List{}, err
	}
	return a.store.List(r.Context(), user.ID, id)
}

// listInput decodes the fields of a list.
func (b *jsonBody) listInput() waymark.ListInput {
	in := waymark.ListInput{
		Name:            b.textOrEmpty("name"),
		Description:     b.text("description"),
		VisibilityInput: b.visibilityInput(),
	}
	in.DecodeErr = b.err()
	return in
}

func (a *API) writeList(w http.ResponseWriter, r *http.Request, list *waymark.List) error {
	return writeEntity(a, w, r, list, newListJSON)
}

// listJSON is a list in responses.
type listJSON struct {
	ID          waymark.ListID `json:"id"`
	UserID      waymark.UserID `json:"user_id"`
	Name        string         `json:"name"`
	Description *string        `json:"description"`
	visibilityJSON
	Links string `json:"links"` // URL of its links
	timesJSON
	Pivot *pivotJSON `json:"pivot,omitempty"` // in a link
}

func newListJSON(prefix string, l *waymark.List) listJSON {
	return listJSON{
		ID: l.ID, UserID: l.Owner, Name: l.Name, Description: optional(l.Description), visibilityJSON: newVisibilityJSON(l.Visibility),
		Links: prefix + "/lists/" + strconv.FormatInt(int64(l.ID), 10) + "/links", timesJSON: newTimesJSON(l.CreatedAt, l.UpdatedAt, l.DeletedAt),
	}
}
