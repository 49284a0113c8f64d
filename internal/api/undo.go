package api

import (
	"context"
	"net/http"

	"waymark/internal/service"
	"waymark/internal/waymark"
)

// undoHeader is the header of a response with the token that undoes the change. LinkAce has no such header.
const undoHeader = "Undo-Token"

// noSession is the session of changes by the API: another key of the user may undo them, a browser may not.
const noSession waymark.SessionID = 0

// withUndo calls do, which changes data through its service, and sets the header with the token that undoes
// the changes. There is no header if nothing was changed, or if it cannot be undone.
func (a *API) withUndo(w http.ResponseWriter, r *http.Request, user waymark.User, bulk bool, do func(ctx context.Context, s *service.Service) error) error {
	undo, err := a.service.WithUndo(r.Context(), service.UndoOptions{User: user, Session: noSession, Bulk: bulk}, do)
	if err == nil && undo.Token != "" {
		w.Header().Set(undoHeader, undo.Token)
		w.Header().Add("Access-Control-Expose-Headers", undoHeader)
	}
	return err
}

// undoResponse is the JSON of an undo.
type undoResponse struct {
	Skipped int `json:"skipped"`
}

// undo undoes a change whose response had a token.
func (a *API) undo(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	result, err := a.service.Undo(r.Context(), user, noSession, r.PathValue("token"))
	if err != nil {
		return err
	}
	return writeJSON(w, undoResponse{result.Skipped})
}
