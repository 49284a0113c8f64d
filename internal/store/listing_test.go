package store_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// lister returns a listing of one kind of entity.
type listFunc[T any] func(viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) store.Listing[T]

// pager returns a page of a listing.
type pageFunc[T any] func(t testing.TB, viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) store.Page[T]

func pagesOf[T any](list listFunc[T]) pageFunc[T] {
	return func(t testing.TB, viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) store.Page[T] {
		t.Helper()
		return readPage(t, list(viewer, order, pagination))
	}
}

// byText compares as the contract says: without regard to case, then by code point.
func byText(a, b string) int {
	return cmp.Or(cmp.Compare(waymark.Fold(a), waymark.Fold(b)), cmp.Compare(a, b))
}

func byFlag(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

var linkOrders = map[waymark.SortField]func(a, b waymark.Link) int{
	waymark.SortByID:            func(a, b waymark.Link) int { return 0 },
	waymark.SortByURL:           func(a, b waymark.Link) int { return byText(a.URL, b.URL) },
	waymark.SortByTitle:         func(a, b waymark.Link) int { return byText(a.Title, b.Title) },
	waymark.SortByDescription:   func(a, b waymark.Link) int { return byText(a.Description, b.Description) },
	waymark.SortByPrivate:       func(a, b waymark.Link) int { return byFlag(a.Visibility == 3, b.Visibility == 3) },
	waymark.SortByVisibility:    func(a, b waymark.Link) int { return cmp.Compare(a.Visibility, b.Visibility) },
	waymark.SortByStatus:        func(a, b waymark.Link) int { return cmp.Compare(a.Status, b.Status) },
	waymark.SortByCheckDisabled: func(a, b waymark.Link) int { return byFlag(a.CheckDisabled, b.CheckDisabled) },
	waymark.SortByCreatedAt:     func(a, b waymark.Link) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) },
	waymark.SortByUpdatedAt:     func(a, b waymark.Link) int { return cmp.Compare(a.UpdatedAt, b.UpdatedAt) },
}

var listOrders = map[waymark.SortField]func(a, b waymark.List) int{
	waymark.SortByID:          func(a, b waymark.List) int { return 0 },
	waymark.SortByName:        func(a, b waymark.List) int { return byText(a.Name, b.Name) },
	waymark.SortByDescription: func(a, b waymark.List) int { return byText(a.Description, b.Description) },
	waymark.SortByPrivate:     func(a, b waymark.List) int { return byFlag(a.Visibility == 3, b.Visibility == 3) },
	waymark.SortByVisibility:  func(a, b waymark.List) int { return cmp.Compare(a.Visibility, b.Visibility) },
	waymark.SortByCreatedAt:   func(a, b waymark.List) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) },
	waymark.SortByUpdatedAt:   func(a, b waymark.List) int { return cmp.Compare(a.UpdatedAt, b.UpdatedAt) },
}

var tagOrders = map[waymark.SortField]func(a, b waymark.Tag) int{
	waymark.SortByID:         func(a, b waymark.Tag) int { return 0 },
	waymark.SortByName:       func(a, b waymark.Tag) int { return byText(a.Name, b.Name) },
	waymark.SortByPrivate:    func(a, b waymark.Tag) int { return byFlag(a.Visibility == 3, b.Visibility == 3) },
	waymark.SortByVisibility: func(a, b waymark.Tag) int { return cmp.Compare(a.Visibility, b.Visibility) },
	waymark.SortByCreatedAt:  func(a, b waymark.Tag) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) },
	waymark.SortByUpdatedAt:  func(a, b waymark.Tag) int { return cmp.Compare(a.UpdatedAt, b.UpdatedAt) },
}

// checkOrders holds every order of a collection, both ways, against a plain sort of
// the entries: as one stream, and in pages from both ends.
func checkOrders[T any, ID waymark.ID](t *testing.T, page pageFunc[T], viewer waymark.UserID, want []T, id func(T) ID, known []waymark.SortField, orders map[waymark.SortField]func(a, b T) int) {
	t.Helper()
	if len(known) != len(orders) {
		t.Fatalf("%d orders have a plain sort, but there are %v", len(orders), known)
	}
	for _, by := range known {
		for _, desc := range []bool{false, true} {
			order := waymark.Order{By: by, Desc: desc}
			sorted := slices.SortedFunc(slices.Values(want), func(a, b T) int {
				c := cmp.Or(orders[by](a, b), cmp.Compare(id(a), id(b)))
				if desc {
					return -c
				}
				return c
			})
			t.Run(fmt.Sprintf("%s desc %t", by, desc), func(t *testing.T) {
				checkPages(t, page, viewer, order, sorted)
			})
		}
	}
}

// checkPages holds pages of several sizes against what all of them together are.
func checkPages[T any](t *testing.T, pageOf pageFunc[T], viewer waymark.UserID, order waymark.Order, want []T) {
	t.Helper()
	size := len(want)/7 + 1 // seven pages, the last one shorter
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
			t.Errorf("page %v: %d entries, want %d", page, len(got.Entities), len(part))
			continue
		}
		for i := range part {
			if !reflect.DeepEqual(got.Entities[i], part[i]) {
				t.Errorf("page %v: entry %d is\n%+v, want\n%+v", page, i, got.Entities[i], part[i])
				break
			}
		}
	}
}

// repeatingClock tells times that repeat, and that go back: only the id of an entry
// says for sure which came later.
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

// visible are the entries that viewer sees, without what they are filed in.
func visibleLinks(viewer waymark.UserID, links []waymark.Link) []waymark.Link {
	var some []waymark.Link
	for _, link := range links {
		if viewer.MaySee(link.Owner, link.Visibility) {
			link.Lists, link.Tags = nil, nil
			some = append(some, link)
		}
	}
	return some
}

// withoutLabels removes the lists and tags of the links.
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

// longTexts are links whose texts differ only far from their beginning.
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

func TestEveryOrderOfLinksIsThatOfAPlainSort(t *testing.T) {
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
			t.Fatalf("%d links are visible: too few to be read in several pieces", len(want))
		}
		checkOrders(t, withoutLabels(s.Links), ada.ID, want, linkID, waymark.LinkSortFields, linkOrders)
	})
}

func TestEveryOrderOfListsIsThatOfAPlainSort(t *testing.T) {
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
		checkOrders(t, pagesOf(s.Lists), ada.ID, want, listID, waymark.ListSortFields, listOrders)
	})
}

func TestEveryOrderOfTagsIsThatOfAPlainSort(t *testing.T) {
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
		checkOrders(t, pagesOf(s.Tags), ada.ID, want, tagID, waymark.TagSortFields, tagOrders)
	})
}

func TestOrdersHoldForTheLinksOfAListAndOfATagAndForSearches(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		list, tag := createList(t, s, ada, "all", waymark.Public), createTag(t, s, ada, "all", waymark.Public)
		var all []waymark.Link
		for _, owner := range []waymark.User{ada, bob} {
			var drafts []waymark.LinkDraft
			for i := range 400 {
				draft := storetest.Draft(i)
				draft.Lists, draft.Tags = []waymark.Ref{{ID: int64(list.ID)}}, []waymark.Ref{{ID: int64(tag.ID)}}
				drafts = append(drafts, draft)
			}
			all = append(all, storetest.CreateLinks(t, s, owner, drafts...)...)
		}
		want := visibleLinks(ada.ID, all)
		for what, browse := range map[string]listFunc[waymark.Link]{
			"list": func(viewer waymark.UserID, order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
				return s.LinksOfList(viewer, list.ID, order, page)
			},
			"tag": func(viewer waymark.UserID, order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
				return s.LinksOfTag(viewer, tag.ID, order, page)
			},
			"search": func(viewer waymark.UserID, order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
				return s.SearchLinks(viewer, waymark.LinkFilter{Text: "https://"}, order, page)
			},
			"short search": func(viewer waymark.UserID, order waymark.Order, page waymark.Pagination) store.Listing[waymark.Link] {
				return s.SearchLinks(viewer, waymark.LinkFilter{Text: "S:"}, order, page)
			},
		} {
			for _, order := range []waymark.Order{{By: waymark.SortByID}, {By: waymark.SortByTitle, Desc: true}, {By: waymark.SortByPrivate}} {
				sorted := slices.SortedFunc(slices.Values(want), func(a, b waymark.Link) int {
					c := cmp.Or(linkOrders[order.By](a, b), cmp.Compare(a.ID, b.ID))
					if order.Desc {
						return -c
					}
					return c
				})
				t.Run(fmt.Sprintf("%s by %s desc %t", what, order.By, order.Desc), func(t *testing.T) {
					checkPages(t, withoutLabels(browse), ada.ID, order, sorted)
				})
			}
		}
	})
}

func TestPageBeyondTheEndIsEmpty(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		storetest.Fill(t, s, ada, 5)
		for _, page := range []waymark.Pagination{{Offset: 5, Limit: 5}, {Offset: math.MaxInt, Limit: waymark.NoLimit}, {Offset: math.MaxInt, Limit: 24}, {Offset: math.MaxInt, Limit: math.MaxInt}} {
			got := readPage(t, s.Links(ada.ID, byID, page))
			if got.Total != 5 || len(got.Entities) != 0 {
				t.Errorf("page %v: %d of %d entries, want none of 5", page, len(got.Entities), got.Total)
			}
		}
		got := readPage(t, s.Links(ada.ID, byID, waymark.Pagination{Limit: math.MaxInt}))
		if len(got.Entities) != 5 {
			t.Errorf("a page of the largest size has %d entries, want 5", len(got.Entities))
		}
	})
}

func TestEmptyCollectionHasAnEmptyPage(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		for _, page := range []waymark.Pagination{unlimited, {Limit: 24}, {Offset: 144, Limit: 24}} {
			got := readPage(t, s.Links(ada.ID, byID, page))
			wantEqual(t, fmt.Sprint(page), got, store.Page[waymark.Link]{})
		}
	})
}

func TestLongPageIsOneSnapshot(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		links := storetest.Fill(t, s, ada, 1100)
		seen := 0
		err := s.Links(ada.ID, byID, unlimited).Stream(t.Context(), func(total int, entries iter.Seq2[waymark.Link, error]) error {
			for link, err := range entries {
				if err != nil {
					return err
				}
				if seen == 0 { // the rest is changed under the reader's eyes
					moveToTrash(t, s, ada, waymark.Links, links[700].ID, links[1000].ID)
					storetest.Link(t, s, ada, "https://new.example/", waymark.Private)
				}
				if link.ID != links[seen].ID {
					t.Fatalf("link %d has id %d, want %d", seen, link.ID, links[seen].ID)
				}
				seen++
			}
			if total != seen {
				t.Errorf("total %d, but %d links came", total, seen)
			}
			return nil
		})
		if err != nil || seen != len(links) {
			t.Errorf("%d links came, error %v, want the %d from before the changes", seen, err, len(links))
		}
		if now := allLinks(t, s, ada); len(now) != len(links)-1 {
			t.Errorf("%d links afterwards, want %d", len(now), len(links)-1)
		}
	})
}

func TestReaderMayLeaveALongPage(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		storetest.Fill(t, s, ada, 600)
		enough := errors.New("enough")
		for range 8 { // more often than there are turns
			err := s.Links(ada.ID, byID, unlimited).Stream(t.Context(), func(_ int, entries iter.Seq2[waymark.Link, error]) error {
				for range entries {
					return enough
				}
				return nil
			})
			if !errors.Is(err, enough) {
				t.Fatalf("got error %v, want the reader's own", err)
			}
		}
	})
}

func TestLongPageEndsWithItsContext(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		storetest.Fill(t, s, ada, 1100)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		seen := 0
		err := s.Links(ada.ID, byID, unlimited).Stream(ctx, func(_ int, entries iter.Seq2[waymark.Link, error]) error {
			for _, err := range entries {
				if err != nil {
					return err
				}
				cancel()
				seen++
			}
			return nil
		})
		if err == nil {
			t.Errorf("%d links came and no error, though the context had ended", seen)
		}
		if len(allLinks(t, s, ada)) != 1100 {
			t.Error("the next reader does not see everything")
		}
	})
}

// A snapshot holds a connection, and may need another to prepare its statements.
func TestManyReadersAtOnceDoNotWaitForEachOther(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		storetest.Fill(t, s, ada, 30)
		var readers sync.WaitGroup
		for i := range 60 {
			readers.Go(func() {
				order := waymark.Order{By: waymark.LinkSortFields[i%10], Desc: i%20 >= 10}
				if _, err := s.Links(ada.ID, order, waymark.Pagination{Limit: 10}).Page(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		readers.Wait()
	})
}

func TestSlowReadersOfEverythingDoNotKeepOthersWaiting(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		links := storetest.Fill(t, s, ada, 600)
		ctx, cancel := context.WithCancel(t.Context())
		var readers sync.WaitGroup
		started := make(chan struct{}, 50)
		for range 50 {
			readers.Go(func() {
				started <- struct{}{}
				s.Links(ada.ID, byID, unlimited).Stream(ctx, func(_ int, entries iter.Seq2[waymark.Link, error]) error {
					for range entries {
						<-ctx.Done() // reads no further
					}
					return nil
				})
			})
		}
		for range 50 {
			<-started
		}
		for range 20 {
			if _, err := s.Link(t.Context(), ada.ID, links[0].ID); err != nil {
				t.Fatal(err)
			}
			readPage(t, s.Links(ada.ID, byID, waymark.Pagination{Limit: 24}))
		}
		storetest.Link(t, s, ada, "https://new.example/", waymark.Private)
		cancel()
		readers.Wait()
	})
}

func TestWhoSeesWhatAndTheTotalsAgree(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		users := []waymark.User{storetest.User(t, s, "ada"), storetest.User(t, s, "bob"), storetest.User(t, s, "eve")}
		var all []waymark.Link
		for i, user := range users[:2] {
			all = append(all, storetest.Fill(t, s, user, 20*(i+1))...)
		}
		for _, viewer := range users {
			want := visibleLinks(viewer.ID, all)
			got := readPage(t, s.Links(viewer.ID, byID, unlimited))
			wantEqual(t, "what "+viewer.Name+" sees", visibleLinks(viewer.ID, got.Entities), want)
			if got.Total != len(want) {
				t.Errorf("%s: total %d, want %d", viewer.Name, got.Total, len(want))
			}
		}
	})
}
