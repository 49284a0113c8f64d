package service_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

func (mt *modelTest) checkCounts(viewer waymark.UserID) {
	var want waymark.Counts
	for _, list := range mt.lists {
		if seesList(viewer, list) {
			want.Lists++
		}
	}
	for _, tag := range mt.tags {
		if seesTag(viewer, tag) {
			want.Tags++
		}
	}
	for _, link := range mt.links {
		if !seesLink(viewer, link) {
			continue
		}
		want.Links++
		if link.Archived && viewer != waymark.Guest {
			want.Archived++
		}
		if link.Owner != viewer {
			continue
		}
		if link.Unread {
			want.Unread++
		}
		if link.Favorite {
			want.Favorite++
		}
	}
	inTrash := map[waymark.EntityKind]int{waymark.Links: 0, waymark.Lists: 0, waymark.Tags: 0, waymark.Notes: 0}
	for kind := range inTrash {
		for _, e := range mt.entities(kind) {
			if e.owner == viewer && *e.deletedAt != 0 {
				inTrash[kind]++
				want.Trash++
			}
		}
	}
	sidebar, err := mt.store.Sidebar(mt.ctx, viewer)
	mt.wantError("counts", err, nil)
	mt.wantEqual(fmt.Sprint("counts for user ", viewer), sidebar.Counts, want)
	gotTrash, err := mt.store.TrashCounts(mt.ctx, viewer)
	mt.wantError("trash counts", err, nil)
	mt.wantEqual(fmt.Sprint("counts of the trash of user ", viewer), gotTrash, inTrash)
}

// checkLabelSearch compares the lists and tags with the number of their links.
func (mt *modelTest) checkLabelSearch(viewer waymark.UserID) {
	filter := waymark.LabelFilter{Name: rapid.SampledFrom([]string{"", "", "r", "ärg", "nothing"}).Draw(mt.T, "name")}
	if rapid.Bool().Draw(mt.T, "with an owner") {
		filter.Owner = mt.anyUser().ID
	}
	order := waymark.Order{By: rapid.SampledFrom([]waymark.SortField{waymark.SortByLinks, waymark.SortByLinks, waymark.SortByName, waymark.SortByCreatedAt}).Draw(mt.T, "order"), Desc: rapid.Bool().Draw(mt.T, "desc")}
	matches := func(owner waymark.UserID, name string) bool {
		return strings.Contains(waymark.Plain(name), waymark.Plain(filter.Name)) && (filter.Owner == 0 || filter.Owner == owner)
	}
	var lists []waymark.List
	for id, list := range mt.lists {
		if seesList(viewer, list) && matches(list.Owner, list.Name) {
			l := withoutTimes(*list)
			l.LinkCount = len(mt.linksThat(func(link *referenceLink) bool { return seesLink(viewer, link) && link.inLists[id] }))
			lists = append(lists, l)
		}
	}
	compare := func(links, byName, created, id int) int {
		c := cmp.Or(map[waymark.SortField]int{waymark.SortByLinks: links, waymark.SortByName: byName, waymark.SortByCreatedAt: created}[order.By], id)
		if order.Desc {
			return -c
		}
		return c
	}
	slices.SortFunc(lists, func(a, b waymark.List) int {
		return compare(cmp.Compare(a.LinkCount, b.LinkCount), waymark.CompareNames(a.Name, b.Name), cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	checkPages(mt, fmt.Sprintf("lists %+v, %+v", filter, order), lists, func(page waymark.Pagination) pageReader[waymark.List] {
		return func() (store.Page[waymark.List], error) {
			return mt.store.SearchLists(mt.ctx, viewer, filter, order, page)
		}
	}, withoutTimes)
	var tags []waymark.Tag
	for id, tag := range mt.tags {
		if seesTag(viewer, tag) && matches(tag.Owner, tag.Name) {
			t := withoutTimes(*tag)
			t.LinkCount = len(mt.linksThat(func(link *referenceLink) bool { return seesLink(viewer, link) && link.hasTags[id] }))
			tags = append(tags, t)
		}
	}
	slices.SortFunc(tags, func(a, b waymark.Tag) int {
		return compare(cmp.Compare(a.LinkCount, b.LinkCount), waymark.CompareNames(a.Name, b.Name), cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	checkPages(mt, fmt.Sprintf("tags %+v, %+v", filter, order), tags, func(page waymark.Pagination) pageReader[waymark.Tag] {
		return func() (store.Page[waymark.Tag], error) {
			return mt.store.SearchTags(mt.ctx, viewer, filter, order, page)
		}
	}, withoutTimes)
}

// pageReader reads a page, as a store.Listing does.
type pageReader[T any] func() (store.Page[T], error)

// Page reads the page.
func (r pageReader[T]) Page(context.Context) (store.Page[T], error) { return r() }
