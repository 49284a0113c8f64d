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

func (mt *modelTest) wantEqual(what string, got, want any) {
	mt.Helper()
	if !reflect.DeepEqual(got, want) {
		mt.Fatalf("%s (-want +got):\n%s", what, gocmp.Diff(want, got))
	}
}

// withoutTimes returns an entity without the times that the model does not know: it clears
// UpdatedAt, and replaces a DeletedAt that is set by trashed. It clears the place of a list, which checkTree checks.
func withoutTimes[T any](entity T) T {
	v := reflect.ValueOf(&entity).Elem()
	v.FieldByName("UpdatedAt").SetInt(0)
	if deleted := v.FieldByName("DeletedAt"); !deleted.IsZero() {
		deleted.SetInt(int64(trashed))
	}
	if list, ok := any(&entity).(*waymark.List); ok {
		list.Parent, list.Position, list.Path, list.CanEdit = 0, 0, nil, false
	}
	return entity
}

func allWithoutTimes[T any](entities []T) []T {
	all := make([]T, len(entities))
	for i, entity := range entities {
		all[i] = withoutTimes(entity)
	}
	return all
}

// linkWithoutTimes does the same for a link, its lists and its tags.
func linkWithoutTimes(link waymark.Link) waymark.Link {
	link = withoutTimes(link)
	link.Lists, link.Tags = allWithoutTimes(link.Lists), allWithoutTimes(link.Tags)
	return link
}

func (mt *modelTest) wantLink(what string, got waymark.Link, viewer waymark.UserID, link *referenceLink) {
	mt.Helper()
	mt.wantEqual(fmt.Sprintf("%s link for user %d", what, viewer), linkWithoutTimes(got), linkWithoutTimes(mt.linkFor(viewer, link)))
}

// checks returns all checks. Each compares the reads of one viewer with the model.
func (mt *modelTest) checks() []func(viewer waymark.UserID) {
	return []func(waymark.UserID){
		mt.checkLinks, mt.checkLists, mt.checkTree, mt.checkTags, mt.checkSingleEntities, mt.checkLinksOfListsAndTags, mt.checkNotes, mt.checkTrash, mt.checkSearch, mt.checkSearch, mt.checkSuggestions, mt.checkCounts, mt.checkLabelSearch,
	}
}

func (mt *modelTest) checkRandom() {
	rapid.SampledFrom(mt.checks()).Draw(mt.T, "check")(mt.anyUser().ID)
}

func (mt *modelTest) checkAll() {
	for _, viewer := range append(slices.Sorted(maps.Keys(mt.users)), waymark.Guest) {
		for _, check := range mt.checks() {
			check(viewer)
		}
	}
}

func (mt *modelTest) checkLinks(viewer waymark.UserID) {
	links := mt.linksThat(func(link *referenceLink) bool { return seesLink(viewer, link) })
	mt.checkLinkPages("links", viewer, links, mt.order(), func(order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
		return mt.store.Links(viewer, order, page)
	})
}

// someIDs generates up to four ids of entities.
func someIDs[ID waymark.ID, T any](mt *modelTest, entities map[ID]T) []ID {
	ids := rapid.Permutation(slices.Sorted(maps.Keys(entities))).Draw(mt.T, "ids")
	return ids[:min(len(ids), 4)]
}

func (mt *modelTest) checkLinksOfListsAndTags(viewer waymark.UserID) {
	for _, id := range someIDs(mt, mt.lists) {
		if seesList(viewer, mt.lists[id]) {
			links := mt.linksThat(func(link *referenceLink) bool { return seesLink(viewer, link) && link.inLists[id] })
			mt.checkLinkPages(fmt.Sprint("links of list ", id), viewer, links, mt.order(), func(order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
				return mt.store.LinksOfList(viewer, id, order, page)
			})
		}
	}
	for _, id := range someIDs(mt, mt.tags) {
		if seesTag(viewer, mt.tags[id]) {
			links := mt.linksThat(func(link *referenceLink) bool { return seesLink(viewer, link) && link.hasTags[id] })
			mt.checkLinkPages(fmt.Sprint("links of tag ", id), viewer, links, mt.order(), func(order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
				return mt.store.LinksOfTag(viewer, id, order, page)
			})
		}
	}
}

func (mt *modelTest) checkSearch(viewer waymark.UserID) {
	query := waymark.LinkFilter{Where: mt.condition(3), OwnNames: true}
	links := mt.linksThat(func(link *referenceLink) bool { return mt.matches(viewer, link, query) })
	counts, err := mt.store.CountLinks(mt.ctx, viewer, []waymark.LinkFilter{query})
	mt.wantError("count links", err, nil)
	mt.wantEqual(fmt.Sprintf("number of links of %#v", query.Where), counts, []int{len(links)})
	mt.checkLinkPages(fmt.Sprintf("search %#v", query.Where), viewer, links, mt.order(), func(order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
		return mt.store.SearchLinks(viewer, query, order, page)
	})
}

func (mt *modelTest) checkLists(viewer waymark.UserID) {
	var want []waymark.List
	for _, list := range mt.lists {
		if seesList(viewer, list) {
			want = append(want, withoutTimes(*list))
		}
	}
	slices.SortFunc(want, compareLists)
	checkPages(mt, "lists", want, func(page waymark.Pagination) store.Listing[waymark.List] {
		return mt.store.Lists(viewer, waymark.Order{By: waymark.SortByName}, page)
	}, withoutTimes)
}

func (mt *modelTest) checkTags(viewer waymark.UserID) {
	var want []waymark.Tag
	for _, tag := range mt.tags {
		if seesTag(viewer, tag) {
			want = append(want, withoutTimes(*tag))
		}
	}
	slices.SortFunc(want, compareTags)
	checkPages(mt, "tags", want, func(page waymark.Pagination) store.Listing[waymark.Tag] {
		return mt.store.Tags(viewer, waymark.Order{By: waymark.SortByName}, page)
	}, withoutTimes)
}

// readError returns the error of reading an entity.
func readError(active, visible bool) error {
	switch {
	case !active:
		return waymark.ErrNotFound
	case !visible:
		return waymark.ErrForbidden
	}
	return nil
}

func (mt *modelTest) checkSingleEntities(viewer waymark.UserID) {
	for id, link := range mt.links {
		got, err := mt.store.Link(mt.ctx, viewer, id)
		mt.wantError(fmt.Sprint("link ", id), err, readError(link.DeletedAt == 0, seesLink(viewer, link)))
		if err == nil {
			mt.wantLink("single", got, viewer, link)
		}
	}
	for id, list := range mt.lists {
		got, err := mt.store.List(mt.ctx, viewer, id)
		mt.wantError(fmt.Sprint("list ", id), err, readError(list.DeletedAt == 0, seesList(viewer, list)))
		if err == nil {
			mt.wantEqual("list", withoutTimes(got), withoutTimes(*list))
		}
	}
	for id, tag := range mt.tags {
		got, err := mt.store.Tag(mt.ctx, viewer, id)
		mt.wantError(fmt.Sprint("tag ", id), err, readError(tag.DeletedAt == 0, seesTag(viewer, tag)))
		if err == nil {
			mt.wantEqual("tag", withoutTimes(got), withoutTimes(*tag))
		}
	}
	_, err := mt.store.Link(mt.ctx, viewer, 1<<40)
	mt.wantError("no link", err, waymark.ErrNotFound)
}

func (mt *modelTest) checkNotes(viewer waymark.UserID) {
	for _, id := range someIDs(mt, mt.links) {
		if !seesLink(viewer, mt.links[id]) {
			continue
		}
		var want []waymark.Note
		for _, note := range mt.notes {
			if note.Link == id && mt.seesNote(viewer, note) {
				want = append(want, withoutTimes(*note))
			}
		}
		slices.SortFunc(want, func(a, b waymark.Note) int {
			return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
		})
		checkPages(mt, fmt.Sprint("notes of link ", id), want, func(page waymark.Pagination) store.Listing[waymark.Note] {
			return mt.store.NotesOfLink(viewer, id, page)
		}, withoutTimes)
	}
}

func (mt *modelTest) checkTrash(owner waymark.UserID) {
	links, err := mt.store.TrashedLinks(owner).Page(mt.ctx)
	mt.wantError("trashed links", err, nil)
	lists, err := mt.store.TrashedLists(owner).Page(mt.ctx)
	mt.wantError("trashed lists", err, nil)
	tags, err := mt.store.TrashedTags(owner).Page(mt.ctx)
	mt.wantError("trashed tags", err, nil)
	notes, err := mt.store.TrashedNotes(owner).Page(mt.ctx)
	mt.wantError("trashed notes", err, nil)
	got := map[waymark.EntityKind][]any{}
	for _, link := range links.Entities {
		got[waymark.Links] = append(got[waymark.Links], linkWithoutTimes(link))
	}
	for _, list := range lists.Entities {
		got[waymark.Lists] = append(got[waymark.Lists], withoutTimes(list))
	}
	for _, tag := range tags.Entities {
		got[waymark.Tags] = append(got[waymark.Tags], withoutTimes(tag))
	}
	for _, note := range notes.Entities {
		got[waymark.Notes] = append(got[waymark.Notes], withoutTimes(note))
	}
	want := map[waymark.EntityKind][]any{}
	for _, id := range slices.Sorted(maps.Keys(mt.links)) {
		if link := mt.links[id]; link.Owner == owner && link.DeletedAt != 0 {
			want[waymark.Links] = append(want[waymark.Links], linkWithoutTimes(mt.linkFor(owner, link)))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(mt.lists)) {
		if list := mt.lists[id]; list.Owner == owner && list.DeletedAt != 0 {
			want[waymark.Lists] = append(want[waymark.Lists], withoutTimes(*list))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(mt.tags)) {
		if tag := mt.tags[id]; tag.Owner == owner && tag.DeletedAt != 0 {
			want[waymark.Tags] = append(want[waymark.Tags], withoutTimes(*tag))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(mt.notes)) {
		if note := mt.notes[id]; note.Owner == owner && note.DeletedAt != 0 {
			want[waymark.Notes] = append(want[waymark.Notes], withoutTimes(*note))
		}
	}
	mt.wantEqual("the trash", got, want)
}

func (mt *modelTest) checkSuggestions(owner waymark.UserID) {
	text := rapid.SampledFrom([]string{"", "r", "ärg", "RED", "nothing"}).Draw(mt.T, "text")
	contains := func(name string) bool { return strings.Contains(waymark.Plain(name), waymark.Plain(text)) }
	lists, tags := []waymark.List{}, []waymark.Tag{}
	for _, list := range mt.lists {
		if list.Owner == owner && list.DeletedAt == 0 && contains(list.Name) {
			lists = append(lists, withoutTimes(*list))
		}
	}
	for _, tag := range mt.tags {
		if tag.Owner == owner && tag.DeletedAt == 0 && contains(tag.Name) {
			tags = append(tags, withoutTimes(*tag))
		}
	}
	slices.SortFunc(lists, compareLists)
	slices.SortFunc(tags, compareTags)
	gotLists, err := mt.store.SuggestLists(owner, text, 0).Page(mt.ctx)
	mt.wantError("suggest lists", err, nil)
	mt.wantEqual("suggest lists for "+text, allWithoutTimes(gotLists.Entities), lists)
	gotTags, err := mt.store.SuggestTags(owner, text, 0).Page(mt.ctx)
	mt.wantError("suggest tags", err, nil)
	mt.wantEqual("suggest tags for "+text, allWithoutTimes(gotTags.Entities), tags)

	url := anyURL.Draw(mt.T, "url")
	exists := len(mt.linksThat(func(link *referenceLink) bool { return seesLink(owner, link) && link.URL == url })) > 0
	found, err := mt.store.HasURL(mt.ctx, owner, url)
	mt.wantError("has URL", err, nil)
	mt.wantEqual("has URL "+url, found, exists)
}
