package linkace

import (
	"context"
	"net/http"
	"strconv"

	"waymark/internal/waymark"
)

func (a *API) addLinks(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return bulkAdd(a, w, r, user, (*jsonBody).link, a.service.AddLinks, appendLink)
}

func (a *API) addLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return bulkAdd(a, w, r, user, (*jsonBody).list, a.service.AddLists, appendList)
}

func (a *API) addTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return bulkAdd(a, w, r, user, (*jsonBody).tag, a.service.AddTags, appendTag)
}

func bulkAdd[In, T any](a *API, w http.ResponseWriter, r *http.Request, user waymark.User,
	read func(*jsonBody) In, add func(context.Context, waymark.User, []In) ([]T, error), write appendEntity[T],
) error {
	f, err := a.readForm(w, r, a.settings.BulkBodyLimit)
	if err != nil {
		return err
	}
	forms := f.models()
	if err := f.problems.Err(); err != nil {
		return err
	}
	inputs := make([]In, len(forms))
	for i, one := range forms {
		inputs[i] = read(one)
	}
	entries, err := add(r.Context(), user, inputs)
	if err != nil {
		return err
	}
	return writeAll(a, w, r, entries, write)
}

func (a *API) editLinks(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return bulkEdit(a, w, r, user, (*jsonBody).linkEdit, a.service.EditLinks, appendLink)
}

func (a *API) editLists(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return bulkEdit(a, w, r, user, (*jsonBody).sharingEdit, a.service.EditLists, appendList)
}

func (a *API) editTags(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	return bulkEdit(a, w, r, user, (*jsonBody).sharingEdit, a.service.EditTags, appendTag)
}

func bulkEdit[T any](a *API, w http.ResponseWriter, r *http.Request, user waymark.User,
	read func(*jsonBody) waymark.BulkEdit, edit func(context.Context, waymark.User, []int64, waymark.BulkEdit) ([]*T, error), write appendEntity[T],
) error {
	f, err := a.readForm(w, r, a.settings.BodyLimit)
	if err != nil {
		return err
	}
	ids, change := f.ids(), read(f)
	if err := f.problems.Err(); err != nil {
		return err
	}
	entries, err := edit(r.Context(), user, ids, change)
	if err != nil {
		return err
	}
	orNull := func(b []byte, prefix string, entry **T) []byte {
		if *entry == nil {
			return append(b, "null"...)
		}
		return write(b, prefix, *entry)
	}
	return writeAll(a, w, r, entries, orNull)
}

// linkEdit returns what a form says about many links.
func (f *jsonBody) linkEdit() waymark.BulkEdit {
	edit := f.sharingEdit()
	edit.Lists, edit.ReplaceLists = f.filing("lists")
	edit.Tags, edit.ReplaceTags = f.filing("tags")
	return edit
}

func (f *jsonBody) filing(field string) (refs []waymark.Ref, replace bool) {
	if !f.has(field) {
		f.problem(field, "The %s field is required.", field)
	} else if all := f.refs(field); all != nil {
		refs = *all
		waymark.ValidateRefs(&f.problems, field, refs)
	}
	return refs, f.enum(field+"_mode", "append", "replace") == "replace"
}

// sharingEdit returns what a form says about many entries that have no more.
func (f *jsonBody) sharingEdit() waymark.BulkEdit {
	sharing := f.sharing()
	return waymark.BulkEdit{Visibility: sharing.Visibility, Private: sharing.Private}
}

// bulkDelete moves entries into the trash and answers which of those it was sent
// it could.
func (a *API) bulkDelete(w http.ResponseWriter, r *http.Request, user waymark.User) error {
	f, err := a.readForm(w, r, a.settings.BodyLimit)
	if err != nil {
		return err
	}
	kind := f.enum("type", string(waymark.Links), string(waymark.Lists), string(waymark.Tags))
	ids := f.ids()
	if err := f.problems.Err(); err != nil {
		return err
	}
	trashed, err := a.service.Trash(r.Context(), user, waymark.Kind(kind), ids)
	if err != nil {
		return err
	}
	b := []byte{'{'}
	for i, id := range ids {
		b = strconv.AppendInt(append(comma(b, i), '"'), id, 10)
		b = strconv.AppendBool(append(b, `":`...), trashed[id])
	}
	writeBody(w, http.StatusOK, append(b, '}'))
	return nil
}
