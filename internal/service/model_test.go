package service_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// model is what a collection must be: plain maps and loops over them, without any
// of what makes the store quick.
type model struct {
	users map[waymark.UserID]waymark.User
	links map[waymark.LinkID]*modelLink
	lists map[waymark.ListID]*waymark.List
	tags  map[waymark.TagID]*waymark.Tag
	notes map[waymark.NoteID]*waymark.Note
}

// modelLink is a link and the ids of all that it is filed in, seen or not.
type modelLink struct {
	waymark.Link
	inLists map[waymark.ListID]bool
	hasTags map[waymark.TagID]bool
}

func newModel() *model {
	return &model{
		users: map[waymark.UserID]waymark.User{},
		links: map[waymark.LinkID]*modelLink{},
		lists: map[waymark.ListID]*waymark.List{},
		tags:  map[waymark.TagID]*waymark.Tag{},
		notes: map[waymark.NoteID]*waymark.Note{},
	}
}

// trashed stands for any time in DeletedAt: the model has no clock.
const trashed waymark.Time = 1

// Who sees what.

// sees reports whether the viewer sees an active entity: a guest sees what is public, a
// user what is public or internal and everything of their own.
func sees(viewer, owner waymark.UserID, v waymark.Visibility) bool {
	if viewer == waymark.Guest {
		return v == waymark.Public
	}
	return owner == viewer || v != waymark.Private
}

func seesLink(viewer waymark.UserID, l *modelLink) bool {
	return l.DeletedAt == 0 && sees(viewer, l.Owner, l.Visibility)
}

func seesList(viewer waymark.UserID, l *waymark.List) bool {
	return l.DeletedAt == 0 && sees(viewer, l.Owner, l.Visibility)
}

func seesTag(viewer waymark.UserID, t *waymark.Tag) bool {
	return t.DeletedAt == 0 && sees(viewer, t.Owner, t.Visibility)
}

func (m *model) seesNote(viewer waymark.UserID, n *waymark.Note) bool {
	return n.DeletedAt == 0 && m.links[n.Link].DeletedAt == 0 && sees(viewer, n.Owner, n.Visibility)
}

// Texts compare without regard to case, then by code point.

func compareTexts(a, b string) int {
	return cmp.Or(strings.Compare(waymark.Fold(a), waymark.Fold(b)), strings.Compare(a, b))
}

func compareLists(a, b waymark.List) int {
	return cmp.Or(compareTexts(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
}

func compareTags(a, b waymark.Tag) int {
	return cmp.Or(compareTexts(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
}

// listsFor and tagsFor are those of a link that viewer sees, by name.

func (m *model) listsFor(viewer waymark.UserID, link *modelLink) []waymark.List {
	var lists []waymark.List
	for id := range link.inLists {
		if seesList(viewer, m.lists[id]) {
			lists = append(lists, *m.lists[id])
		}
	}
	slices.SortFunc(lists, compareLists)
	return lists
}

func (m *model) tagsFor(viewer waymark.UserID, link *modelLink) []waymark.Tag {
	var tags []waymark.Tag
	for id := range link.hasTags {
		if seesTag(viewer, m.tags[id]) {
			tags = append(tags, *m.tags[id])
		}
	}
	slices.SortFunc(tags, compareTags)
	return tags
}

// linkFor is a link as viewer sees it.
func (m *model) linkFor(viewer waymark.UserID, link *modelLink) waymark.Link {
	seen := link.Link
	seen.Lists, seen.Tags = m.listsFor(viewer, link), m.tagsFor(viewer, link)
	return seen
}

// ownURL is the user's active link with an address, nil for none.
func (m *model) ownURL(user waymark.UserID, url string) *modelLink {
	for _, link := range m.links {
		if link.Owner == user && link.DeletedAt == 0 && link.URL == url {
			return link
		}
	}
	return nil
}

// ownTag is the user's active tag of a name, and ownList the oldest active list.

func (m *model) ownTag(user waymark.UserID, name string) (waymark.TagID, bool) {
	for id, tag := range m.tags {
		if tag.Owner == user && tag.DeletedAt == 0 && waymark.Fold(tag.Name) == waymark.Fold(name) {
			return id, true
		}
	}
	return 0, false
}

func (m *model) ownList(user waymark.UserID, name string) (waymark.ListID, bool) {
	for _, id := range slices.Sorted(maps.Keys(m.lists)) {
		list := m.lists[id]
		if list.Owner == user && list.DeletedAt == 0 && waymark.Fold(list.Name) == waymark.Fold(name) {
			return id, true
		}
	}
	return 0, false
}

// resolveTags and resolveLists are what refs mean to the user, each once. What is
// unknown, in the trash or hidden means nothing.

func (m *model) resolveTags(user waymark.UserID, refs []waymark.Ref) map[waymark.TagID]bool {
	found := map[waymark.TagID]bool{}
	for _, ref := range refs {
		if ref.ID == 0 {
			if id, ok := m.ownTag(user, ref.Name); ok {
				found[id] = true
			}
		} else if tag := m.tags[waymark.TagID(ref.ID)]; tag != nil && seesTag(user, tag) {
			found[tag.ID] = true
		}
	}
	return found
}

func (m *model) resolveLists(user waymark.UserID, refs []waymark.Ref) map[waymark.ListID]bool {
	found := map[waymark.ListID]bool{}
	for _, ref := range refs {
		if ref.ID == 0 {
			if id, ok := m.ownList(user, ref.Name); ok {
				found[id] = true
			}
		} else if list := m.lists[waymark.ListID(ref.ID)]; list != nil && seesList(user, list) {
			found[list.ID] = true
		}
	}
	return found
}

// newTagNames and newListNames are the names that refs make new entries of, as they
// are spelled first.

func (m *model) newTagNames(user waymark.UserID, refs []waymark.Ref) []string {
	return newNames(refs, func(name string) bool { _, ok := m.ownTag(user, name); return ok })
}

func (m *model) newListNames(user waymark.UserID, refs []waymark.Ref) []string {
	return newNames(refs, func(name string) bool { _, ok := m.ownList(user, name); return ok })
}

func newNames(refs []waymark.Ref, known func(string) bool) []string {
	var names []string
	for _, ref := range refs {
		again := slices.ContainsFunc(names, func(name string) bool { return waymark.Fold(name) == waymark.Fold(ref.Name) })
		if ref.ID == 0 && !known(ref.Name) && !again {
			names = append(names, ref.Name)
		}
	}
	return names
}

// file puts a link where refs say: instead of what the editor sees on it, or besides.
func (m *model) file(editor waymark.UserID, link *modelLink, lists, tags []waymark.Ref, replaceLists, replaceTags bool) {
	if replaceLists {
		maps.DeleteFunc(link.inLists, func(id waymark.ListID, _ bool) bool { return seesList(editor, m.lists[id]) })
	}
	if replaceTags {
		maps.DeleteFunc(link.hasTags, func(id waymark.TagID, _ bool) bool { return seesTag(editor, m.tags[id]) })
	}
	maps.Copy(link.inLists, m.resolveLists(editor, lists))
	maps.Copy(link.hasTags, m.resolveTags(editor, tags))
}

// Erasing takes along what hangs on an entry.

func (m *model) eraseLink(id waymark.LinkID) {
	delete(m.links, id)
	maps.DeleteFunc(m.notes, func(_ waymark.NoteID, note *waymark.Note) bool { return note.Link == id })
}

func (m *model) eraseList(id waymark.ListID) {
	delete(m.lists, id)
	for _, link := range m.links {
		delete(link.inLists, id)
	}
}

func (m *model) eraseTag(id waymark.TagID) {
	delete(m.tags, id)
	for _, link := range m.links {
		delete(link.hasTags, id)
	}
}

func (m *model) eraseUser(user waymark.UserID) {
	delete(m.users, user)
	for id, link := range m.links {
		if link.Owner == user {
			m.eraseLink(id)
		}
	}
	for id, list := range m.lists {
		if list.Owner == user {
			m.eraseList(id)
		}
	}
	for id, tag := range m.tags {
		if tag.Owner == user {
			m.eraseTag(id)
		}
	}
	maps.DeleteFunc(m.notes, func(_ waymark.NoteID, note *waymark.Note) bool { return note.Owner == user })
}

// matches tells whether viewer finds a link by a query.
func (m *model) matches(viewer waymark.UserID, link *modelLink, q waymark.LinkFilter) bool {
	if !seesLink(viewer, link) {
		return false
	}
	text := waymark.Fold(q.Text)
	found := strings.Contains(waymark.Fold(link.URL), text) ||
		q.SearchTitle && strings.Contains(waymark.Fold(link.Title), text) ||
		q.SearchDescription && strings.Contains(waymark.Fold(link.Description), text)
	switch {
	case q.Text != "" && !found,
		q.Visibility != 0 && link.Visibility != q.Visibility,
		q.PrivateOnly && link.Visibility != waymark.Private,
		q.BrokenOnly && link.Status == waymark.StatusOK:
		return false
	}
	seen := m.linkFor(viewer, link)
	tags := func(refs []waymark.Ref) (hits, all int) { return hitsOf(link.hasTags, m.resolveTags(viewer, refs)) }
	lists := func(refs []waymark.Ref) (hits, all int) { return hitsOf(link.inLists, m.resolveLists(viewer, refs)) }
	return fits(q.WithoutTags, len(seen.Tags), q.Tags, q.AllTags, q.ExcludeTags, tags, m.resolvesTag(viewer)) &&
		fits(q.WithoutLists, len(seen.Lists), q.Lists, q.AllLists, q.ExcludeLists, lists, m.resolvesList(viewer))
}

func (m *model) resolvesTag(viewer waymark.UserID) func(waymark.Ref) bool {
	return func(ref waymark.Ref) bool { return len(m.resolveTags(viewer, []waymark.Ref{ref})) == 1 }
}

func (m *model) resolvesList(viewer waymark.UserID) func(waymark.Ref) bool {
	return func(ref waymark.Ref) bool { return len(m.resolveLists(viewer, []waymark.Ref{ref})) == 1 }
}

// hitsOf is how many of the wanted a link has, and how many are wanted.
func hitsOf[ID comparable](has, wanted map[ID]bool) (hits, all int) {
	for id := range wanted {
		if has[id] {
			hits++
		}
	}
	return hits, len(wanted)
}

// fits tells whether a link fulfils what a query says about lists, or about tags.
func fits(empty bool, n int, wanted []waymark.Ref, every bool, except []waymark.Ref, hits func([]waymark.Ref) (hits, all int), known func(waymark.Ref) bool) bool {
	if refused, _ := hits(except); refused > 0 {
		return false
	}
	has, all := hits(wanted)
	switch {
	case empty:
		return n == 0
	case len(wanted) == 0:
		return true
	case every:
		return has == all && !slices.ContainsFunc(wanted, func(ref waymark.Ref) bool { return !known(ref) })
	}
	return has > 0
}
