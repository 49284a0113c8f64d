package service_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// checkPages reads all pages of a random size, and one beyond the last, and compares them
// with the entities that they must have in total.
func checkPages[T any, L interface {
	Page(ctx context.Context) (store.Page[T], error)
}](mt *modelTest, what string, want []T, list func(waymark.Pagination) L, normalize func(T) T) {
	mt.Helper()
	size := rapid.SampledFrom([]int{waymark.NoLimit, 3, 8}).Draw(mt.T, "size")
	step := size
	if size == waymark.NoLimit {
		step = max(1, len(want))
	}
	for offset := 0; offset <= len(want)+step; offset += step {
		page := waymark.Pagination{Offset: offset, Limit: size}
		got, err := list(page).Page(mt.ctx)
		mt.wantError(what, err, nil)
		if got.Total != len(want) {
			mt.Fatalf("%s, page %v: total %d, want %d", what, page, got.Total, len(want))
		}
		from := min(page.Offset, len(want))
		to := len(want)
		if size != waymark.NoLimit {
			to = min(from+size, to)
		}
		if len(got.Entities) != to-from {
			mt.Fatalf("%s, page %v: got %d entities, want %d", what, page, len(got.Entities), to-from)
		}
		for i, entity := range got.Entities {
			mt.wantEqual(fmt.Sprintf("%s, page %v, index %d", what, page, i), normalize(entity), want[from+i])
		}
	}
}

// checkLinkPages does the same for links.
func (mt *modelTest) checkLinkPages(what string, viewer waymark.UserID, links []*referenceLink, order waymark.Order, list func(waymark.Order, waymark.Pagination) store.Listing[waymark.Link]) {
	mt.Helper()
	compare := func(a, b *referenceLink) int {
		c := cmp.Or(linkOrders[order.By](a, b), cmp.Compare(a.ID, b.ID))
		if order.Desc {
			return -c
		}
		return c
	}
	var want []waymark.Link
	for _, link := range slices.SortedFunc(slices.Values(links), compare) {
		want = append(want, linkWithoutTimes(mt.linkFor(viewer, link)))
	}
	checkPages(mt, fmt.Sprintf("%s, by %s, desc %t", what, order.By, order.Desc), want, func(page waymark.Pagination) store.Listing[waymark.Link] { return list(order, page) }, linkWithoutTimes)
}

// linkOrders are the sort fields that the model knows, which are all except SortByUpdatedAt.
var linkOrders = map[waymark.SortField]func(a, b *referenceLink) int{
	waymark.SortByID:          func(a, b *referenceLink) int { return 0 },
	waymark.SortByURL:         func(a, b *referenceLink) int { return compareTexts(a.URL, b.URL) },
	waymark.SortByTitle:       func(a, b *referenceLink) int { return waymark.CompareNames(a.Title, b.Title) },
	waymark.SortByDescription: func(a, b *referenceLink) int { return compareTexts(a.Description, b.Description) },
	waymark.SortByPrivate: func(a, b *referenceLink) int {
		return cmp.Compare(a.Visibility/waymark.Private, b.Visibility/waymark.Private)
	},
	waymark.SortByVisibility: func(a, b *referenceLink) int { return cmp.Compare(a.Visibility, b.Visibility) },
	waymark.SortByStatus:     func(a, b *referenceLink) int { return cmp.Compare(a.Status, b.Status) },
	waymark.SortByCheckDisabled: func(a, b *referenceLink) int {
		return strings.Compare(fmt.Sprint(a.CheckDisabled), fmt.Sprint(b.CheckDisabled))
	},
	waymark.SortByCreatedAt: func(a, b *referenceLink) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) },
}

func (mt *modelTest) order() waymark.Order {
	by := rapid.SampledFrom(slices.Sorted(maps.Keys(linkOrders))).Draw(mt.T, "order")
	return waymark.Order{By: by, Desc: rapid.Bool().Draw(mt.T, "desc")}
}

func (mt *modelTest) linksThat(match func(*referenceLink) bool) []*referenceLink {
	var links []*referenceLink
	for _, link := range mt.links {
		if match(link) {
			links = append(links, link)
		}
	}
	return links
}
