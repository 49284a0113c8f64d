package linkace

import (
	"net/http"

	"waymark/internal/waymark"
)

func (a *API) listLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	q := query(r)
	page := q.pageRequest()
	return a.store.Lists(user.ID, q.order(waymark.ListSortFields, newestFirst), page.pagination()).Stream(r.Context(), writePage(a, w, r, page, appendList))
}

func (a *API) getList(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	list, err := a.list(r, user)
	if err != nil {
		return err
	}
	return a.answerList(w, r, &list)
}

func (a *API) addList(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	f, err := a.readForm(w, r, a.settings.BodyLimit)
	if err != nil {
		return err
	}
	list, err := a.service.AddList(r.Context(), user, f.list())
	if err != nil {
		return err
	}
	return a.answerList(w, r, &list)
}

func (a *API) editList(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	list, err := a.ownList(r, user)
	if err != nil {
		return err
	}
	f, err := a.readForm(w, r, a.settings.BodyLimit)
	if err != nil {
		return err
	}
	list, err = a.service.EditList(r.Context(), user, list.ID, f.list())
	if err != nil {
		return err
	}
	return a.answerList(w, r, &list)
}

func (a *API) deleteList(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	list, err := a.ownList(r, user)
	if err != nil {
		return err
	}
	return a.delete(w, r, user, waymark.Lists, int64(list.ID))
}

func (a *API) listLinksOfList(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	list, err := a.list(r, user)
	if err != nil {
		return err
	}
	q := query(r)
	page := q.pageRequest()
	order := q.order(waymark.LinkSortFields, waymark.Order{By: waymark.SortByID})
	return a.store.LinksOfList(user.ID, list.ID, order, page.pagination()).Stream(r.Context(), writePage(a, w, r, page, appendLink))
}

// list returns the list that the path names.
func (a *API) list(r *http.Request, user waymark.User) (waymark.List, error) {
	id, err := pathID[waymark.ListID](r)
	if err != nil {
		return waymark.List{}, err
	}
	return a.store.List(r.Context(), user.ID, id)
}

// ownList returns the list that the path names, if the user may edit it.
func (a *API) ownList(r *http.Request, user waymark.User) (waymark.List, error) {
	list, err := a.list(r, user)
	if err == nil && !user.ID.MayEdit(list.Owner) {
		err = waymark.ErrForbidden
	}
	return list, err
}

// list returns what a form says about a list.
func (f *jsonBody) list() waymark.ListInput {
	return waymark.ListInput{
		Name:            f.stringOr("name"),
		Description:     f.text("description"),
		VisibilityInput: f.sharing(),
		Unreadable:      f.unreadable(), // last, when all is read
	}
}

func (a *API) answerList(w http.ResponseWriter, r *http.Request, list *waymark.List) error {
	writeBody(w, http.StatusOK, appendList(nil, a.prefix(r), list))
	return nil
}
