package service_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// referenceModel is a simple implementation of the service: maps, and loops over them.
type referenceModel struct {
	users map[waymark.UserID]waymark.User
	links map[waymark.LinkID]*referenceLink
	lists map[waymark.ListID]*waymark.List
	tags  map[waymark.TagID]*waymark.Tag
	notes map[waymark.NoteID]*waymark.Note
	referenceTree
}

// referenceLink is a link with the ids of all its lists and tags, visible or not.
type referenceLink struct {
	waymark.Link
	inLists map[waymark.ListID]bool
	hasTags map[waymark.TagID]bool
}

func newReferenceModel() *referenceModel {
	return &referenceModel{
		users: map[waymark.UserID]waymark.User{},
		links: map[waymark.LinkID]*referenceLink{},
		lists: map[waymark.ListID]*waymark.List{},
		tags:  map[waymark.TagID]*waymark.Tag{},
		notes: map[waymark.NoteID]*waymark.Note{},

		referenceTree: referenceTree{parents: map[waymark.ListID]waymark.ListID{}, deletions: map[waymark.ListID]int{}},
	}
}

// trashed represents any time in DeletedAt, because the model has no clock.
const trashed waymark.Time = 1

// sees reports whether the viewer sees an active entity: a guest sees public entities, and
// a user sees public, internal and their own ones.
func sees(viewer, owner waymark.UserID, v waymark.Visibility) bool {
	if viewer == waymark.Guest {
		return v == waymark.Public
	}
	return owner == viewer || v != waymark.Private
}

func seesLink(viewer waymark.UserID, l *referenceLink) bool {
	return l.DeletedAt == 0 && sees(viewer, l.Owner, l.Visibility)
}

func seesList(viewer waymark.UserID, l *waymark.List) bool {
	return l.DeletedAt == 0 && sees(viewer, l.Owner, l.Visibility)
}

func seesTag(viewer waymark.UserID, t *waymark.Tag) bool {
	return t.DeletedAt == 0 && sees(viewer, t.Owner, t.Visibility)
}

func (m *referenceModel) seesNote(viewer waymark.UserID, n *waymark.Note) bool {
	return n.DeletedAt == 0 && m.links[n.Link].DeletedAt == 0 && sees(viewer, n.Owner, n.Visibility)
}

// compareTexts compares texts without regard to accents and case, then without regard to case, then by code point.
func compareTexts(a, b string) int {
	return cmp.Or(strings.Compare(waymark.Plain(a), waymark.Plain(b)), strings.Compare(waymark.Fold(a), waymark.Fold(b)), strings.Compare(a, b))
}

func compareLists(a, b waymark.List) int {
	return cmp.Or(waymark.CompareNames(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
}

func compareTags(a, b waymark.Tag) int {
	return cmp.Or(waymark.CompareNames(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
}

// listsFor and tagsFor return the lists and tags of a link that viewer may see, sorted by
// name.

func (m *referenceModel) listsFor(viewer waymark.UserID, link *referenceLink) []waymark.List {
	var lists []waymark.List
	for id := range link.inLists {
		if seesList(viewer, m.lists[id]) {
			lists = append(lists, *m.lists[id])
		}
	}
	slices.SortFunc(lists, compareLists)
	return lists
}

func (m *referenceModel) tagsFor(viewer waymark.UserID, link *referenceLink) []waymark.Tag {
	var tags []waymark.Tag
	for id := range link.hasTags {
		if seesTag(viewer, m.tags[id]) {
			tags = append(tags, *m.tags[id])
		}
	}
	slices.SortFunc(tags, compareTags)
	return tags
}

// linkFor returns a link with the lists and tags that viewer may see.
func (m *referenceModel) linkFor(viewer waymark.UserID, link *referenceLink) waymark.Link {
	visible := link.Link
	visible.Lists, visible.Tags = m.listsFor(viewer, link), m.tagsFor(viewer, link)
	return visible
}

// ownURL returns the user's active link with a URL, or nil.
func (m *referenceModel) ownURL(user waymark.UserID, url string) *referenceLink {
	for _, link := range m.links {
		if link.Owner == user && link.DeletedAt == 0 && link.URL == url {
			return link
		}
	}
	return nil
}

// ownTag returns the user's active tag with a name, and ownList the oldest active list.

func (m *referenceModel) ownTag(user waymark.UserID, name string) (waymark.TagID, bool) {
	for id, tag := range m.tags {
		if tag.Owner == user && tag.DeletedAt == 0 && waymark.Fold(tag.Name) == waymark.Fold(name) {
			return id, true
		}
	}
	return 0, false
}

func (m *referenceModel) ownList(user waymark.UserID, name string) (waymark.ListID, bool) {
	for _, id := range slices.Sorted(maps.Keys(m.lists)) {
		list := m.lists[id]
		if list.Owner == user && list.DeletedAt == 0 && waymark.Fold(list.Name) == waymark.Fold(name) {
			return id, true
		}
	}
	return 0, false
}

// resolveTags and resolveLists return the entities that refs refer to. References to
// unknown, trashed and invisible entities are ignored.

func (m *referenceModel) resolveTags(user waymark.UserID, refs []waymark.Ref) map[waymark.TagID]bool {
	found := map[waymark.TagID]bool{}
	for _, ref := range refs {
		if tag := m.tags[waymark.TagID(ref.ID)]; tag != nil && seesTag(user, tag) {
			found[tag.ID] = true
		} else if id, ok := m.ownTag(user, ref.Name); ok {
			found[id] = true
		}
	}
	return found
}

func (m *referenceModel) resolveLists(user waymark.UserID, refs []waymark.Ref) map[waymark.ListID]bool {
	found := map[waymark.ListID]bool{}
	for _, ref := range refs {
		if list := m.lists[waymark.ListID(ref.ID)]; list != nil && seesList(user, list) {
			found[list.ID] = true
		} else if id, ok := m.ownList(user, ref.Name); ok {
			found[id] = true
		}
	}
	return found
}

// newTagNames and newListNames return the names among refs for which a new entity is
// created, in the spelling of the first reference.

func (m *referenceModel) newTagNames(user waymark.UserID, refs []waymark.Ref) []string {
	return newNames(refs, func(ref waymark.Ref) bool { return len(m.resolveTags(user, []waymark.Ref{ref})) > 0 })
}

func (m *referenceModel) newListNames(user waymark.UserID, refs []waymark.Ref) []string {
	return newNames(refs, func(ref waymark.Ref) bool { return len(m.resolveLists(user, []waymark.Ref{ref})) > 0 })
}

func newNames(refs []waymark.Ref, known func(waymark.Ref) bool) []string {
	var names []string
	for _, ref := range refs {
		again := slices.ContainsFunc(names, func(name string) bool { return waymark.Fold(name) == waymark.Fold(ref.Name) })
		if ref.Name != "" && !known(ref) && !again {
			names = append(names, ref.Name)
		}
	}
	return names
}

// unusableLists and unusableTags report whether refs are not empty and none refers to an
// entity that exists or is created.

func (m *referenceModel) unusableLists(user waymark.UserID, refs []waymark.Ref) bool {
	return len(refs) > 0 && len(m.resolveLists(user, refs)) == 0 && len(m.newListNames(user, refs)) == 0
}

func (m *referenceModel) unusableTags(user waymark.UserID, refs []waymark.Ref) bool {
	return len(refs) > 0 && len(m.resolveTags(user, refs)) == 0 && len(m.newTagNames(user, refs)) == 0
}

// attach attaches lists and tags to a link, or removes them. If they replace the others, it detaches
// those that the editor may see, and those in the trash.
func (m *referenceModel) attach(editor waymark.UserID, link *referenceLink, lists, tags []waymark.Ref, listsMode, tagsMode waymark.RefsMode) {
	if listsMode == waymark.RemoveRefs {
		maps.DeleteFunc(link.inLists, func(id waymark.ListID, _ bool) bool {
			return seesList(editor, m.lists[id]) && isAmong(lists, int64(id), m.lists[id].Name)
		})
		lists = nil
	}
	if tagsMode == waymark.RemoveRefs {
		maps.DeleteFunc(link.hasTags, func(id waymark.TagID, _ bool) bool {
			return seesTag(editor, m.tags[id]) && isAmong(tags, int64(id), m.tags[id].Name)
		})
		tags = nil
	}
	if listsMode == waymark.ReplaceRefs {
		maps.DeleteFunc(link.inLists, func(id waymark.ListID, _ bool) bool {
			return seesList(editor, m.lists[id]) || m.lists[id].DeletedAt != 0
		})
	}
	if tagsMode == waymark.ReplaceRefs {
		maps.DeleteFunc(link.hasTags, func(id waymark.TagID, _ bool) bool { return seesTag(editor, m.tags[id]) || m.tags[id].DeletedAt != 0 })
	}
	maps.Copy(link.inLists, m.resolveLists(editor, lists))
	maps.Copy(link.hasTags, m.resolveTags(editor, tags))
}

// replaceIf returns the mode in which an edit of one link sets refs.
func replaceIf(refs *[]waymark.Ref) waymark.RefsMode {
	if refs == nil {
		return waymark.AppendRefs
	}
	return waymark.ReplaceRefs
}

// isAmong reports whether refs have the id or the name of a list or tag.
func isAmong(refs []waymark.Ref, id int64, name string) bool {
	return slices.ContainsFunc(refs, func(ref waymark.Ref) bool {
		return ref.ID == id || ref.Name != "" && waymark.Fold(ref.Name) == waymark.Fold(name)
	})
}

// adoptNamed expects that a bulk edit has created the lists and tags that it names and attaches.
func (mt *modelTest) adoptNamed(user waymark.User, edit waymark.BulkEdit) {
	var lists, tags []string
	if edit.ListsMode != waymark.RemoveRefs {
		lists = mt.newListNames(user.ID, edit.Lists)
	}
	if edit.TagsMode != waymark.RemoveRefs {
		tags = mt.newTagNames(user.ID, edit.Tags)
	}
	mt.adoptCreated(user, lists, tags)
}

// Deleting an entity permanently deletes its notes and detaches it from links.

func (m *referenceModel) deleteLink(id waymark.LinkID) {
	delete(m.links, id)
	maps.DeleteFunc(m.notes, func(_ waymark.NoteID, note *waymark.Note) bool { return note.Link == id })
}

func (m *referenceModel) deleteList(id waymark.ListID) {
	delete(m.lists, id)
	delete(m.parents, id)
	for sublist, parent := range m.parents {
		if parent == id {
			m.parents[sublist] = 0
		}
	}
	for _, link := range m.links {
		delete(link.inLists, id)
	}
}

func (m *referenceModel) deleteTag(id waymark.TagID) {
	delete(m.tags, id)
	for _, link := range m.links {
		delete(link.hasTags, id)
	}
}

func (m *referenceModel) deleteUser(user waymark.UserID) {
	delete(m.users, user)
	for id, link := range m.links {
		if link.Owner == user {
			m.deleteLink(id)
		}
	}
	for id, list := range m.lists {
		if list.Owner == user {
			m.deleteList(id)
		}
	}
	for id, tag := range m.tags {
		if tag.Owner == user {
			m.deleteTag(id)
		}
	}
	maps.DeleteFunc(m.notes, func(_ waymark.NoteID, note *waymark.Note) bool { return note.Owner == user })
}
