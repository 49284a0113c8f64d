package karakeep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

func newListJSON(l *waymark.List, sent sentTexts, parent waymark.ListID) listJSON {
	list := listJSON{
		ID: idText(l.ID), Name: sent.shown(waymark.FieldName, l.Name),
		Icon: "📁", Type: "manual", Public: l.Visibility == waymark.Public, UserRole: "owner",
	}
	if l.Description != "" {
		list.Description = &l.Description
	}
	if parent != 0 {
		list.ParentID = new(idText(parent))
	}
	return list
}

func (a *API) writeList(w http.ResponseWriter, r *http.Request, user waymark.User, status int, list waymark.List) error {
	sent, err := a.Store.SentTexts(r.Context(), waymark.Lists, int64(list.ID))
	if err != nil {
		return err
	}
	parents, err := a.Store.SentParents(r.Context(), user.ID)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, status, newListJSON(&list, sent, parents[list.ID]))
}

// writeLists writes lists of the user's.
func (a *API) writeLists(w http.ResponseWriter, r *http.Request, user waymark.User, lists []waymark.List) error {
	textsOf, err := a.sentTextsOf(r.Context(), user, waymark.Lists)
	if err != nil {
		return err
	}
	parents, err := a.Store.SentParents(r.Context(), user.ID)
	if err != nil {
		return err
	}
	each := func(yield func(waymark.List, error) bool) {
		for _, list := range lists {
			if !yield(list, nil) {
				return
			}
		}
	}
	return httpx.StreamJSON(w, `{"lists":[`, each, func(b *bytes.Buffer, list waymark.List) error {
		sent, err := textsOf(int64(list.ID))
		if err != nil {
			return err
		}
		return httpx.EncodeJSON(b, newListJSON(&list, sent, parents[list.ID]))
	}, httpx.End("]}"))
}

// listLists lists the user's own lists.
func (a *API) listLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	page, err := a.Store.OwnLists(user.ID).Page(r.Context())
	if err != nil {
		return err
	}
	return a.writeLists(w, r, user, page.Entities)
}

func (a *API) getList(w http.ResponseWriter, r *http.Request, user waymark.User, list waymark.List) error {
	return a.writeList(w, r, user, http.StatusOK, list)
}

// ownList returns the user's own list with the id in the path. Those of others do not exist for this API.
func (a *API) ownList(r *http.Request, user waymark.User) (waymark.List, error) {
	id, err := rest.PathID[waymark.ListID](r, "id")
	if err != nil {
		return waymark.List{}, err
	}
	list, err := a.Store.List(r.Context(), user.ID, id)
	if err == nil && list.Owner != user.ID || errors.Is(err, waymark.ErrForbidden) {
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
	Type        string          `json:"type"`
	Query       string          `json:"query"`
}

// input returns the fields but the parent, which PlaceSent sets.
func (f listFields) input(list waymark.List) waymark.ListInput {
	in := waymark.ListInput{Name: list.Name, Description: f.Description}
	if f.Name != nil {
		in.Name = keptName(*f.Name)
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
	return in
}

// parent returns the parent that a request has sent, 0 for none.
func (f listFields) parent() (parent waymark.ListID, err error) {
	var text *string
	if err := json.Unmarshal(f.ParentID, &text); err != nil {
		return 0, badRequest("The field parentId must be the id of a list, as a string, or null.")
	}
	if text != nil {
		parent, err = rest.ParseID[waymark.ListID](*text)
	}
	return parent, err
}

// saveList calls change for the fields but the parent, and puts the list where the request has sent it.
func (a *API) saveList(r *http.Request, user waymark.User, fields listFields, change func(ctx context.Context, s *service.Service) (waymark.List, error)) (list waymark.List, err error) {
	if fields.Type == "smart" || fields.Query != "" {
		return list, badRequest("Waymark keeps lists of the type manual only.")
	}
	var parent waymark.ListID
	if fields.ParentID != nil {
		if parent, err = fields.parent(); err != nil {
			return list, err
		}
	}
	err = a.change(r, user, func(ctx context.Context, s *service.Service) (err error) {
		if list, err = change(ctx, s); err != nil {
			return err
		}
		if fields.ParentID != nil {
			if err := s.PlaceSent(ctx, user, list.ID, parent); err != nil {
				return err
			}
		}
		return s.KeepSent(ctx, user, sentOf(waymark.Lists, int64(list.ID), waymark.FieldName, fields.Name, list.Name)...)
	})
	return list, err
}

func (a *API) addList(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	var fields listFields
	if err := a.readJSON(w, r, &fields); err != nil {
		return err
	}
	in := fields.input(waymark.List{Visibility: user.DefaultVisibility.Lists})
	list, err := a.saveList(r, user, fields, func(ctx context.Context, s *service.Service) (waymark.List, error) {
		return s.AddList(ctx, user, in)
	})
	if err != nil {
		return err
	}
	return a.writeList(w, r, user, http.StatusCreated, list)
}

func (a *API) editList(w http.ResponseWriter, r *http.Request, user waymark.User, list waymark.List) error {
	var fields listFields
	if err := a.readJSON(w, r, &fields); err != nil {
		return err
	}
	list, err := a.saveList(r, user, fields, func(ctx context.Context, s *service.Service) (waymark.List, error) {
		return s.EditList(ctx, user, list.ID, fields.input(list))
	})
	if err != nil {
		return err
	}
	return a.writeList(w, r, user, http.StatusOK, list)
}

// deleteList moves a list into the trash. Its links stay, and its sublists move up.
func (a *API) deleteList(w http.ResponseWriter, r *http.Request, user waymark.User, list waymark.List) error {
	err := a.change(r, user, func(ctx context.Context, s *service.Service) error {
		if err := s.LiftSent(ctx, user, list.ID); err != nil {
			return err
		}
		return s.Delete(ctx, user, waymark.Lists, int64(list.ID))
	})
	return writeDone(w, err)
}

// listsOfBookmark lists the user's own lists that a bookmark is in.
func (a *API) listsOfBookmark(w http.ResponseWriter, r *http.Request, user waymark.User, link waymark.Link) error {
	own := slices.DeleteFunc(link.Lists, func(l waymark.List) bool { return l.Owner != user.ID })
	return a.writeLists(w, r, user, own)
}
