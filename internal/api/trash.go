package api

import (
	"errors"
	"net/http"

	"waymark/internal/waymark"
)

// The names of the kinds of entities in requests.
var (
	pluralKinds   = map[string]waymark.EntityKind{"links": waymark.Links, "lists": waymark.Lists, "tags": waymark.Tags, "notes": waymark.Notes}
	singularKinds = map[string]waymark.EntityKind{"link": waymark.Links, "list": waymark.Lists, "tag": waymark.Tags, "note": waymark.Notes}
)

func (a *API) clearTrash(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	body := a.readBody(w, r, a.settings.BodyLimit)
	kind := pluralKinds[body.enum("model", "links", "lists", "tags", "notes")]
	if err := body.err(); err != nil {
		return err
	}
	if err := a.store.ClearTrash(r.Context(), user.ID, kind); err != nil {
		return err
	}
	return writeEmpty(w)
}

func (a *API) restore(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	body := a.readBody(w, r, a.settings.BodyLimit)
	kind := singularKinds[body.enum("model", "link", "list", "tag", "note")]
	id := body.id("id")
	if err := body.err(); err != nil {
		return err
	}
	err := a.service.Restore(r.Context(), user, kind, id)
	if invalid, ok := errors.AsType[*waymark.ValidationError](err); ok {
		return wordProblems(invalid, func(int, string) string { return "id" })
	}
	if err != nil {
		return err
	}
	return writeEmpty(w)
}
