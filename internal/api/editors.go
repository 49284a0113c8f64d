package api

import (
	"context"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/rest"
	"waymark/internal/service"
	"waymark/internal/waymark"
)

// LinkAce has none of the operations in this file.

type editorsJSON struct {
	Who   string         `json:"who"`
	Users []string       `json:"users"`
	From  waymark.ListID `json:"from"`
}

func (a *API) getEditors(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.ListID) error {
	editors, err := a.Service.ListEditors(r.Context(), user, id)
	return writeJSON(w, editorsJSON{editors.Who.String(), append([]string{}, editors.Users...), editors.From}, err)
}

// userNames are names of people.
type userNames struct{ values []string }

func (n *userNames) UnmarshalJSON(raw []byte) error {
	for element, err := range elementsUpTo(raw, waymark.MaxBulk) {
		if err != nil {
			return err
		}
		var name text
		if err := name.UnmarshalJSON(element); err != nil {
			return err
		}
		n.values = append(n.values, name.orEmpty())
	}
	return nil
}

func (a *API) setEditors(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.ListID) error {
	var body struct {
		Who   word      `json:"who"`
		Users userNames `json:"users"`
	}
	wrong := a.readBody(w, r, httpx.UserBody, &body)
	in := waymark.Editors{Who: choose(wrong, "who", body.Who, editingByName), Users: body.Users.values}
	do := func(ctx context.Context, s *service.Service) error { return s.SetListEditors(ctx, user, id, in) }
	err := a.change(r, user, wrong, fieldPath, func(ctx context.Context, s *service.Service) error {
		if s != a.Service { // a dry run
			return do(ctx, s)
		}
		return a.withUndo(w, r, user, false, do)
	})
	if err != nil {
		return err
	}
	return a.getEditors(w, r, user, id)
}

// editingByName are the values of who.
var editingByName = map[string]waymark.Editing{
	"parent": waymark.EditedAsParent, "owner": waymark.EditedByOwner, "named": waymark.EditedByNamed, "everyone": waymark.EditedByEveryone,
}

func (a *API) leaveList(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.ListID) error {
	err := a.withUndo(w, r, user, false, func(ctx context.Context, s *service.Service) error { return s.LeaveList(ctx, user, id) })
	return writeEmpty(w, err)
}

// fileLink returns the handler that puts the link with the link_id in the path into the list with the id in the path, or
// takes it out.
func fileLink(file func(*service.Service, context.Context, waymark.User, waymark.ListID, waymark.LinkID) error) handler {
	return withID(func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.ListID) error {
		link, err := rest.ParseID[waymark.LinkID](r.PathValue("link_id"))
		if err == nil {
			err = a.withUndo(w, r, user, false, func(ctx context.Context, s *service.Service) error { return file(s, ctx, user, id, link) })
		}
		return writeEmpty(w, err)
	})
}

// addToList is AddToList of a Service with the limit of the API.
var addToList = func(s *service.Service, ctx context.Context, user waymark.User, list waymark.ListID, link waymark.LinkID) error {
	return s.AddToList(ctx, user, list, link, waymark.MaxLinkLists)
}

type sharedChangeJSON struct {
	ID        waymark.ChangeID   `json:"id"`
	User      string             `json:"user"`
	Kind      waymark.ChangeKind `json:"kind"`
	Links     []waymark.LinkID   `json:"links"`
	Total     int                `json:"total"`
	CreatedAt string             `json:"created_at"`
}

// listChanges returns the handler that lists what others have changed in a list, or in a link.
func listChanges[ID waymark.ID](list func(*service.Service, context.Context, waymark.User, ID) ([]waymark.SharedChange, error)) handler {
	return withID(func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User, id ID) error {
		changes, err := list(a.Service, r.Context(), user, id)
		if err != nil {
			return err
		}
		all := make([]sharedChangeJSON, len(changes))
		for i, c := range changes {
			all[i] = sharedChangeJSON{c.ID, c.User, c.Kind, append([]waymark.LinkID{}, c.Links...), c.Total, c.CreatedAt.String()}
		}
		return writeJSON(w, all, nil)
	})
}

func (a *API) undoChange(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.ChangeID) error {
	skipped, err := a.Service.UndoChange(r.Context(), user, id)
	return writeJSON(w, undoResponse{skipped}, err)
}

// editLink is editEntity for links, with a token to undo the edit if the link is another user's.
func (a *API) editLink(w http.ResponseWriter, r *http.Request, user waymark.User, id waymark.LinkID) error {
	var body linkFields
	wrong := a.readBody(w, r, httpx.UserBody, &body)
	var link waymark.Link
	edit := func(ctx context.Context, s *service.Service) (err error) {
		link, err = s.EditLink(ctx, user, id, body.input())
		return err
	}
	err := a.change(r, user, wrong, fieldPath, a.ofOthers(w, r, user, []int64{int64(id)}, edit))
	return writeEntity(a, w, r, &link, newLinkJSON, err)
}
