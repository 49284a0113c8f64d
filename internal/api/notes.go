package api

import (
	"net/http"

	"waymark/internal/waymark"
)

func (a *API) addNote(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	body := a.readBody(w, r, a.Settings.BodyLimit)
	if body.malformed != nil {
		return body.malformed
	}
	link := waymark.LinkID(body.id("link_id"))
	note, err := a.Service.AddNote(r.Context(), user, link, body.noteInput())
	if err != nil {
		return err
	}
	return writeEntity(a, w, r, &note, newNoteJSON)
}

func (b *jsonBody) noteInput() waymark.NoteInput {
	in := waymark.NoteInput{
		Text:            b.textOrEmpty("note"),
		VisibilityInput: b.visibilityInput(),
	}
	in.DecodeErr = b.err()
	return in
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
