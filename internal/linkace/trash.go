package linkace

import (
	"net/http"

	"waymark/internal/waymark"
)

func (a *API) showTrashedLinks(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.store.TrashedLinks(r.Context(), user.ID, showArray(a, w, r, appendLink))
}

func (a *API) showTrashedLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.store.TrashedLists(r.Context(), user.ID, showArray(a, w, r, appendList))
}

func (a *API) showTrashedTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.store.TrashedTags(r.Context(), user.ID, showArray(a, w, r, appendTag))
}

func (a *API) showTrashedNotes(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.store.TrashedNotes(r.Context(), user.ID, showArray(a, w, r, appendNote))
}

func (a *API) clearTrash(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	f, err := a.readForm(w, r, a.settings.BodyLimit)
	if err != nil {
		return err
	}
	kind := f.choice("model", string(waymark.Links), string(waymark.Lists), string(waymark.Tags), string(waymark.Notes))
	if err := f.problems.OrNil(); err != nil {
		return err
	}
	if err := a.service.ClearTrash(r.Context(), user, waymark.Kind(kind)); err != nil {
		return err
	}
	return done(w)
}

func (a *API) restore(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	f, err := a.readForm(w, r, a.settings.BodyLimit)
	if err != nil {
		return err
	}
	kind := f.choice("model", "link", "list", "tag", "note")
	id := f.id("id")
	if err := f.problems.OrNil(); err != nil {
		return err
	}
	if err := a.service.Restore(r.Context(), user, waymark.Kind(kind+"s"), id); err != nil {
		return err
	}
	return done(w)
}

// trash moves one entry of the user's own into the trash.
func (a *API) trash(w http.ResponseWriter, r *http.Request, user waymark.User, kind waymark.Kind, id int64) error {
	trashed, err := a.service.Trash(r.Context(), user, kind, []int64{id})
	if err != nil {
		return err
	}
	if !trashed[id] {
		return waymark.ErrNotFound // another request was first
	}
	return done(w)
}
