package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"waymark/internal/crawl"
	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// maxBulkBody is the maximum size of a body that creates several entities, in bytes.
const maxBulkBody = 32 << 20

// bulkAdd returns the handler that creates the entities in a body, all or none. It writes an array with them.
func bulkAdd[In, T, J any](decode func(*jsonBody) In, add func(*service.Service, context.Context, waymark.User, []In) (store.Changed[T], error), encode func(string, *T) J) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		body := a.readBody(w, r, maxBulkBody)
		inputs, err := decodeModels(body, decode)
		if err != nil {
			return err
		}
		body.fields = nil // frees the memory of the body: the inputs are copies
		added, err := add(a.Service, r.Context(), user, inputs)
		if invalid, ok := errors.AsType[*waymark.ValidationError](err); ok {
			return wordProblems(invalid, modelPath)
		}
		if err != nil {
			return err
		}
		return added.Stream(r.Context(), writeArray(a, w, r, encode))
	}
}

// decodeModels decodes the models of a bulk create. It stops when there are too many references.
func decodeModels[In any](body *jsonBody, decode func(*jsonBody) In) ([]In, error) {
	var inputs []In
	refs := 0
	for model := range body.models() {
		inputs = append(inputs, decode(model))
		refs += model.refCount
		if err := waymark.CheckPairs(refs); err != nil {
			return nil, err
		}
	}
	return inputs, body.err()
}

// bulkEdit returns the handler of a bulk edit. It writes an array with the changed entities.
func bulkEdit[T, J any](decode func(*jsonBody) waymark.BulkEdit, apply func(*service.Service, context.Context, waymark.User, []int64, waymark.BulkEdit) (store.Changed[T], error), encode func(string, *T) J) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		body := a.readBody(w, r, a.Settings.BodyLimit)
		edit := decode(body)
		ids := body.ids() // last: if there are too many, this is the only error
		edit.DecodeErr = body.err()
		changed, err := apply(a.Service, r.Context(), user, ids, edit)
		if err != nil {
			return err
		}
		return changed.Stream(r.Context(), writeArray(a, w, r, encode))
	}
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

// bulkMove returns the handler that moves entities into or out of the trash. It writes an object that says
// for each id whether its entity was moved.
func bulkMove(move func(*service.Service, context.Context, waymark.User, waymark.EntityKind, []int64) (map[int64]bool, error), kinds ...string) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		body := a.readBody(w, r, a.Settings.BodyLimit)
		kind := pluralKinds[body.enum("type", kinds...)]
		ids := body.ids()
		if err := body.err(); err != nil {
			return err
		}
		moved, err := move(a.Service, r.Context(), user, kind, ids)
		if err != nil {
			return err
		}
		return writeResults(w, ids, moved)
	}
}

// bulkRequest returns the handler that queues links for a job in the background. It writes an object that maps
// each id to whether its link was queued. LinkAce has no such operation.
func bulkRequest(request func(*crawl.Crawler, context.Context, waymark.User, []int64) ([]int64, error)) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		body := a.readBody(w, r, a.Settings.BodyLimit)
		ids := body.ids()
		if err := body.err(); err != nil {
			return err
		}
		requested, err := request(a.Crawler, r.Context(), user, ids)
		if err != nil {
			return actionError(err)
		}
		done := make(map[int64]bool, len(requested))
		for _, id := range requested {
			done[id] = true
		}
		return writeResults(w, ids, done)
	}
}

// writeResults writes an object that maps each id to whether it is in done.
func writeResults(w http.ResponseWriter, ids []int64, done map[int64]bool) error {
	results := make(httpx.Object, len(ids))
	for i, id := range ids {
		results[i] = httpx.Member{Name: strconv.FormatInt(id, 10), Value: done[id]}
	}
	return httpx.WriteJSON(w, http.StatusOK, results)
}
