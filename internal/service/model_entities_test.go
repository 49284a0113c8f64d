package service_test

import (
	"slices"

	"pgregory.net/rapid"

	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func (mt *modelTest) listInput() waymark.ListInput {
	return waymark.ListInput{Name: anyName.Draw(mt.T, "name"), Description: optional(mt, anyText, "description"), VisibilityInput: mt.visibilityInput()}
}

func (mt *modelTest) tagInput() waymark.TagInput {
	return waymark.TagInput{Name: anyName.Draw(mt.T, "name"), VisibilityInput: mt.visibilityInput()}
}

func (mt *modelTest) addList() {
	user, in := mt.anyUser(), mt.listInput()
	in.Parent = new(mt.anyList(user).Draw(mt.T, "parent"))
	want, err := waymark.NewList(user, in)
	mt.wantError("new list", err, nil)
	var refused error
	if p := mt.lists[*in.Parent]; *in.Parent != 0 && (p == nil || p.Owner != user.ID || p.DeletedAt != 0 || len(mt.above(p.ID))+2 > waymark.MaxListDepth) {
		refused = errInvalid
	}
	got, err := mt.service.AddList(mt.ctx, user, in)
	mt.wantError("add list", err, refused)
	if refused != nil {
		return
	}
	want.ID, want.CreatedAt = got.ID, got.CreatedAt
	mt.parents[got.ID] = *in.Parent
	mt.lists[got.ID] = &want
	mt.wantEqual("added list", withoutTimes(got), withoutTimes(want))
}

func (mt *modelTest) editList() {
	user, id, in := mt.anyUser(), anyIDOf(mt.lists).Draw(mt.T, "list"), mt.listInput()
	list := mt.lists[id]
	var want error
	switch {
	case list == nil || list.DeletedAt != 0:
		want = waymark.ErrNotFound
	case list.Owner != user.ID:
		want = waymark.ErrForbidden
	}
	got, err := mt.service.EditList(mt.ctx, user, id, in)
	mt.wantError("edit list", err, want)
	if want == nil {
		mt.wantError("apply", in.Apply(list), nil)
		mt.wantEqual("edited list", withoutTimes(got), withoutTimes(*list))
	}
}

func (mt *modelTest) editLists() {
	user, edit := mt.anyUser(), waymark.BulkEdit{Visibility: optional(mt, anyVisibility, "visibility")}
	ids := rapid.SliceOfN(anyIDOf(mt.lists), 1, 5).Draw(mt.T, "lists")
	var want []waymark.List
	for i, id := range ids {
		list := mt.lists[id]
		if list != nil && list.DeletedAt == 0 && list.Owner == user.ID && !slices.Contains(ids[:i], id) {
			list.Visibility = edit.ApplyVisibility(list.Visibility)
			want = append(want, *list)
		}
	}
	changed, err := mt.service.EditLists(mt.ctx, user, plainIDs(ids), edit)
	mt.wantError("edit lists", err, nil)
	got, err := storetest.All(mt.ctx, mt.store, changed)
	mt.wantError("read the edited lists", err, nil)
	mt.wantEqual("edited", allWithoutTimes(got), allWithoutTimes(want))
}

func (mt *modelTest) addTags() {
	user := mt.anyUser()
	var inputs []waymark.TagInput
	var tags []waymark.Tag
	invalid, names := false, map[string]bool{}
	for range rapid.IntRange(1, 3).Draw(mt.T, "tags") {
		in := mt.tagInput()
		tag, err := waymark.NewTag(user, in)
		mt.wantError("new tag", err, nil)
		_, exists := mt.ownTag(user.ID, in.Name)
		invalid = invalid || exists || names[waymark.Fold(in.Name)]
		names[waymark.Fold(in.Name)] = true
		inputs, tags = append(inputs, in), append(tags, tag)
	}
	added, err := mt.service.AddTags(mt.ctx, user, inputs)
	if invalid {
		mt.wantError("add tags", err, errInvalid)
		return
	}
	mt.wantError("add tags", err, nil)
	got, err := storetest.All(mt.ctx, mt.store, added)
	mt.wantError("read the new tags", err, nil)
	for i, tag := range tags {
		tag.ID, tag.CreatedAt = got[i].ID, got[i].CreatedAt
		mt.tags[tag.ID] = &tag
		mt.wantEqual("added tag", withoutTimes(got[i]), withoutTimes(tag))
	}
}

func (mt *modelTest) editTag() {
	user, id, in := mt.anyUser(), anyIDOf(mt.tags).Draw(mt.T, "tag"), mt.tagInput()
	tag := mt.tags[id]
	other, exists := mt.ownTag(user.ID, in.Name)
	var want error
	switch {
	case tag == nil || tag.DeletedAt != 0:
		want = waymark.ErrNotFound
	case tag.Owner != user.ID:
		want = waymark.ErrForbidden
	case exists && other != id:
		want = errInvalid
	}
	got, err := mt.service.EditTag(mt.ctx, user, id, in)
	mt.wantError("edit tag", err, want)
	if want == nil {
		mt.wantError("apply", in.Apply(tag), nil)
		mt.wantEqual("edited tag", withoutTimes(got), withoutTimes(*tag))
	}
}

func (mt *modelTest) editTags() {
	user, edit := mt.anyUser(), waymark.BulkEdit{Private: optional(mt, rapid.Bool(), "private")}
	ids := rapid.SliceOfN(anyIDOf(mt.tags), 1, 5).Draw(mt.T, "tags")
	var want []waymark.Tag
	for i, id := range ids {
		tag := mt.tags[id]
		if tag != nil && tag.DeletedAt == 0 && tag.Owner == user.ID && !slices.Contains(ids[:i], id) {
			tag.Visibility = edit.ApplyVisibility(tag.Visibility)
			want = append(want, *tag)
		}
	}
	changed, err := mt.service.EditTags(mt.ctx, user, plainIDs(ids), edit)
	mt.wantError("edit tags", err, nil)
	got, err := storetest.All(mt.ctx, mt.store, changed)
	mt.wantError("read the edited tags", err, nil)
	mt.wantEqual("edited", allWithoutTimes(got), allWithoutTimes(want))
}

func (mt *modelTest) addNote() {
	user, id := mt.anyUser(), anyIDOf(mt.links).Draw(mt.T, "link")
	in := waymark.NoteInput{Text: "note: " + anyText.Draw(mt.T, "text"), VisibilityInput: mt.visibilityInput()}
	note, err := waymark.NewNote(user, id, in)
	mt.wantError("new note", err, nil)
	link := mt.links[id]
	var want error
	switch {
	case link == nil || link.DeletedAt != 0:
		want = errInvalid
	case !seesLink(user.ID, link):
		want = waymark.ErrForbidden
	}
	got, err := mt.service.AddNote(mt.ctx, user, id, in)
	mt.wantError("add note", err, want)
	if want == nil {
		note.ID, note.CreatedAt = got.ID, got.CreatedAt
		mt.notes[note.ID] = &note
		mt.wantEqual("added note", withoutTimes(got), withoutTimes(note))
	}
}

func (mt *modelTest) editNote() {
	user, id := mt.anyUser(), anyIDOf(mt.notes).Draw(mt.T, "note")
	in := waymark.NoteInput{Text: "edited: " + anyText.Draw(mt.T, "text"), VisibilityInput: mt.visibilityInput()}
	note := mt.notes[id]
	var want error
	switch {
	case note == nil || note.DeletedAt != 0 || mt.links[note.Link].DeletedAt != 0:
		want = waymark.ErrNotFound
	case note.Owner != user.ID:
		want = waymark.ErrForbidden
	}
	got, err := mt.service.EditNote(mt.ctx, user, id, in)
	mt.wantError("edit note", err, want)
	if want == nil {
		mt.wantError("apply", in.Apply(note), nil)
		mt.wantEqual("edited note", withoutTimes(got), withoutTimes(*note))
	}
}

// entity is the part of an entity that all kinds have in common for the trash.
type entity struct {
	owner     waymark.UserID
	deletedAt *waymark.Time
	reachable bool // false for the notes of a link in the trash
	remove    func()
	duplicate func() bool // another active entity has its URL or name
}

// deleteError returns the error of deleting the entity.
func (e entity) deleteError(user waymark.User) error {
	switch {
	case e.deletedAt == nil || *e.deletedAt != 0 || !e.reachable:
		return waymark.ErrNotFound
	case e.owner != user.ID:
		return waymark.ErrForbidden
	}
	return nil
}

func (mt *modelTest) entities(kind waymark.EntityKind) map[int64]entity {
	all := map[int64]entity{}
	never := func() bool { return false }
	switch kind {
	case waymark.Links:
		for id, link := range mt.links {
			all[int64(id)] = entity{link.Owner, &link.DeletedAt, true, func() { mt.deleteLink(id) }, func() bool { return mt.ownURL(link.Owner, link.URL) != nil }}
		}
	case waymark.Lists:
		for id, list := range mt.lists {
			all[int64(id)] = entity{list.Owner, &list.DeletedAt, true, func() { mt.deleteList(id) }, never}
		}
	case waymark.Tags:
		for id, tag := range mt.tags {
			all[int64(id)] = entity{tag.Owner, &tag.DeletedAt, true, func() { mt.deleteTag(id) }, func() bool { _, ok := mt.ownTag(tag.Owner, tag.Name); return ok }}
		}
	case waymark.Notes:
		for id, note := range mt.notes {
			all[int64(id)] = entity{note.Owner, &note.DeletedAt, mt.links[note.Link].DeletedAt == 0, func() { delete(mt.notes, id) }, never}
		}
	}
	return all
}

// idsOfKind generates ids of a kind.
func (mt *modelTest) idsOfKind(kind waymark.EntityKind, maxCount int) []int64 {
	all := []waymark.LinkID{} // LinkID represents any kind of id
	for id := range mt.entities(kind) {
		all = append(all, waymark.LinkID(id))
	}
	known := map[waymark.LinkID]bool{}
	for _, id := range all {
		known[id] = true
	}
	return plainIDs(rapid.SliceOfN(anyIDOf(known), 1, maxCount).Draw(mt.T, "ids"))
}

func (mt *modelTest) deleteMany() {
	user, kind := mt.anyUser(), anyKind.Draw(mt.T, "kind")
	ids, all := mt.idsOfKind(kind, 5), mt.entities(kind)
	want := map[int64]bool{}
	for _, id := range ids {
		if e := all[id]; e.deleteError(user) == nil {
			*e.deletedAt = trashed
			want[id] = true
		}
	}
	if kind == waymark.Lists && len(want) > 0 {
		var lists []waymark.ListID
		for id := range want {
			lists = append(lists, waymark.ListID(id))
		}
		mt.trashLists(lists...)
	}
	got, err := mt.service.DeleteMany(mt.ctx, user, kind, ids)
	mt.wantError("delete", err, nil)
	mt.wantEqual("deleted entities", got, want)
}

func (mt *modelTest) deleteOne() {
	user, kind := mt.anyUser(), anyKind.Draw(mt.T, "kind")
	id := mt.idsOfKind(kind, 1)[0]
	e := mt.entities(kind)[id]
	want := e.deleteError(user)
	err := mt.service.Delete(mt.ctx, user, kind, id)
	mt.wantError("delete", err, want)
	if want == nil {
		*e.deletedAt = trashed
		if kind == waymark.Lists {
			mt.trashLists(waymark.ListID(id))
		}
	}
}

func (mt *modelTest) restore() {
	user, kind := mt.anyUser(), anyKind.Draw(mt.T, "kind")
	id := mt.idsOfKind(kind, 1)[0]
	e, ok := mt.entities(kind)[id]
	var want error
	switch {
	case !ok || e.owner != user.ID:
		want = waymark.ErrNotFound
	case *e.deletedAt != 0 && e.duplicate():
		want = errInvalid
	}
	mt.wantError("restore", mt.service.Restore(mt.ctx, user, kind, id), want)
	if want == nil {
		if kind == waymark.Lists {
			mt.restoreLists(mt.trashedOf(user.ID, []int64{id})...)
		}
		*e.deletedAt = 0
	}
}

func (mt *modelTest) clear() {
	user, kind := mt.anyUser(), anyKind.Draw(mt.T, "kind")
	mt.wantError("clear", mt.store.ClearTrash(mt.ctx, user.ID, kind), nil)
	for _, e := range mt.entities(kind) {
		if e.owner == user.ID && *e.deletedAt != 0 {
			e.remove()
		}
	}
}

// takeOut removes a link from a list, or a tag from a link.
func (mt *modelTest) takeOut() {
	user, id := mt.anyUser(), anyIDOf(mt.links).Draw(mt.T, "link")
	list, tag := anyIDOf(mt.lists).Draw(mt.T, "list"), anyIDOf(mt.tags).Draw(mt.T, "tag")
	link := mt.links[id]
	want := func(active bool, owner waymark.UserID, attached bool) error {
		switch {
		case link == nil || link.DeletedAt != 0 || !active:
			return waymark.ErrNotFound
		case link.Owner != user.ID && owner != user.ID:
			return waymark.ErrForbidden
		case !attached:
			return waymark.ErrNotFound
		}
		return nil
	}
	if l := mt.lists[list]; l != nil {
		wanted := want(l.DeletedAt == 0, l.Owner, link != nil && link.inLists[list])
		mt.wantError("take out of list", mt.service.RemoveFromList(mt.ctx, user, list, id), wanted)
		if wanted == nil {
			delete(link.inLists, list)
		}
	}
	if t := mt.tags[tag]; t != nil {
		wanted := want(t.DeletedAt == 0, t.Owner, link != nil && link.hasTags[tag])
		mt.wantError("take tag off", mt.service.RemoveTag(mt.ctx, user, tag, id), wanted)
		if wanted == nil {
			delete(link.hasTags, tag)
		}
	}
}
