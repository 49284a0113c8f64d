package store_test

import (
	"fmt"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// newTree creates a list with 999 sublists, up to ten deep, with 100,000 links in all, one in each list in turn, and a
// plain list with all of these links.
func newTree(tb testing.TB, s *store.Store, ada waymark.User) (tree, plain waymark.ListID) {
	tb.Helper()
	var lists []waymark.List
	create := func(parent waymark.ListID, n int) {
		drafts := make([]waymark.List, n)
		for i := range drafts {
			drafts[i] = waymark.List{Name: fmt.Sprint("list ", len(lists)+i), Parent: parent, Visibility: waymark.Private}
		}
		created, err := s.CreateLists(tb.Context(), ada.ID, drafts)
		if err != nil {
			tb.Fatal(err)
		}
		lists = append(lists, created...)
	}
	create(0, 2)
	create(lists[1].ID, 111)
	for i := range 111 {
		create(lists[2+i].ID, 8)
	}
	drafts := make([]waymark.LinkDraft, 1000)
	for n := range 100 {
		for i := range drafts {
			drafts[i] = waymark.LinkDraft{
				Link:  waymark.Link{URL: fmt.Sprintf("https://%d.example/%d", n, i), Visibility: waymark.Private, Status: waymark.StatusOK},
				Lists: []waymark.Ref{{ID: int64(lists[0].ID)}, {ID: int64(lists[1+i].ID)}},
			}
		}
		storetest.CreateLinks(tb, s, ada, drafts...)
	}
	return lists[1].ID, lists[0].ID
}

func BenchmarkTree(b *testing.B) {
	s := storetest.Open(b)
	ada := storetest.User(b, s, "ada")
	tree, plain := newTree(b, s, ada)
	for range 2 { // first it finds that there are too many changes
		if err := s.RefreshSearchIndex(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	for name, list := range map[string]waymark.ListID{"page-1-of-a-plain-list": plain, "page-1-with-sublists": tree} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				readFirstPage(b, s, ada, list)
			}
		})
	}
	b.Run("move", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			place := waymark.ListPlace{Parent: plain}
			if i%2 == 1 {
				place.Parent = 0
			}
			if err := s.MoveLists(b.Context(), ada.ID, []waymark.ListID{tree}, place, anyOwner); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("order-of-5000", func(b *testing.B) {
		created, err := s.CreateLists(b.Context(), ada.ID, make([]waymark.List, 5000))
		if err != nil {
			b.Fatal(err)
		}
		for i := 0; b.Loop(); i++ { // each moves all of the others
			if err := s.MoveLists(b.Context(), ada.ID, []waymark.ListID{created[4999-i%2500].ID}, waymark.ListPlace{Before: created[0].ID}, anyOwner); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// readFirstPage reads the first page of a list with its sublists, and their number.
func readFirstPage(tb testing.TB, s *store.Store, viewer waymark.User, list waymark.ListID) {
	tb.Helper()
	filter := waymark.LinkFilter{Where: waymark.Labeled{Kind: waymark.Lists, Refs: []waymark.Ref{{ID: int64(list)}}}}
	page, err := s.SearchLinks(viewer.ID, filter, waymark.Order{By: waymark.SortByCreatedAt, Desc: true}, waymark.Pagination{Limit: 24}).Page(tb.Context())
	if err != nil || page.Total != 100_000 {
		tb.Fatalf("%d links, %v", page.Total, err)
	}
}
