package service_test

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

func (w *world) wantSame(what string, got, want any) {
	w.Helper()
	if !reflect.DeepEqual(got, want) {
		w.Fatalf("%s (-want +got):\n%s", what, gocmp.Diff(want, got))
	}
}

// timeless is an entry without what the model does not know: the time of its last
// change, and when it went into the trash.
func timeless[T any](entry T) T {
	v := reflect.ValueOf(&entry).Elem()
	v.FieldByName("UpdatedAt").SetInt(0)
	if deleted := v.FieldByName("DeletedAt"); !deleted.IsZero() {
		deleted.SetInt(int64(trashed))
	}
	return entry
}

func timelessEach[T any](entries []T) []T {
	all := make([]T, len(entries))
	for i, entry := range entries {
		all[i] = timeless(entry)
	}
	return all
}

// timelessLink is a link without times.
func timelessLink(link waymark.Link) waymark.Link {
	link = timeless(link)
	link.Lists, link.Tags = timelessEach(link.Lists), timelessEach(link.Tags)
	return link
}

func (w *world) wantLink(what string, got waymark.Link, viewer waymark.UserID, link *modelLink) {
	w.Helper()
	w.wantSame(fmt.Sprintf("%s link for user %d", what, viewer), timelessLink(got), timelessLink(w.linkFor(viewer, link)))
}

// sameEach holds what a bulk edit answers against what it should, nil for another's.
func sameEach[T any](w *world, got, want []*T) {
	w.Helper()
	if len(got) != len(want) {
		w.Fatalf("%d entries come back, want %d", len(got), len(want))
	}
	for i := range got {
		switch {
		case (got[i] == nil) != (want[i] == nil):
			w.Fatalf("place %d is %v, want %v", i, got[i], want[i])
		case got[i] != nil:
			w.wantSame("edited", timeless(*got[i]), timeless(*want[i]))
		}
	}
}

// The questions, each for one viewer.

func (w *world) questions() []func(viewer waymark.UserID) {
	return []func(waymark.UserID){
		w.askLinks, w.askLists, w.askTags, w.askEach, w.askMembers, w.askNotes, w.askTrash, w.askSearch, w.askSearch, w.askNames,
	}
}

func (w *world) askSomething() {
	rapid.SampledFrom(w.questions()).Draw(w.T, "question")(w.someone().ID)
}

func (w *world) askEverything() {
	for _, viewer := range append(slices.Sorted(maps.Keys(w.users)), waymark.Guest) {
		for _, ask := range w.questions() {
			ask(viewer)
		}
	}
}

// pages asks for all pages of some size, and for one beyond, and holds them against
// what they are together.
func pages[T any](w *world, what string, want []T, list func(waymark.Pagination) store.Listing[T], normalize func(T) T) {
	w.Helper()
	size := rapid.SampledFrom([]int{waymark.NoLimit, 3, 8}).Draw(w.T, "size")
	step := size
	if size == waymark.NoLimit {
		step = max(1, len(want))
	}
	for offset := 0; offset <= len(want)+step; offset += step {
		page := waymark.Pagination{Offset: offset, Limit: size}
		got, err := list(page).Page(w.ctx)
		w.wantError(what, err, nil)
		if got.Total != len(want) {
			w.Fatalf("%s, page %v: total %d, want %d", what, page, got.Total, len(want))
		}
		from := min(page.Offset, len(want))
		to := len(want)
		if size != waymark.NoLimit {
			to = min(from+size, to)
		}
		if len(got.Entities) != to-from {
			w.Fatalf("%s, page %v: %d entries, want %d", what, page, len(got.Entities), to-from)
		}
		for i, entry := range got.Entities {
			w.wantSame(fmt.Sprintf("%s, page %v, place %d", what, page, i), normalize(entry), want[from+i])
		}
	}
}

// linkPages does the same for links.
func (w *world) linkPages(what string, viewer waymark.UserID, links []*modelLink, order waymark.Order, list func(waymark.Order, waymark.Pagination) store.Listing[waymark.Link]) {
	w.Helper()
	compare := func(a, b *modelLink) int {
		c := cmp.Or(linkOrders[order.By](a, b), cmp.Compare(a.ID, b.ID))
		if order.Desc {
			return -c
		}
		return c
	}
	var want []waymark.Link
	for _, link := range slices.SortedFunc(slices.Values(links), compare) {
		want = append(want, timelessLink(w.linkFor(viewer, link)))
	}
	pages(w, fmt.Sprintf("%s, by %s, desc %t", what, order.By, order.Desc), want, func(page waymark.Pagination) store.Listing[waymark.Link] { return list(order, page) }, timelessLink)
}

// linkOrders are the orders that the model knows: it has no time of the last change.
var linkOrders = map[waymark.SortField]func(a, b *modelLink) int{
	waymark.SortByID:          func(a, b *modelLink) int { return 0 },
	waymark.SortByURL:         func(a, b *modelLink) int { return compareTexts(a.URL, b.URL) },
	waymark.SortByTitle:       func(a, b *modelLink) int { return compareTexts(a.Title, b.Title) },
	waymark.SortByDescription: func(a, b *modelLink) int { return compareTexts(a.Description, b.Description) },
	waymark.SortByPrivate: func(a, b *modelLink) int {
		return cmp.Compare(a.Visibility/waymark.Private, b.Visibility/waymark.Private)
	},
	waymark.SortByVisibility: func(a, b *modelLink) int { return cmp.Compare(a.Visibility, b.Visibility) },
	waymark.SortByStatus:     func(a, b *modelLink) int { return cmp.Compare(a.Status, b.Status) },
	waymark.SortByCheckDisabled: func(a, b *modelLink) int {
		return strings.Compare(fmt.Sprint(a.CheckDisabled), fmt.Sprint(b.CheckDisabled))
	},
	waymark.SortByCreatedAt: func(a, b *modelLink) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) },
}

func (w *world) order() waymark.Order {
	by := rapid.SampledFrom(slices.Sorted(maps.Keys(linkOrders))).Draw(w.T, "order")
	return waymark.Order{By: by, Desc: rapid.Bool().Draw(w.T, "desc")}
}

func (w *world) seen(fulfils func(*modelLink) bool) []*modelLink {
	var links []*modelLink
	for _, link := range w.links {
		if fulfils(link) {
			links = append(links, link)
		}
	}
	return links
}

func (w *world) askLinks(viewer waymark.UserID) {
	links := w.seen(func(link *modelLink) bool { return seesLink(viewer, link) })
	w.linkPages("links", viewer, links, w.order(), func(order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
		return w.s.Links(viewer, order, page)
	})
}

// some are a few ids of what there is.
func some[ID waymark.ID, T any](w *world, entries map[ID]T) []ID {
	ids := rapid.Permutation(slices.Sorted(maps.Keys(entries))).Draw(w.T, "some")
	return ids[:min(len(ids), 4)]
}

func (w *world) askMembers(viewer waymark.UserID) {
	for _, id := range some(w, w.lists) {
		if seesList(viewer, w.lists[id]) {
			links := w.seen(func(link *modelLink) bool { return seesLink(viewer, link) && link.inLists[id] })
			w.linkPages(fmt.Sprint("links of list ", id), viewer, links, w.order(), func(order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
				return w.s.LinksOfList(viewer, id, order, page)
			})
		}
	}
	for _, id := range some(w, w.tags) {
		if seesTag(viewer, w.tags[id]) {
			links := w.seen(func(link *modelLink) bool { return seesLink(viewer, link) && link.hasTags[id] })
			w.linkPages(fmt.Sprint("links of tag ", id), viewer, links, w.order(), func(order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
				return w.s.LinksOfTag(viewer, id, order, page)
			})
		}
	}
}

func (w *world) askSearch(viewer waymark.UserID) {
	query := waymark.LinkFilter{
		Text:              rapid.SampledFrom([]string{"", "", "a", "ss", "STRASSE", "ärge", "A\u0308RGER", "https://", "京", "東京都", "0%", "_", "\"so\"", "no such text"}).Draw(w.T, "text"),
		SearchTitle:       rapid.Bool().Draw(w.T, "in title"),
		SearchDescription: rapid.Bool().Draw(w.T, "in description"),
	}
	rarely := rapid.Custom(func(t *rapid.T) bool { return rapid.IntRange(0, 5).Draw(t, "one of six") == 0 })
	query.PrivateOnly = rarely.Draw(w.T, "private only")
	query.BrokenOnly = rarely.Draw(w.T, "broken only")
	query.WithoutLists = rarely.Draw(w.T, "no lists")
	query.WithoutTags = rarely.Draw(w.T, "no tags")
	if rarely.Draw(w.T, "with a visibility") {
		query.Visibility = someVisibility.Draw(w.T, "visibility")
	}
	for _, into := range []*[]waymark.Ref{&query.Lists, &query.ExcludeLists} {
		if rarely.Draw(w.T, "with lists") {
			*into = refs(w.lists).Draw(w.T, "lists")
		}
	}
	for _, into := range []*[]waymark.Ref{&query.Tags, &query.ExcludeTags} {
		if rarely.Draw(w.T, "with tags") {
			*into = refs(w.tags).Draw(w.T, "tags")
		}
	}
	query.AllLists, query.AllTags = rapid.Bool().Draw(w.T, "all lists"), rapid.Bool().Draw(w.T, "all tags")
	links := w.seen(func(link *modelLink) bool { return w.matches(viewer, link, query) })
	w.linkPages(fmt.Sprintf("search %+v", query), viewer, links, w.order(), func(order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
		return w.s.SearchLinks(viewer, query, order, page)
	})
}

func (w *world) askLists(viewer waymark.UserID) {
	var want []waymark.List
	for _, list := range w.lists {
		if seesList(viewer, list) {
			want = append(want, timeless(*list))
		}
	}
	slices.SortFunc(want, compareLists)
	pages(w, "lists", want, func(page waymark.Pagination) store.Listing[waymark.List] {
		return w.s.Lists(viewer, waymark.Order{By: waymark.SortByName}, page)
	}, timeless)
}

func (w *world) askTags(viewer waymark.UserID) {
	var want []waymark.Tag
	for _, tag := range w.tags {
		if seesTag(viewer, tag) {
			want = append(want, timeless(*tag))
		}
	}
	slices.SortFunc(want, compareTags)
	pages(w, "tags", want, func(page waymark.Pagination) store.Listing[waymark.Tag] {
		return w.s.Tags(viewer, waymark.Order{By: waymark.SortByName}, page)
	}, timeless)
}

// access is how a viewer may come to one entry.
func access(there, active, sees bool) error {
	switch {
	case !there || !active:
		return waymark.ErrNotFound
	case !sees:
		return waymark.ErrForbidden
	}
	return nil
}

func (w *world) askEach(viewer waymark.UserID) {
	for id, link := range w.links {
		got, err := w.s.Link(w.ctx, viewer, id)
		w.wantError(fmt.Sprint("link ", id), err, access(true, link.DeletedAt == 0, seesLink(viewer, link)))
		if err == nil {
			w.wantLink("one", got, viewer, link)
		}
	}
	for id, list := range w.lists {
		got, err := w.s.List(w.ctx, viewer, id)
		w.wantError(fmt.Sprint("list ", id), err, access(true, list.DeletedAt == 0, seesList(viewer, list)))
		if err == nil {
			w.wantSame("list", timeless(got), timeless(*list))
		}
	}
	for id, tag := range w.tags {
		got, err := w.s.Tag(w.ctx, viewer, id)
		w.wantError(fmt.Sprint("tag ", id), err, access(true, tag.DeletedAt == 0, seesTag(viewer, tag)))
		if err == nil {
			w.wantSame("tag", timeless(got), timeless(*tag))
		}
	}
	for id, note := range w.notes {
		got, err := w.s.Note(w.ctx, viewer, id)
		active := note.DeletedAt == 0 && w.links[note.Link].DeletedAt == 0
		w.wantError(fmt.Sprint("note ", id), err, access(true, active, w.seesNote(viewer, note)))
		if err == nil {
			w.wantSame("note", timeless(got), timeless(*note))
		}
	}
	_, err := w.s.Link(w.ctx, viewer, 1<<40)
	w.wantError("no link", err, waymark.ErrNotFound)
}

func (w *world) askNotes(viewer waymark.UserID) {
	for _, id := range some(w, w.links) {
		if !seesLink(viewer, w.links[id]) {
			continue
		}
		var want []waymark.Note
		for _, note := range w.notes {
			if note.Link == id && w.seesNote(viewer, note) {
				want = append(want, timeless(*note))
			}
		}
		slices.SortFunc(want, func(a, b waymark.Note) int {
			return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
		})
		pages(w, fmt.Sprint("notes of link ", id), want, func(page waymark.Pagination) store.Listing[waymark.Note] {
			return w.s.NotesOfLink(viewer, id, page)
		}, timeless)
	}
}

func (w *world) askTrash(owner waymark.UserID) {
	links, err := w.s.TrashedLinks(owner).Page(w.ctx)
	w.wantError("trashed links", err, nil)
	lists, err := w.s.TrashedLists(owner).Page(w.ctx)
	w.wantError("trashed lists", err, nil)
	tags, err := w.s.TrashedTags(owner).Page(w.ctx)
	w.wantError("trashed tags", err, nil)
	notes, err := w.s.TrashedNotes(owner).Page(w.ctx)
	w.wantError("trashed notes", err, nil)
	got := map[waymark.EntityKind][]any{}
	for _, link := range links.Entities {
		got[waymark.Links] = append(got[waymark.Links], timelessLink(link))
	}
	for _, list := range lists.Entities {
		got[waymark.Lists] = append(got[waymark.Lists], timeless(list))
	}
	for _, tag := range tags.Entities {
		got[waymark.Tags] = append(got[waymark.Tags], timeless(tag))
	}
	for _, note := range notes.Entities {
		got[waymark.Notes] = append(got[waymark.Notes], timeless(note))
	}
	want := map[waymark.EntityKind][]any{}
	for _, id := range slices.Sorted(maps.Keys(w.links)) {
		if link := w.links[id]; link.Owner == owner && link.DeletedAt != 0 {
			want[waymark.Links] = append(want[waymark.Links], timelessLink(w.linkFor(owner, link)))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.lists)) {
		if list := w.lists[id]; list.Owner == owner && list.DeletedAt != 0 {
			want[waymark.Lists] = append(want[waymark.Lists], timeless(*list))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.tags)) {
		if tag := w.tags[id]; tag.Owner == owner && tag.DeletedAt != 0 {
			want[waymark.Tags] = append(want[waymark.Tags], timeless(*tag))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.notes)) {
		if note := w.notes[id]; note.Owner == owner && note.DeletedAt != 0 {
			want[waymark.Notes] = append(want[waymark.Notes], timeless(*note))
		}
	}
	w.wantSame("the trash", got, want)
}

func (w *world) askNames(owner waymark.UserID) {
	text := rapid.SampledFrom([]string{"", "r", "ärg", "RED", "nothing"}).Draw(w.T, "text")
	contains := func(name string) bool { return strings.Contains(waymark.Fold(name), waymark.Fold(text)) }
	lists, tags := []waymark.List{}, []waymark.Tag{}
	for _, list := range w.lists {
		if list.Owner == owner && list.DeletedAt == 0 && contains(list.Name) {
			lists = append(lists, timeless(*list))
		}
	}
	for _, tag := range w.tags {
		if tag.Owner == owner && tag.DeletedAt == 0 && contains(tag.Name) {
			tags = append(tags, timeless(*tag))
		}
	}
	slices.SortFunc(lists, compareLists)
	slices.SortFunc(tags, compareTags)
	gotLists, err := w.s.SuggestLists(w.ctx, owner, text, 0)
	w.wantError("names of lists", err, nil)
	w.wantSame("names of lists with "+text, timelessEach(gotLists), lists)
	gotTags, err := w.s.SuggestTags(w.ctx, owner, text, 0)
	w.wantError("names of tags", err, nil)
	w.wantSame("names of tags with "+text, timelessEach(gotTags), tags)

	url := someURL.Draw(w.T, "url")
	saved := len(w.seen(func(link *modelLink) bool { return seesLink(owner, link) && link.URL == url })) > 0
	found, err := w.s.HasURL(w.ctx, owner, url)
	w.wantError("is it saved", err, nil)
	w.wantSame("is "+url+" saved", found, saved)
}
