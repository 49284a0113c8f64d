package service_test

import (
	"slices"

	"pgregory.net/rapid"

	"waymark/internal/waymark"
)

// What people do with lists, tags, notes and the trash.

func (w *world) listInput() waymark.ListInput {
	return waymark.ListInput{Name: someName.Draw(w.T, "name"), Description: maybe(w, someText, "description"), VisibilityInput: w.sharing()}
}

func (w *world) tagInput() waymark.TagInput {
	return waymark.TagInput{Name: someName.Draw(w.T, "name"), VisibilityInput: w.sharing()}
}

func (w *world) addList() {
	user, in := w.someone(), w.listInput()
	want, err := waymark.NewList(user, in)
	w.wantError("new list", err, nil)
	got, err := w.lib.AddList(w.ctx, user, in)
	w.wantError("add list", err, nil)
	want.ID, want.CreatedAt = got.ID, got.CreatedAt
	w.lists[got.ID] = &want
	w.wantSame("added list", timeless(got), timeless(want))
}

func (w *world) editList() {
	user, id, in := w.someone(), idsOf(w.lists).Draw(w.T, "list"), w.listInput()
	list := w.lists[id]
	var want error
	switch {
	case list == nil || list.DeletedAt != 0:
		want = waymark.ErrNotFound
	case list.Owner != user.ID:
		want = waymark.ErrForbidden
	}
	got, err := w.lib.EditList(w.ctx, user, id, in)
	w.wantError("edit list", err, want)
	if want == nil {
		w.wantError("apply", in.Apply(list), nil)
		w.wantSame("edited list", timeless(got), timeless(*list))
	}
}

func (w *world) editLists() {
	user, edit := w.someone(), waymark.BulkEdit{Visibility: maybe(w, someVisibility, "visibility")}
	ids := rapid.SliceOfN(idsOf(w.lists), 1, 5).Draw(w.T, "lists")
	var want []*waymark.List
	for i, id := range ids {
		list := w.lists[id]
		switch {
		case list == nil || list.DeletedAt != 0 || slices.Contains(ids[:i], id):
		case list.Owner != user.ID:
			want = append(want, nil)
		default:
			list.Visibility = edit.ApplyVisibility(list.Visibility)
			want = append(want, list)
		}
	}
	got, err := w.lib.EditLists(w.ctx, user, plain(ids), edit)
	w.wantError("edit lists", err, nil)
	sameEach(w, got, want)
}

func (w *world) addTags() {
	user := w.someone()
	var inputs []waymark.TagInput
	var tags []waymark.Tag
	bad, keys := false, map[string]bool{}
	for range rapid.IntRange(1, 3).Draw(w.T, "tags") {
		in := w.tagInput()
		tag, err := waymark.NewTag(user, in)
		w.wantError("new tag", err, nil)
		_, taken := w.ownTag(user.ID, in.Name)
		bad = bad || taken || keys[waymark.Fold(in.Name)]
		keys[waymark.Fold(in.Name)] = true
		inputs, tags = append(inputs, in), append(tags, tag)
	}
	got, err := w.lib.AddTags(w.ctx, user, inputs)
	if bad {
		w.wantError("add tags", err, errInvalid)
		return
	}
	w.wantError("add tags", err, nil)
	for i, tag := range tags {
		tag.ID, tag.CreatedAt = got[i].ID, got[i].CreatedAt
		w.tags[tag.ID] = &tag
		w.wantSame("added tag", timeless(got[i]), timeless(tag))
	}
}

func (w *world) editTag() {
	user, id, in := w.someone(), idsOf(w.tags).Draw(w.T, "tag"), w.tagInput()
	tag := w.tags[id]
	other, taken := w.ownTag(user.ID, in.Name)
	var want error
	switch {
	case tag == nil || tag.DeletedAt != 0:
		want = waymark.ErrNotFound
	case tag.Owner != user.ID:
		want = waymark.ErrForbidden
	case taken && other != id:
		want = errInvalid
	}
	got, err := w.lib.EditTag(w.ctx, user, id, in)
	w.wantError("edit tag", err, want)
	if want == nil {
		w.wantError("apply", in.Apply(tag), nil)
		w.wantSame("edited tag", timeless(got), timeless(*tag))
	}
}

func (w *world) editTags() {
	user, edit := w.someone(), waymark.BulkEdit{Private: maybe(w, rapid.Bool(), "private")}
	ids := rapid.SliceOfN(idsOf(w.tags), 1, 5).Draw(w.T, "tags")
	var want []*waymark.Tag
	for i, id := range ids {
		tag := w.tags[id]
		switch {
		case tag == nil || tag.DeletedAt != 0 || slices.Contains(ids[:i], id):
		case tag.Owner != user.ID:
			want = append(want, nil)
		default:
			tag.Visibility = edit.ApplyVisibility(tag.Visibility)
			want = append(want, tag)
		}
	}
	got, err := w.lib.EditTags(w.ctx, user, plain(ids), edit)
	w.wantError("edit tags", err, nil)
	sameEach(w, got, want)
}

func (w *world) addNote() {
	user, id := w.someone(), idsOf(w.links).Draw(w.T, "link")
	in := waymark.NoteInput{Text: "note: " + someText.Draw(w.T, "text"), VisibilityInput: w.sharing()}
	note, err := waymark.NewNote(user, id, in)
	w.wantError("new note", err, nil)
	link := w.links[id]
	var want error
	switch {
	case link == nil || link.DeletedAt != 0:
		want = errInvalid
	case !seesLink(user.ID, link):
		want = waymark.ErrForbidden
	}
	got, err := w.lib.AddNote(w.ctx, user, id, in)
	w.wantError("add note", err, want)
	if want == nil {
		note.ID, note.CreatedAt = got.ID, got.CreatedAt
		w.notes[note.ID] = &note
		w.wantSame("added note", timeless(got), timeless(note))
	}
}

func (w *world) editNote() {
	user, id := w.someone(), idsOf(w.notes).Draw(w.T, "note")
	in := waymark.NoteInput{Text: "edited: " + someText.Draw(w.T, "text"), VisibilityInput: w.sharing()}
	note := w.notes[id]
	var want error
	switch {
	case note == nil || note.DeletedAt != 0 || w.links[note.Link].DeletedAt != 0:
		want = waymark.ErrNotFound
	case note.Owner != user.ID:
		want = waymark.ErrForbidden
	}
	got, err := w.lib.EditNote(w.ctx, user, id, in)
	w.wantError("edit note", err, want)
	if want == nil {
		w.wantError("apply", in.Apply(note), nil)
		w.wantSame("edited note", timeless(got), timeless(*note))
	}
}

// entry is what the trash does alike to every kind.
type entry struct {
	owner     waymark.UserID
	deletedAt *waymark.Time
	reachable bool // false for the notes of a link in the trash
	erase     func()
	taken     func() bool // its address or name
}

// deleteError returns the error of deleting the entity.
func (e entry) deleteError(user waymark.User) error {
	switch {
	case e.deletedAt == nil || *e.deletedAt != 0 || !e.reachable:
		return waymark.ErrNotFound
	case e.owner != user.ID:
		return waymark.ErrForbidden
	}
	return nil
}

func (w *world) entries(kind waymark.EntityKind) map[int64]entry {
	all := map[int64]entry{}
	never := func() bool { return false }
	switch kind {
	case waymark.Links:
		for id, link := range w.links {
			all[int64(id)] = entry{link.Owner, &link.DeletedAt, true, func() { w.eraseLink(id) }, func() bool { return w.ownURL(link.Owner, link.URL) != nil }}
		}
	case waymark.Lists:
		for id, list := range w.lists {
			all[int64(id)] = entry{list.Owner, &list.DeletedAt, true, func() { w.eraseList(id) }, never}
		}
	case waymark.Tags:
		for id, tag := range w.tags {
			all[int64(id)] = entry{tag.Owner, &tag.DeletedAt, true, func() { w.eraseTag(id) }, func() bool { _, ok := w.ownTag(tag.Owner, tag.Name); return ok }}
		}
	case waymark.Notes:
		for id, note := range w.notes {
			all[int64(id)] = entry{note.Owner, &note.DeletedAt, w.links[note.Link].DeletedAt == 0, func() { delete(w.notes, id) }, never}
		}
	}
	return all
}

// idsOfKind draws ids of a kind.
func (w *world) idsOfKind(kind waymark.EntityKind, most int) []int64 {
	all := []waymark.LinkID{} // of any kind; idsOf wants one
	for id := range w.entries(kind) {
		all = append(all, waymark.LinkID(id))
	}
	known := map[waymark.LinkID]bool{}
	for _, id := range all {
		known[id] = true
	}
	return plain(rapid.SliceOfN(idsOf(known), 1, most).Draw(w.T, "ids"))
}

func (w *world) trash() {
	user, kind := w.someone(), someKind.Draw(w.T, "kind")
	ids, all := w.idsOfKind(kind, 5), w.entries(kind)
	want := map[int64]bool{}
	for _, id := range ids {
		if e := all[id]; e.deleteError(user) == nil {
			*e.deletedAt = trashed
			want[id] = true
		}
	}
	got, err := w.lib.DeleteMany(w.ctx, user, kind, ids)
	w.wantError("trash", err, nil)
	w.wantSame("what went into the trash", got, want)
}

func (w *world) deleteOne() {
	user, kind := w.someone(), someKind.Draw(w.T, "kind")
	id := w.idsOfKind(kind, 1)[0]
	e := w.entries(kind)[id]
	want := e.deleteError(user)
	var err error
	switch kind {
	case waymark.Links:
		err = w.lib.DeleteLink(w.ctx, user, waymark.LinkID(id))
	case waymark.Lists:
		err = w.lib.DeleteList(w.ctx, user, waymark.ListID(id))
	case waymark.Tags:
		err = w.lib.DeleteTag(w.ctx, user, waymark.TagID(id))
	case waymark.Notes:
		err = w.lib.DeleteNote(w.ctx, user, waymark.NoteID(id))
	}
	w.wantError("delete", err, want)
	if want == nil {
		*e.deletedAt = trashed
	}
}

func (w *world) restore() {
	user, kind := w.someone(), someKind.Draw(w.T, "kind")
	id := w.idsOfKind(kind, 1)[0]
	e, ok := w.entries(kind)[id]
	var want error
	switch {
	case !ok || e.owner != user.ID:
		want = waymark.ErrNotFound
	case *e.deletedAt != 0 && e.taken():
		want = errInvalid
	}
	w.wantError("restore", w.lib.Restore(w.ctx, user, kind, id), want)
	if want == nil {
		*e.deletedAt = 0
	}
}

func (w *world) clear() {
	user, kind := w.someone(), someKind.Draw(w.T, "kind")
	w.wantError("clear", w.lib.ClearTrash(w.ctx, user, kind), nil)
	for _, e := range w.entries(kind) {
		if e.owner == user.ID && *e.deletedAt != 0 {
			e.erase()
		}
	}
}
