package api

import (
	"context"
	"net/http"
	"strconv"

	"waymark/internal/crawl"
	"waymark/internal/httpx"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// bulkAdd returns the handler that creates the entities in a body, all or none. It writes an array with them.
func bulkAdd[B any, F fieldsOf[B, In], In, T, J any](add func(*service.Service, context.Context, waymark.User, []In) (store.Changed[T], error), encode func(string, *T) J) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		var body struct {
			Models models[B, F, In] `json:"models"`
		}
		body.Models.limit = waymark.MaxBulk
		wrong := a.readBody(w, r, httpx.BulkBody, &body)
		wrong.require("models", len(body.Models.inputs) > 0)
		var added store.Changed[T]
		err := a.change(r, user, wrong, modelPath, func(ctx context.Context, s *service.Service) (err error) {
			added, err = add(s, ctx, user, body.Models.inputs)
			return err
		})
		if err != nil {
			return err
		}
		return added.Stream(r.Context(), a.Store, writeArray(a, w, r, encode))
	}
}

// readIDs returns the required models of a body.
func (a *API) readIDs(w http.ResponseWriter, r *http.Request) ([]int64, error) {
	var body idsFields
	wrong := body.read(a, w, r, &body)
	return body.Models.values, wrong.err()
}

// idsFields are the required models of a bulk change.
type idsFields struct {
	Models ids `json:"models"`
}

// read decodes a body that has the models among its fields.
func (f *idsFields) read(a *API, w http.ResponseWriter, r *http.Request, into any) *mistakes {
	f.Models.limit = waymark.MaxBulk
	wrong := a.readBody(w, r, httpx.UserBody, into)
	wrong.require("models", len(f.Models.values) > 0)
	return wrong
}

// editFields are the fields of a bulk edit of lists or tags, which only have a visibility.
type editFields struct {
	idsFields
	visibilityFields
}

func (f *editFields) ids() *idsFields { return &f.idsFields }

func (f *editFields) edit(*mistakes) waymark.BulkEdit {
	in := f.visibility()
	return waymark.BulkEdit{Visibility: in.Visibility, Private: in.Private}
}

// linkEditFields are the fields of a bulk edit of links.
type linkEditFields struct {
	editFields
	flagFields
	Lists     refs `json:"lists"`
	ListsMode word `json:"lists_mode"`
	Tags      refs `json:"tags"`
	TagsMode  word `json:"tags_mode"`
}

func (f *linkEditFields) edit(wrong *mistakes) waymark.BulkEdit {
	edit := f.editFields.edit(wrong)
	edit.FlagsInput = f.flags()
	wrong.require("lists", f.Lists.value != nil)
	wrong.require("tags", f.Tags.value != nil)
	edit.Lists, edit.ListsMode = f.Lists.refs(), choose(wrong, "lists_mode", f.ListsMode, refsModes)
	edit.Tags, edit.TagsMode = f.Tags.refs(), choose(wrong, "tags_mode", f.TagsMode, refsModes)
	return edit
}

// bulkEdit returns the handler of a bulk edit. It writes an array with the changed entities.
func bulkEdit[B any, F interface {
	*B
	ids() *idsFields
	edit(*mistakes) waymark.BulkEdit
}, T, J any](apply func(*service.Service, context.Context, waymark.User, []int64, waymark.BulkEdit) (store.Changed[T], error), encode func(string, *T) J) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		body := F(new(B))
		wrong := body.ids().read(a, w, r, body)
		edit := body.edit(wrong)
		var changed store.Changed[T]
		do := func(ctx context.Context, s *service.Service) (err error) {
			changed, err = apply(s, ctx, user, body.ids().Models.values, edit)
			return err
		}
		if edit.FilesOnly() {
			do = a.ofOthers(w, r, user, body.ids().Models.values, do)
		}
		err := a.change(r, user, wrong, fieldPath, do)
		if err != nil {
			return err
		}
		return changed.Stream(r.Context(), a.Store, writeArray(a, w, r, encode))
	}
}

// refsModes are the modes of references to lists or tags by their names. LinkAce has no remove.
var refsModes = map[string]waymark.RefsMode{"append": waymark.AppendRefs, "replace": waymark.ReplaceRefs, "remove": waymark.RemoveRefs}

// bulkMove returns the handler that moves entities into or out of the trash. It writes an object that says
// for each id whether its entity was moved.
func bulkMove(move func(*service.Service, context.Context, waymark.User, waymark.EntityKind, []int64) (map[int64]bool, error), kinds map[string]waymark.EntityKind) handler {
	return func(a *API, w http.ResponseWriter, r *http.Request, user waymark.User) error {
		var body struct {
			Type word `json:"type"`
			idsFields
		}
		wrong := body.read(a, w, r, &body)
		kind := choose(wrong, "type", body.Type, kinds)
		if err := wrong.err(); err != nil {
			return err
		}
		ids := body.Models.values
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
		ids, err := a.readIDs(w, r)
		if err != nil {
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

// ofOthers returns a change that sets the header with the token that undoes it if one of the links is another user's.
func (a *API) ofOthers(w http.ResponseWriter, r *http.Request, user waymark.User, ids []int64, do func(context.Context, *service.Service) error) func(context.Context, *service.Service) error {
	return func(ctx context.Context, s *service.Service) error {
		if s != a.Service { // a dry run
			return do(ctx, s)
		}
		others, err := a.Store.HasOthersLinks(ctx, user.ID, ids)
		switch {
		case err != nil:
			return err
		case others:
			return a.withUndo(w, r, user, len(ids) > 1, do)
		}
		return do(ctx, s)
	}
}
