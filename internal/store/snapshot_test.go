package store_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// statementHook calls a function once, before a statement of a store.
type statementHook struct {
	countdown atomic.Int64 // the number of statements until the call; not positive for none
	call      func()
}

func (h *statementHook) trace(string) {
	if h.countdown.Add(-1) == 0 {
		h.call()
	}
}

// before runs do, and calls call before its nth statement. It reports whether do ran so
// many statements.
func (h *statementHook) before(n int, call, do func()) bool {
	h.call = call
	h.countdown.Store(int64(n))
	do()
	return h.countdown.Swap(0) <= 0
}

// A write between any two statements of a listing changes nothing of its result: names,
// totals and rows are all from before the write. A write before the first statement, or
// between the count and the stream of a long listing, may be in all of it.
func TestListingIsFromOneSnapshotWithAConcurrentWrite(t *testing.T) {
	byName := waymark.LinkFilter{Lists: refs("news")}
	for _, test := range []struct {
		name    string
		links   int
		filters []waymark.LinkFilter
	}{
		{"page", 20, []waymark.LinkFilter{
			{},
			byName,
			{Lists: []waymark.Ref{{ID: 1}}}, // the same list
			{Lists: refs("news"), Tags: refs("go"), AllTags: true, Text: "https"},
		}},
		{"stream", 510, []waymark.LinkFilter{byName}}, // more than 500 are read in several batches
	} {
		t.Run(test.name, func(t *testing.T) {
			hook := &statementHook{}
			storetest.EachWith(t, store.Options{Trace: hook.trace}, func(t *testing.T, s *store.Store) {
				checkSnapshots(t, s, hook, test.links, test.filters)
			})
		})
	}
}

// checkSnapshots searches links with each filter, and writes before each statement of the
// search.
func checkSnapshots(t *testing.T, s *store.Store, hook *statementHook, n int, filters []waymark.LinkFilter) {
	t.Helper()
	ada := storetest.User(t, s, "ada")
	drafts := make([]waymark.LinkDraft, n)
	for i := range drafts {
		drafts[i] = storetest.Draft(i)
		drafts[i].Lists, drafts[i].Tags = refs("news"), refs("go")
	}
	links := storetest.CreateLinks(t, s, ada, drafts...)
	list := links[0].Lists[0]
	rename := func(name string) func() {
		return func() {
			if _, err := s.ChangeList(t.Context(), ada.ID, list.ID, func(list *waymark.List) error {
				list.Name = name
				return nil
			}); err != nil {
				t.Error(err)
			}
		}
	}
	for _, write := range []struct {
		name     string
		do, undo func()
	}{
		{"delete the list", func() { moveToTrash(t, s, ada, waymark.Lists, list.ID) }, func() { restore(t, s, ada, waymark.Lists, list.ID) }},
		{"rename the list", rename("old news"), rename("news")},
		{"delete a link", func() { moveToTrash(t, s, ada, waymark.Links, links[3].ID) }, func() { restore(t, s, ada, waymark.Links, links[3].ID) }},
	} {
		for _, filter := range filters {
			t.Run(fmt.Sprintf("%s in search %+v", write.name, filter), func(t *testing.T) {
				search := s.SearchLinks(ada.ID, filter, byID, unlimited)
				unchanged := 0 // results from before the write
				for n := 1; ; n++ {
					before := readPage(t, search)
					var got store.Page[waymark.Link]
					called := hook.before(n, write.do, func() { got = readPage(t, search) })
					if !called {
						if n < 3 || unchanged == 0 {
							t.Errorf("the listing has %d statements, and its result was from before the write %d times", n-1, unchanged)
						}
						return
					}
					after := readPage(t, search)
					if reflect.DeepEqual(before, after) {
						t.Fatal("the write does not change the listing")
					}
					switch {
					case reflect.DeepEqual(got, before):
						unchanged++
					case !reflect.DeepEqual(got, after):
						t.Errorf("write before statement %d: got total %d and %d links, which is neither the result from before (%d) nor from after (%d)",
							n, got.Total, len(got.Entities), before.Total, after.Total)
					}
					write.undo()
				}
			})
		}
	}
}

// Each statement of a search can fail: the client disconnects, or the time limit passes.
func TestSearchReturnsTheErrorOfEachStatement(t *testing.T) {
	hook := &statementHook{}
	storetest.EachWith(t, store.Options{Trace: hook.trace}, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		drafts := make([]waymark.LinkDraft, 20)
		for i := range drafts {
			drafts[i] = storetest.Draft(i)
			drafts[i].Lists, drafts[i].Tags = refs("news", "daily"), refs("go", "web")
		}
		storetest.CreateLinks(t, s, ada, drafts...)
		for _, filter := range []waymark.LinkFilter{
			{Text: "https"},
			{Text: "https", Lists: refs("news"), Tags: refs("go")},
			{Lists: refs("news", "daily"), AllLists: true, Tags: refs("go", "web"), AllTags: true},
		} {
			search := s.SearchLinks(ada.ID, filter, byID, unlimited)
			for n := 1; ; n++ {
				ctx, cancel := context.WithCancel(t.Context())
				var err error
				called := hook.before(n, cancel, func() { _, err = search.Page(ctx) })
				cancel()
				if !called {
					if n < 4 || err != nil {
						t.Errorf("search %+v: %d statements, error %v", filter, n-1, err)
					}
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Errorf("search %+v: statement %d was canceled, got error %v", filter, n, err)
				}
			}
		}
	})
}
