package store_test

import (
	"fmt"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// In the orders SortByPrivate and SortByVisibility the scopes follow one another. A page
// may have rows of two or three of them.
func TestPagesAcrossGroupsOfScopes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		allList := waymark.Ref{ID: int64(createList(t, s, ada, "all", waymark.Internal).ID)}
		const public, internal, private = 620, 30, 560 // a stream reads 500 rows at once
		var all []waymark.Link
		for batch := range 10 { // so that the ids of the groups are mixed
			for _, group := range []struct {
				owner      waymark.User
				visibility waymark.Visibility
				n          int
			}{
				{ada, waymark.Private, private},
				{bob, waymark.Private, 50}, // which ada does not see
				{ada, waymark.Public, public / 2},
				{bob, waymark.Internal, internal},
				{bob, waymark.Public, public / 2},
			} {
				drafts := make([]waymark.LinkDraft, group.n/10)
				for i := range drafts {
					drafts[i] = storetest.Draft(1000*batch + i + 100*int(group.visibility))
					drafts[i].Link.Visibility = group.visibility
					drafts[i].Lists, drafts[i].Tags = []waymark.Ref{allList}, nil
				}
				all = append(all, storetest.CreateLinks(t, s, group.owner, drafts...)...)
			}
		}
		links := visibleLinks(ada.ID, all)
		if len(links) != public+internal+private {
			t.Fatalf("%d links are visible, want %d", len(links), public+internal+private)
		}
		for name, list := range map[string]listFunc[waymark.Link]{
			"all": s.Links,
			"list": func(viewer waymark.UserID, order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
				return s.LinksOfList(viewer, waymark.ListID(allList.ID), order, page)
			},
			"search": func(viewer waymark.UserID, order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
				return s.SearchLinks(viewer, where(inURL("https")), order, page)
			},
		} {
			for _, order := range []waymark.Order{
				{By: waymark.SortByPrivate}, {By: waymark.SortByPrivate, Desc: true},
				{By: waymark.SortByVisibility}, {By: waymark.SortByVisibility, Desc: true},
			} {
				t.Run(fmt.Sprintf("%s by %s desc %t", name, order.By, order.Desc), func(t *testing.T) {
					want := linkIDs(sorted(links, order, linkID, compareLinks))
					for _, page := range pagesAcross(want, groupEnds(order, public, internal, private)) {
						got := readPage(t, list(ada.ID, order, page))
						end := len(want)
						if page.Limit != waymark.NoLimit {
							end = min(end, page.Offset+page.Limit)
						}
						wantIDs(t, fmt.Sprintf("page %+v", page), got.Entities, linkID, want[page.Offset:end]...)
						if got.Total != len(want) {
							t.Errorf("page %+v: got total %d, want %d", page, got.Total, len(want))
						}
					}
				})
			}
		}
	})
}

// groupEnds returns the places in an order at which a group of scopes ends.
func groupEnds(order waymark.Order, public, internal, private int) []int {
	switch {
	case order.By == waymark.SortByPrivate && order.Desc:
		return []int{private}
	case order.By == waymark.SortByPrivate:
		return []int{public + internal}
	case order.Desc:
		return []int{private, private + internal}
	}
	return []int{public, public + internal}
}

// pagesAcross returns pages that contain the ends of groups, or start or end there, and
// streams of several batches.
func pagesAcross[T any](all []T, ends []int) []waymark.Pagination {
	pages := []waymark.Pagination{
		unlimited,
		{Offset: 20, Limit: waymark.NoLimit},
		{Offset: ends[0] - 5, Limit: ends[len(ends)-1] - ends[0] + 10}, // all groups
	}
	for _, end := range ends {
		pages = append(pages,
			waymark.Pagination{Offset: end - 24, Limit: 24},
			waymark.Pagination{Offset: end - 23, Limit: 24},
			waymark.Pagination{Offset: end - 1, Limit: 2},
			waymark.Pagination{Offset: end - 1, Limit: 24},
			waymark.Pagination{Offset: end, Limit: 24},
			waymark.Pagination{Offset: end - 520, Limit: len(all) - end + 510},
			waymark.Pagination{Offset: end - 300, Limit: 510},
			waymark.Pagination{Offset: end - 1, Limit: waymark.NoLimit},
		)
	}
	return pages
}
