package karakeep

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/waymark"
)

type listJSON struct {
	ID               string  `json:"id"`
	Name             string  `json:"name"`
	Description      *string `json:"description"`
	Icon             string  `json:"icon"`
	ParentID         *string `json:"parentId"`
	Type             string  `json:"type"`
	Query            *string `json:"query"`
	Public           bool    `json:"public"`
	HasCollaborators bool    `json:"hasCollaborators"`
	UserRole         string  `json:"userRole"`
}

func newListJSON(l *waymark.List) listJSON {
	list := listJSON{ID: idText(l.ID), Name: l.Name, Icon: "📁", Type: "manual", Public: l.Visibility == waymark.Public, UserRole: "owner"}
	if l.Description != "" {
		list.Description = &l.Description
	}
	if l.Parent != 0 {
		parent := idText(l.Parent)
		list.ParentID = &parent
	}
	return list
}

func newListsJSON(lists []waymark.List) map[string][]listJSON {
	all := waymark.Map(lists, func(e waymark.List) listJSON { return newListJSON(&e) })
	return map[string][]listJSON{"lists": all}
}

// listLists lists the user's own lists.
func (a *API) listLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	page, err := a.Store.OwnLists(user.ID).Page(r.Context())
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, newListsJSON(page.Entities))
}

func (a *API) getList(w http.ResponseWriter, r *http.Request, user waymark.User, list waymark.List) error {
	return httpx.WriteJSON(w, http.StatusOK, newListJSON(&list))
}

// ownList returns the user's own list with the id in the path. Those of others do not exist for this API.
func (a *API) ownList(r *http.Request, user waymark.User) (waymark.List, error) {
	id, err := rest.PathID[waymark.ListID](r, "id")
	if err != nil {
		return waymark.List{}, err
	}
	list, err := a.Store.List(r.Context(), user.ID, id)
	if err == nil && list.Owner != user.ID {
		err = waymark.ErrNotFound
	}
	return list, err
}

// listFields are the fields of a list in requests. Those that are missing are kept.
type listFields struct {
	Name        *string         `json:"name"`
	Description *string         `json:"description"`
	ParentID    json.RawMessage `json:"parentId"` // null for none
	Public      *bool           `json:"public"`
}

func (f listFields) input(list waymark.List) (waymark.ListInput, error) {
	in := waymark.ListInput{Name: list.Name, Description: f.Description}
	if f.Name != nil {
		in.Name = *f.Name
	}
	if f.Public != nil {
		visibility := list.Visibility
		switch {
		case *f.Public:
			visibility = waymark.Public
		case visibility == waymark.Public:
			visibility = waymark.Private
		}
		in.Visibility = &visibility
	}
	if f.ParentID == nil {
		return in, nil
	}
	var text *string
	if err := json.Unmarshal(f.ParentID, &text); err != nil {
		return in, badRequest("The field parentId must be the id of a list, as a string, or null.")
	}
	var parent waymark.ListID
	if text != nil {
		var err error
		if parent, err = rest.ParseID[waymark.ListID](*text); err != nil {
			return in, err
		}
	}
	in.Parent = &parent
	return in, nil
}

func (a *API) addList(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	var fields listFields
	if err := a.readJSON(w, r, &fields); err != nil {
		return err
	}
	in, err := fields.input(waymark.List{Visibility: user.DefaultVisibility.Lists})
	if err != nil {
		return err
	}
	var list waymark.List
	err = a.change(r, user, func(ctx context.Context, s *service.Service) (err error) {
		list, err = s.AddList(ctx, user, in)
		return err
	})
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusCreated, newListJSON(&list))
}

func (a *API) editList(w http.ResponseWriter, r *http.Request, user waymark.User, list waymark.List) error {
	var fields listFields
	if err := a.readJSON(w, r, &fields); err != nil {
		return err
	}
	in, err := fields.input(list)
	if err != nil {
		return err
	}
	err = a.change(r, user, func(ctx context.Context, s *service.Service) (err error) {
		list, err = s.EditList(ctx, user, list.ID, in)
		return err
	})
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, newListJSON(&list))
}

// deleteList moves a list into the trash. Its links stay, and its sublists move up.
func (a *API) deleteList(w http.ResponseWriter, r *http.Request, user waymark.User, list waymark.List) error {
	err := a.change(r, user, func(ctx context.Context, s *service.Service) error {
		return s.Delete(ctx, user, waymark.Lists, int64(list.ID))
	})
	if err != nil {
		return err
	}
	return writeDone(w)
}

// listsOfBookmark lists the user's own lists that a bookmark is in.
func (a *API) listsOfBookmark(w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.Link) error {
	own := slices.DeleteFunc(link.Lists, func(l waymark.List) bool { return l.Owner != user.ID })
	return httpx.WriteJSON(w, http.StatusOK, newListsJSON(own))
}
