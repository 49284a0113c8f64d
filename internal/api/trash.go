package api

import (
	"context"
	"errors"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/waymark"
)

// The names of the kinds of entities in requests.
var (
	labeledKinds  = map[string]waymark.EntityKind{"links": waymark.Links, "lists": waymark.Lists, "tags": waymark.Tags}
	pluralKinds   = map[string]waymark.EntityKind{"links": waymark.Links, "lists": waymark.Lists, "tags": waymark.Tags, "notes": waymark.Notes}
	singularKinds = map[string]waymark.EntityKind{"link": waymark.Links, "list": waymark.Lists, "tag": waymark.Tags, "note": waymark.Notes}
)

func (a *API) clearTrash(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	var body struct {
		Model word `json:"model"`
	}
	wrong := a.readBody(w, r, httpx.UserBody, &body)
	kind := choose(wrong, "model", body.Model, pluralKinds)
	if err := wrong.err(); err != nil {
		return err
	}
	return writeEmpty(w, a.Store.ClearTrash(r.Context(), user.ID, kind))
}

func (a *API) restore(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	var body struct {
		Model word   `json:"model"`
		ID    number `json:"id"`
	}
	wrong := a.readBody(w, r, httpx.UserBody, &body)
	kind := choose(wrong, "model", body.Model, singularKinds)
	wrong.require("id", body.ID.sent && !body.ID.null)
	if err := wrong.err(); err != nil {
		return err
	}
	err := a.Service.Restore(r.Context(), user, kind, body.ID.value)
	if invalid, ok := errors.AsType[*waymark.ValidationError](err); ok {
		return wordProblems(invalid, func(int, string) string { return "id" }, nil)
	}
	return writeEmpty(w, err)
}

// undoHeader is the header of a response with the token that undoes the change. LinkAce has no such header.
const undoHeader = "Undo-Token"

// noSession is the session of changes by the API: another key of the user may undo them, a browser may not.
const noSession waymark.SessionID = 0

// withUndo calls do, which changes data through its service, and sets the header with the token that undoes
// the changes. There is no header if nothing was changed, or if it cannot be undone.
func (a *API) withUndo(w http.ResponseWriter, r *http.Request, user waymark.User, bulk bool, do func(ctx context.Context, s *service.Service) error) error {
	undo, err := a.Service.WithUndo(r.Context(), service.UndoOptions{User: user, Session: noSession, Bulk: bulk}, do)
	if err == nil && undo.Token != "" {
		w.Header().Set(undoHeader, undo.Token)
		w.Header().Add("Access-Control-Expose-Headers", undoHeader)
	}
	return err
}

type undoResponse struct {
	Skipped int `json:"skipped"`
}

// undo undoes a change whose response had a token.
func (a *API) undo(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	result, err := a.Service.Undo(r.Context(), service.UndoOptions{User: user, Session: noSession}, r.PathValue("token"))
	return writeJSON(w, undoResponse{result.Skipped}, err)
}
