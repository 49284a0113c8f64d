package api

import (
	"context"
	"net/http"

	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/waymark"
)

func (a *API) addNote(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	var body struct {
		Link number `json:"link_id"`
		noteFields
	}
	wrong := a.readBody(w, r, httpx.UserBody, &body)
	wrong.require("link_id", body.Link.sent && !body.Link.null)
	var note waymark.Note
	err := a.change(r, user, wrong, fieldPath, func(ctx context.Context, s *service.Service) (err error) {
		note, err = s.AddNote(ctx, user, waymark.LinkID(body.Link.value), body.input())
		return err
	})
	return writeEntity(a, w, r, &note, newNoteJSON, err)
}

// noteFields are the fields of a note in requests.
type noteFields struct {
	Note text `json:"note"`
	visibilityFields
}

func (f *noteFields) input() waymark.NoteInput {
	return waymark.NoteInput{Text: f.Note.orEmpty(), VisibilityInput: f.visibility()}
}

type noteJSON struct {
	ID     waymark.NoteID `json:"id"`
	UserID waymark.UserID `json:"user_id"`
	LinkID waymark.LinkID `json:"link_id"`
	Note   string         `json:"note"`
	visibilityJSON
	timesJSON
}

func newNoteJSON(_ string, n *waymark.Note) noteJSON {
	return noteJSON{
		ID: n.ID, UserID: n.Owner, LinkID: n.Link, Note: n.Text, visibilityJSON: newVisibilityJSON(n.Visibility),
		timesJSON: newTimesJSON(n.CreatedAt, n.UpdatedAt, n.DeletedAt),
	}
}
