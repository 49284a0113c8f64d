package linkace

import (
	"net/http"

	"waymark/internal/waymark"
)

func (a *API) listTrashedLinks(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.store.TrashedLinks(user.ID).Stream(r.Context(), writeArray(a, w, r, appendLink))
}

func (a *API) listTrashedLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.store.TrashedLists(user.ID).Stream(r.Context(), writeArray(a, w, r, appendList))
}

func (a *API) listTrashedTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.store.TrashedTags(user.ID).Stream(r.Context(), writeArray(a, w, r, appendTag))
}

func (a *API) listTrashedNotes(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.store.TrashedNotes(user.ID).Stream(r.Context(), writeArray(a, w, r, appendNote))
}

func (a *API) clearTrash(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	f, err := a.readForm(w, r, a.settings.BodyLimit)
	if err != nil {
		return err
	}
	kind := f.enum("model", string(waymark.Links), string(waymark.Lists), string(waymark.Tags), string(waymark.Notes))
	if err := f.problems.Err(); err != nil {
		return err
	}
	if err := a.service.ClearTrash(r.Context(), user, waymark.Kind(kind)); err != nil {
		return err
	}
	return writeEmpty(w)
}

func (a *API) restore(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	f, err := a.readForm(w, r, a.settings.BodyLimit)
	if err != nil {
		return err
	}
	kind := f.enum("model", "link", "list", "tag", "note")
	id := f.id("id")
	if err := f.problems.Err(); err != nil {
		return err
	}
	if err := a.service.Restore(r.Context(), user, waymark.Kind(kind+"s"), id); err != nil {
		return err
	}
	return writeEmpty(w)
}

// delete moves one entry of the user's own into the trash.
func (a *API) delete(w http.ResponseWriter, r *http.Request, user waymark.User, kind waymark.Kind, id int64) error {
	trashed, err := a.service.Trash(r.Context(), user, kind, []int64{id})
	if err != nil {
		return err
	}
	if !trashed[id] {
		return waymark.ErrNotFound // another request was first
	}
	return writeEmpty(w)
}
