package linkace

import (
	"net/http"

	"waymark/internal/waymark"
)

func (a *API) addNote(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	f, err := a.readForm(w, r, a.settings.BodyLimit)
	if err != nil {
		return err
	}
	link := f.id("link_id")
	note, err := a.service.AddNote(r.Context(), user, waymark.LinkID(link), f.note())
	if err != nil {
		return err
	}
	return a.answerNote(w, r, &note)
}

func (a *API) editNote(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	note, err := a.ownNote(r, user)
	if err != nil {
		return err
	}
	f, err := a.readForm(w, r, a.settings.BodyLimit)
	if err != nil {
		return err
	}
	note, err = a.service.EditNote(r.Context(), user, note.ID, f.note())
	if err != nil {
		return err
	}
	return a.answerNote(w, r, &note)
}

func (a *API) deleteNote(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	note, err := a.ownNote(r, user)
	if err != nil {
		return err
	}
	return a.delete(w, r, user, waymark.Notes, int64(note.ID))
}

// ownNote returns the note that the path names, if the user may edit it.
func (a *API) ownNote(r *http.Request, user waymark.User) (waymark.Note, error) {
	id, err := pathID[waymark.NoteID](r)
	if err != nil {
		return waymark.Note{}, err
	}
	note, err := a.store.Note(r.Context(), user.ID, id)
	if err == nil && !user.ID.MayEdit(note.Owner) {
		err = waymark.ErrForbidden
	}
	return note, err
}

// note returns what a form says about a note.
func (f *jsonBody) note() waymark.NoteInput {
	return waymark.NoteInput{
		Text:            f.stringOr("note"),
		VisibilityInput: f.sharing(),
		Unreadable:      f.unreadable(), // last, when all is read
	}
}

func (a *API) answerNote(w http.ResponseWriter, r *http.Request, note *waymark.Note) error {
	writeBody(w, http.StatusOK, appendNote(nil, a.prefix(r), note))
	return nil
}
