package service_test

import (
	"slices"

	"pgregory.net/rapid"

	"waymark/internal/waymark"
)

// selection generates a filter, and returns the user's own links that satisfy it.
func (mt *modelTest) selection(user waymark.User) (waymark.LinkSelection, []*referenceLink) {
	filter := waymark.LinkFilter{Where: mt.condition(1), OwnNames: true}
	return waymark.LinkSelection{Filter: &filter}, mt.linksThat(func(link *referenceLink) bool { return link.Owner == user.ID && mt.matches(user.ID, link, filter) })
}

func (mt *modelTest) editSelection() {
	user, edit := mt.anyUser(), mt.bulkEdit()
	selection, own := mt.selection(user)
	ids, err := mt.service.SelectLinks(mt.ctx, user, selection)
	mt.wantError("select links", err, nil)
	changed, err := mt.service.EditLinks(mt.ctx, user, ids, edit)
	if edit.ListsMode == waymark.ReplaceRefs && mt.unusableLists(user.ID, edit.Lists) || edit.TagsMode == waymark.ReplaceRefs && mt.unusableTags(user.ID, edit.Tags) {
		mt.wantError("edit a selection", err, errInvalid)
		mt.adoptCreated(user, nil, nil)
		return
	}
	mt.wantError("edit a selection", err, nil)
	mt.wantEqual("number of edited links", changed.Len(), len(own))
	if len(own) == 0 {
		mt.adoptCreated(user, nil, nil)
		return
	}
	mt.adoptNamed(user, edit)
	for _, link := range own {
		link.Visibility = edit.ApplyVisibility(link.Visibility)
		edit.ApplyTo(&link.LinkFlags)
		mt.attach(user.ID, link, edit.Lists, edit.Tags, edit.ListsMode, edit.TagsMode)
	}
}

func (mt *modelTest) deleteSelection() {
	if rapid.IntRange(0, 3).Draw(mt.T, "one of four") > 0 {
		mt.Skip("too few links would be left")
	}
	user := mt.anyUser()
	selection, own := mt.selection(user)
	ids, err := mt.service.SelectLinks(mt.ctx, user, selection)
	mt.wantError("select links", err, nil)
	got, err := mt.service.DeleteMany(mt.ctx, user, waymark.Links, ids)
	mt.wantError("delete a selection", err, nil)
	mt.wantEqual("number of deleted links", len(got), len(own))
	for _, link := range own {
		link.DeletedAt = trashed
	}
}

func (mt *modelTest) restoreMany() {
	user, kind := mt.anyUser(), anyKind.Draw(mt.T, "kind")
	ids, all := mt.idsOfKind(kind, 5), mt.entities(kind)
	slices.Sort(ids)
	want := map[int64]bool{}
	for _, id := range slices.Backward(ids) {
		if e, ok := all[id]; ok && e.owner == user.ID && *e.deletedAt != 0 && !e.duplicate() {
			*e.deletedAt = 0
			want[id] = true
		}
	}
	if kind == waymark.Lists {
		for id := range want {
			mt.lists[waymark.ListID(id)].DeletedAt = trashed
		}
		for _, id := range mt.restoreLists(mt.trashedOf(user.ID, ids)...) {
			want[int64(id)] = true
		}
	}
	got, err := mt.service.RestoreMany(mt.ctx, user, kind, ids)
	mt.wantError("restore many", err, nil)
	mt.wantEqual("restored entities", got, want)
}
