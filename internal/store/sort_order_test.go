package store_test

import (
	"cmp"
	"slices"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// listFunc returns a listing of one kind of entity.
type listFunc[T any] func(viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) store.Listing[T]

// compareText compares folded texts, and equal ones by code point.
func compareText(a, b string) int {
	return cmp.Or(cmp.Compare(waymark.Fold(a), waymark.Fold(b)), cmp.Compare(a, b))
}

// compareBool sorts false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// compareLinks has a comparison for each sort field. Equal links are sorted by id.
var compareLinks = map[waymark.SortField]func(a, b waymark.Link) int{
	waymark.SortByID:            func(a, b waymark.Link) int { return 0 },
	waymark.SortByURL:           func(a, b waymark.Link) int { return compareText(a.URL, b.URL) },
	waymark.SortByTitle:         func(a, b waymark.Link) int { return compareText(a.Title, b.Title) },
	waymark.SortByDescription:   func(a, b waymark.Link) int { return compareText(a.Description, b.Description) },
	waymark.SortByPrivate:       func(a, b waymark.Link) int { return compareBool(a.Visibility == 3, b.Visibility == 3) },
	waymark.SortByVisibility:    func(a, b waymark.Link) int { return cmp.Compare(a.Visibility, b.Visibility) },
	waymark.SortByStatus:        func(a, b waymark.Link) int { return cmp.Compare(a.Status, b.Status) },
	waymark.SortByCheckDisabled: func(a, b waymark.Link) int { return compareBool(a.CheckDisabled, b.CheckDisabled) },
	waymark.SortByCreatedAt:     func(a, b waymark.Link) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) },
	waymark.SortByUpdatedAt:     func(a, b waymark.Link) int { return cmp.Compare(a.UpdatedAt, b.UpdatedAt) },
}

// sorted returns the entities in an order.
func sorted[T any, ID waymark.ID](entities []T, order waymark.Order, id func(T) ID, compare map[waymark.SortField]func(a, b T) int) []T {
	return slices.SortedFunc(slices.Values(entities), func(a, b T) int {
		c := cmp.Or(compare[order.By](a, b), cmp.Compare(id(a), id(b)))
		if order.Desc {
			return -c
		}
		return c
	})
}

// visibleLinks returns the links that viewer sees, without lists and tags.
func visibleLinks(viewer waymark.UserID, links []waymark.Link) []waymark.Link {
	var visible []waymark.Link
	for _, link := range links {
		if viewer.MaySee(link.Owner, link.Visibility) {
			link.Lists, link.Tags = nil, nil
			visible = append(visible, link)
		}
	}
	return visible
}
