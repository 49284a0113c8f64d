package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"waymark/internal/httpx"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

func (a *API) addLinks(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return bulkAdd(a, w, r, user, (*jsonBody).linkInput, a.service.AddLinks, newLinkJSON)
}

func (a *API) addLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return bulkAdd(a, w, r, user, (*jsonBody).listInput, a.service.AddLists, newListJSON)
}

func (a *API) addTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return bulkAdd(a, w, r, user, (*jsonBody).tagInput, a.service.AddTags, newTagJSON)
}

// maxBulkBody is the maximum size of a body that creates several entities, in bytes.
const maxBulkBody = 32 << 20

// bulkAdd creates all entities in the models of a body, or none. It writes an array with the new
// entities.
func bulkAdd[In, T, J any](a *API, w http.ResponseWriter, r *http.Request, user waymark.User,
	decode func(*jsonBody) In, add func(context.Context, waymark.User, []In) (store.Changed[T], error), encode func(string, *T) J,
) error {
	body := a.readBody(w, r, maxBulkBody)
	inputs, err := decodeModels(a, body, decode)
	if err != nil {
		return err
	}
	body.fields = nil // frees the memory of the body: the inputs are copies
	added, err := add(r.Context(), user, inputs)
	if invalid, ok := errors.AsType[*waymark.ValidationError](err); ok {
		return wordProblems(invalid, modelPath)
	}
	if err != nil {
		return err
	}
	return added.Stream(r.Context(), writeArray(a, w, r, encode))
}

// decodeModels decodes the models of a bulk create. It stops when there are too many references.
func decodeModels[In any](a *API, body *jsonBody, decode func(*jsonBody) In) ([]In, error) {
	var inputs []In
	limits := a.store.LinkLimits()
	refs := 0
	for model := range body.models() {
		inputs = append(inputs, decode(model))
		refs += model.refCount
		if err := limits.CheckPairs(refs); err != nil {
			return nil, err
		}
	}
	return inputs, body.err()
}

func (a *API) editLinks(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return bulkEdit(a, w, r, user, (*jsonBody).linkEdit, a.service.EditLinks, newLinkJSON)
}

func (a *API) editLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return bulkEdit(a, w, r, user, (*jsonBody).visibilityEdit, a.service.EditLists, newListJSON)
}

func (a *API) editTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return bulkEdit(a, w, r, user, (*jsonBody).visibilityEdit, a.service.EditTags, newTagJSON)
}

// bulkEdit writes an array with the changed entities.
func bulkEdit[T, J any](a *API, w http.ResponseWriter, r *http.Request, user waymark.User,
	decode func(*jsonBody) waymark.BulkEdit, apply func(context.Context, waymark.User, []int64, waymark.BulkEdit) (store.Changed[T], error), encode func(string, *T) J,
) error {
	body := a.readBody(w, r, a.settings.BodyLimit)
	edit := decode(body)
	ids := body.ids() // last: if there are too many, this is the only error
	edit.DecodeErr = body.err()
	changed, err := apply(r.Context(), user, ids, edit)
	if err != nil {
		return err
	}
	return changed.Stream(r.Context(), writeArray(a, w, r, encode))
}

// linkEdit decodes a bulk edit of links.
func (b *jsonBody) linkEdit() waymark.BulkEdit {
	edit := b.visibilityEdit()
	edit.FlagsInput = b.flags()
	edit.Lists, edit.ListsMode = b.refsWithMode("lists")
	edit.Tags, edit.TagsMode = b.refsWithMode("tags")
	return edit
}

// refsModes are the modes of references to lists or tags by their names. LinkAce has no remove.
var refsModes = map[string]waymark.RefsMode{"append": waymark.AppendRefs, "replace": waymark.ReplaceRefs, "remove": waymark.RemoveRefs}

// refsWithMode decodes references to lists or tags, and what to do with them.
func (b *jsonBody) refsWithMode(field string) (refs []waymark.Ref, mode waymark.RefsMode) {
	if !b.has(field) {
		b.fail(field, "The %s field is required.", field)
	} else if sent := b.refs(field); sent != nil {
		refs = *sent
	}
	return refs, refsModes[b.enum(field+"_mode", "append", "replace", "remove")]
}

// visibilityEdit decodes a bulk edit of lists or tags, which only have a visibility.
func (b *jsonBody) visibilityEdit() waymark.BulkEdit {
	in := b.visibilityInput()
	return waymark.BulkEdit{Visibility: in.Visibility, Private: in.Private}
}

// bulkDelete moves entities into the trash. It writes an object that maps each id to
// whether its entity was deleted.
func (a *API) bulkDelete(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.bulkMove(w, r, user, a.service.DeleteMany, "links", "lists", "tags")
}

// bulkRestore restores entities from the trash. It writes an object that maps each id to
// whether its entity was restored. It is no part of LinkAce's API.
func (a *API) bulkRestore(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.bulkMove(w, r, user, a.service.RestoreMany, "links", "lists", "tags", "notes")
}

// bulkMove moves entities of one of these kinds into or out of the trash.
func (a *API) bulkMove(w http.ResponseWriter, r *http.Request, user waymark.User,
	move func(context.Context, waymark.User, waymark.EntityKind, []int64) (map[int64]bool, error), kinds ...string,
) error {
	body := a.readBody(w, r, a.settings.BodyLimit)
	kind := pluralKinds[body.enum("type", kinds...)]
	ids := body.ids()
	if err := body.err(); err != nil {
		return err
	}
	moved, err := move(r.Context(), user, kind, ids)
	if err != nil {
		return err
	}
	return writeResults(w, ids, moved)
}

// bulkFetch queues the pages of links to be fetched again in the background. It writes an object
// that maps each id to whether its page was queued. LinkAce has no such operation.
func (a *API) bulkFetch(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.bulkRequest(w, r, user, a.crawler.RequestPages)
}

// bulkCheck queues links to be checked in the background. It writes an object like bulkFetch.
func (a *API) bulkCheck(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return a.bulkRequest(w, r, user, a.crawler.RequestChecks)
}

func (a *API) bulkRequest(w http.ResponseWriter, r *http.Request, user waymark.User, request func(context.Context, waymark.User, []int64) ([]int64, error)) error {
	body := a.readBody(w, r, a.settings.BodyLimit)
	ids := body.ids()
	if err := body.err(); err != nil {
		return err
	}
	requested, err := request(r.Context(), user, ids)
	if err != nil {
		return actionError(err)
	}
	done := make(map[int64]bool, len(requested))
	for _, id := range requested {
		done[id] = true
	}
	return writeResults(w, ids, done)
}

// modelIDs returns the ids in the models of a body.
func modelIDs[ID waymark.ID](a *API, w http.ResponseWriter, r *http.Request) ([]ID, error) {
	body := a.readBody(w, r, a.settings.BodyLimit)
	plain := body.ids()
	ids := make([]ID, len(plain))
	for i, id := range plain {
		ids[i] = ID(id)
	}
	return ids, body.err()
}

// writeResults writes an object that maps each id to whether it is in done.
func writeResults(w http.ResponseWriter, ids []int64, done map[int64]bool) error {
	results := make(object, len(ids))
	for i, id := range ids {
		results[i] = member{strconv.FormatInt(id, 10), done[id]}
	}
	return httpx.WriteJSON(w, http.StatusOK, results)
}
