package store_test

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// listFunc returns a listing of one kind of entity.
type listFunc[T any] func(viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) store.Listing[T]

// pageFunc returns a page of a listing.
type pageFunc[T any] func(t testing.TB, viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) store.Page[T]

// pagesOf returns a function that reads pages of a listing.
func pagesOf[T any](list listFunc[T]) pageFunc[T] {
	return func(t testing.TB, viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) store.Page[T] {
		t.Helper()
		return readPage(t, list(viewer, order, pagination))
	}
}

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

// compareLinks, compareLists and compareTags have a comparison for each sort field. Equal
// entities are sorted by id.
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

var compareLists = map[waymark.SortField]func(a, b waymark.List) int{
	waymark.SortByID:          func(a, b waymark.List) int { return 0 },
	waymark.SortByName:        func(a, b waymark.List) int { return compareText(a.Name, b.Name) },
	waymark.SortByDescription: func(a, b waymark.List) int { return compareText(a.Description, b.Description) },
	waymark.SortByPrivate:     func(a, b waymark.List) int { return compareBool(a.Visibility == 3, b.Visibility == 3) },
	waymark.SortByVisibility:  func(a, b waymark.List) int { return cmp.Compare(a.Visibility, b.Visibility) },
	waymark.SortByCreatedAt:   func(a, b waymark.List) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) },
	waymark.SortByUpdatedAt:   func(a, b waymark.List) int { return cmp.Compare(a.UpdatedAt, b.UpdatedAt) },
}

var compareTags = map[waymark.SortField]func(a, b waymark.Tag) int{
	waymark.SortByID:         func(a, b waymark.Tag) int { return 0 },
	waymark.SortByName:       func(a, b waymark.Tag) int { return compareText(a.Name, b.Name) },
	waymark.SortByPrivate:    func(a, b waymark.Tag) int { return compareBool(a.Visibility == 3, b.Visibility == 3) },
	waymark.SortByVisibility: func(a, b waymark.Tag) int { return cmp.Compare(a.Visibility, b.Visibility) },
	waymark.SortByCreatedAt:  func(a, b waymark.Tag) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) },
	waymark.SortByUpdatedAt:  func(a, b waymark.Tag) int { return cmp.Compare(a.UpdatedAt, b.UpdatedAt) },
}

// checkOrders compares the listing in every sort order, in both directions, with the
// entities of want, sorted in memory.
func checkOrders[T any, ID waymark.ID](t *testing.T, page pageFunc[T], viewer waymark.UserID, want []T, id func(T) ID, fields []waymark.SortField, compare map[waymark.SortField]func(a, b T) int) {
	t.Helper()
	if len(fields) != len(compare) {
		t.Fatalf("%d sort fields have a comparison, want %v", len(compare), fields)
	}
	for _, by := range fields {
		for _, desc := range []bool{false, true} {
			order := waymark.Order{By: by, Desc: desc}
			t.Run(fmt.Sprintf("%s desc %t", by, desc), func(t *testing.T) {
				checkPages(t, page, viewer, order, sorted(want, order, id, compare))
			})
		}
	}
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

// checkPages reads all of a listing at once and in pages of several sizes, and compares
// them with want. The pages start from both ends, and some are beyond the end.
func checkPages[T any](t *testing.T, pageOf pageFunc[T], viewer waymark.UserID, order waymark.Order, want []T) {
	t.Helper()
	size := len(want)/7 + 1 // seven pages, of which the last one is shorter
	pages := []waymark.Pagination{unlimited, {Limit: len(want) - 1}, {Offset: len(want) - 1, Limit: len(want) - 1}, {Offset: 8 * size, Limit: size}}
	for number := range 7 {
		pages = append(pages, waymark.Pagination{Offset: number * size, Limit: size})
	}
	for _, page := range pages {
		got := pageOf(t, viewer, order, page)
		if got.Total != len(want) {
			t.Errorf("page %v: total %d, want %d", page, got.Total, len(want))
		}
		from := min(page.Offset, len(want))
		to := len(want)
		if page.Limit != waymark.NoLimit {
			to = min(from+page.Limit, to)
		}
		part := want[from:to]
		if len(got.Entities) != len(part) {
			t.Errorf("page %v: %d entities, want %d", page, len(got.Entities), len(part))
			continue
		}
		for i := range part {
			if !reflect.DeepEqual(got.Entities[i], part[i]) {
				t.Errorf("page %v: entity %d is\n%+v, want\n%+v", page, i, got.Entities[i], part[i])
				break
			}
		}
	}
}

// repeatingClock returns a clock whose times repeat and go back, so that only ids follow
// the order of creation.
func repeatingClock() func() waymark.Time {
	var mu sync.Mutex
	ticks := 0
	return func() waymark.Time {
		mu.Lock()
		defer mu.Unlock()
		ticks++
		return waymark.Time(1_583_782_403_000_000 + ticks*7%10*1_000_000)
	}
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

// withoutLabels reads pages of links without their lists and tags.
func withoutLabels(list listFunc[waymark.Link]) pageFunc[waymark.Link] {
	return func(t testing.TB, viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) store.Page[waymark.Link] {
		t.Helper()
		page := readPage(t, list(viewer, order, pagination))
		for i := range page.Entities {
			page.Entities[i].Lists, page.Entities[i].Tags = nil, nil
		}
		return page
	}
}

// longTexts returns links whose texts have a long common prefix.
func longTexts() []waymark.LinkDraft {
	long := strings.Repeat("Ä long beginning, ", 10)
	var drafts []waymark.LinkDraft
	for i, end := range []string{"b", "a", "B", "A", "ä", "ß", "SS", "ss", "", "a", "\U0001F30D", "\uFFFD", "z"} {
		drafts = append(drafts, waymark.LinkDraft{Link: waymark.Link{
			URL:         fmt.Sprintf("https://long.example/%s/%s/%d", strings.Repeat("x", 60), end, i),
			Title:       long + end,
			Description: long + long + end,
			Visibility:  waymark.Visibility(1 + i%3),
			Status:      waymark.StatusOK,
		}})
	}
	return drafts
}

func TestLinksAreSortedByEveryField(t *testing.T) {
	storetest.EachWith(t, store.Options{Now: repeatingClock()}, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		var all []waymark.Link
		all = append(all, storetest.CreateLinks(t, s, ada, longTexts()...)...)
		for i := range 700 / 50 {
			var drafts []waymark.LinkDraft
			for j := range 50 {
				drafts = append(drafts, storetest.Draft(50*i+j))
			}
			all = append(all, storetest.CreateLinks(t, s, []waymark.User{ada, bob}[i%2], drafts...)...)
		}
		for i := range all {
			if i%9 == 0 {
				changed, err := s.ChangeLink(t.Context(), ada, all[i].ID, nil, nil, func(link *waymark.Link) error {
					link.Title = strings.ToUpper(link.Title)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				all[i] = changed
			}
		}
		want := visibleLinks(ada.ID, all)
		if len(want) < 550 {
			t.Fatalf("%d links are visible: too few for several batches", len(want))
		}
		checkOrders(t, withoutLabels(s.Links), ada.ID, want, linkID, waymark.LinkSortFields, compareLinks)
	})
}

func TestListsAreSortedByEveryField(t *testing.T) {
	storetest.EachWith(t, store.Options{Now: repeatingClock()}, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		var want []waymark.List
		for i := range 60 {
			owner, link := []waymark.User{ada, bob}[i%2], storetest.Draft(i)
			list := waymark.List{Name: strings.Fields(link.Link.Title)[0], Description: link.Link.Description, Visibility: link.Link.Visibility}
			created, err := s.CreateLists(t.Context(), owner.ID, []waymark.List{list})
			if err != nil {
				t.Fatal(err)
			}
			if ada.ID.MaySee(owner.ID, list.Visibility) {
				want = append(want, created...)
			}
		}
		checkOrders(t, pagesOf(s.Lists), ada.ID, want, listID, waymark.ListSortFields, compareLists)
	})
}

func TestTagsAreSortedByEveryField(t *testing.T) {
	storetest.EachWith(t, store.Options{Now: repeatingClock()}, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		var want []waymark.Tag
		for i, name := range strings.Fields("b A a1 ä Ä1 ß SSa Σ ς1 я Я1 東 z Z1 é e\u0301x _ 0 ~ ﬁ ﬁ1 İ i1") {
			for j, owner := range []waymark.User{ada, bob} {
				v := waymark.Visibility(1 + (i+j)%3)
				tag := createTag(t, s, owner, name, v)
				if ada.ID.MaySee(owner.ID, v) {
					want = append(want, tag)
				}
			}
		}
		checkOrders(t, pagesOf(s.Tags), ada.ID, want, tagID, waymark.TagSortFields, compareTags)
	})
}

func TestLinksOfListsTagsAndSearchesAreSorted(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		allList, allTag := createList(t, s, ada, "all", waymark.Public), createTag(t, s, ada, "all", waymark.Public)
		var all []waymark.Link
		for _, owner := range []waymark.User{ada, bob} {
			var drafts []waymark.LinkDraft
			for i := range 400 {
				draft := storetest.Draft(i)
				draft.Lists, draft.Tags = []waymark.Ref{{ID: int64(allList.ID)}}, []waymark.Ref{{ID: int64(allTag.ID)}}
				drafts = append(drafts, draft)
			}
			all = append(all, storetest.CreateLinks(t, s, owner, drafts...)...)
		}
		want := visibleLinks(ada.ID, all)
		for name, list := range map[string]listFunc[waymark.Link]{
			"list": func(viewer waymark.UserID, order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
				return s.LinksOfList(viewer, allList.ID, order, page)
			},
			"tag": func(viewer waymark.UserID, order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
				return s.LinksOfTag(viewer, allTag.ID, order, page)
			},
			"search": func(viewer waymark.UserID, order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
				return s.SearchLinks(viewer, where(inURL("https://")), order, page)
			},
			"short search": func(viewer waymark.UserID, order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
				return s.SearchLinks(viewer, where(inURL("S:")), order, page)
			},
		} {
			for _, order := range []waymark.Order{{By: waymark.SortByID}, {By: waymark.SortByTitle, Desc: true}, {By: waymark.SortByPrivate}} {
				t.Run(fmt.Sprintf("%s by %s desc %t", name, order.By, order.Desc), func(t *testing.T) {
					checkPages(t, withoutLabels(list), ada.ID, order, sorted(want, order, linkID, compareLinks))
				})
			}
		}
	})
}
