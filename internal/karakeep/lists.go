package karakeep

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

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

func newListJSON(l *waymark.List, sent sentTexts) listJSON {
	list := listJSON{
		ID: idText(l.ID), Name: sent.shown(waymark.Lists, int64(l.ID), waymark.FieldName, l.Name),
		Icon: "📁", Type: "manual", Public: l.Visibility == waymark.Public, UserRole: "owner",
	}
	if l.Description != "" {
		list.Description = &l.Description
	}
	if parent := sent.shown(waymark.Lists, int64(l.ID), waymark.FieldParent, parentText(l.Parent)); parent != "" {
		list.ParentID = &parent
	}
	return list
}

func (a *API) writeList(w http.ResponseWriter, r *http.Request, user waymark.User, status int, list waymark.List) error {
	sent, err := a.sentTexts(r.Context(), user)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, status, newListJSON(&list, sent))
}

// writeLists writes lists of the user's.
func (a *API) writeLists(w http.ResponseWriter, r *http.Request, user waymark.User, lists []waymark.List) error {
	sent, err := a.sentTexts(r.Context(), user)
	if err != nil {
		return err
	}
	all := waymark.Map(lists, func(l waymark.List) listJSON { return newListJSON(&l, sent) })
	return httpx.WriteJSON(w, http.StatusOK, listsJSON{all})
}

// listLists lists the user's own lists.
func (a *API) listLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	page, err := a.Store.OwnLists(user.ID).Page(r.Context())
	if err != nil {
		return err
	}
	sent, err := a.sentTexts(r.Context(), user)
	if err != nil {
		return err
	}
	all, parents := make([]listJSON, len(page.Entities)), map[string]string{}
	for i := range all {
		all[i] = newListJSON(&page.Entities[i], sent)
		parents[all[i].ID] = *cmp.Or(all[i].ParentID, new(string))
	}
	for i := range all { // a parent that was sent may be in the trash, or was moved into the list
		if kept := parentText(page.Entities[i].Parent); parents[all[i].ID] != kept && !endsAtTop(parents, all[i].ID) {
			all[i].ParentID = &kept
		}
	}
	return httpx.WriteJSON(w, http.StatusOK, listsJSON{all})
}

type listsJSON struct {
	Lists []listJSON `json:"lists"`
}

// endsAtTop reports whether the parents of a list lead to one without a parent, "".
func endsAtTop(parents map[string]string, id string) bool {
	known := true
	for n := 0; known && id != "" && n <= len(parents); n++ {
		id, known = parents[id]
	}
	return known && id == ""
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

// sent returns the texts that a request has sent for a list.
func (f listFields) sent(list *waymark.List) []waymark.SentText {
	id := int64(list.ID)
	texts := sentOf(waymark.Lists, id, waymark.FieldName, f.Name, list.Name)
	if f.ParentID == nil {
		return texts
	}
	parent := strings.Trim(string(f.ParentID), `"`)
	if parent == "null" {
		parent = ""
	}
	return append(texts, sentOf(waymark.Lists, id, waymark.FieldParent, &parent, parentText(list.Parent))...)
}

// placeList calls change. While the list would stand too deep, it puts it into the list above the parent instead.
func (a *API) placeList(r *http.Request, user waymark.User, in *waymark.ListInput, do func(ctx context.Context, s *service.Service) error) error {
	for {
		err := a.change(r, user, do)
		invalid, ok := errors.AsType[*waymark.ValidationError](err)
		if !ok || invalid.Problems[0].Rule != waymark.RuleMaxDepth {
			return err
		}
		parent, err := a.Store.List(r.Context(), user.ID, *in.Parent)
		if err != nil {
			return err
		}
		in.Parent = &parent.Parent
	}
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
	if err := a.checkParent(r, user, in.Parent); err != nil {
		return err
	}
	err = a.placeList(r, user, &in, func(ctx context.Context, s *service.Service) (err error) {
		if list, err = s.AddList(ctx, user, in); err != nil {
			return err
		}
		return s.KeepSent(ctx, user, fields.sent(&list)...)
	})
	if err != nil {
		return err
	}
	return a.writeList(w, r, user, http.StatusCreated, list)
}

// checkParent returns a waymark.ValidationError for a list of another user: those do not exist for this API.
func (a *API) checkParent(r *http.Request, user waymark.User, parent *waymark.ListID) error {
	if parent == nil || *parent == 0 {
		return nil
	}
	list, err := a.Store.List(r.Context(), user.ID, *parent)
	if err == nil && list.Owner != user.ID {
		return waymark.Invalid(waymark.FieldParent, waymark.RuleExists)
	}
	if errors.Is(err, waymark.ErrNotFound) || errors.Is(err, waymark.ErrForbidden) {
		return nil // AddList refuses it
	}
	return err
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
	err = a.placeList(r, user, &in, func(ctx context.Context, s *service.Service) (err error) {
		if list, err = s.EditList(ctx, user, list.ID, in); err != nil {
			return err
		}
		return s.KeepSent(ctx, user, fields.sent(&list)...)
	})
	if err != nil {
		return err
	}
	return a.writeList(w, r, user, http.StatusOK, list)
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
	return a.writeLists(w, r, user, own)
}
