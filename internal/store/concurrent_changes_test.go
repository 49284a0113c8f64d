package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// Rows are read after their ids. What the viewer may no longer see then is left out.
func TestPageLeavesOutWhatIsHiddenMeanwhile(t *testing.T) {
	hook := &statementHook{}
	storetest.EachWith(t, store.Options{Trace: hook.trace}, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		for i := range 5 {
			storetest.Link(t, s, bob, fmt.Sprintf("https://%d.example/", i), waymark.Public)
		}
		hidden := []int64{3}
		show := func(v waymark.Visibility) {
			if _, err := s.EditLinks(t.Context(), bob, hidden, waymark.BulkEdit{Visibility: &v}); err != nil {
				t.Error(err)
			}
		}
		for name, change := range map[string]struct{ do, undo func() }{
			"make the link private": {func() { show(waymark.Private) }, func() { show(waymark.Public) }},
			"delete the link":       {func() { moveToTrash(t, s, bob, waymark.Links, waymark.LinkID(3)) }, func() { restore(t, s, bob, waymark.Links, waymark.LinkID(3)) }},
		} {
			for _, filter := range []waymark.LinkFilter{{}, where(inURL("example"))} {
				search := s.SearchLinks(ada.ID, filter, byID, waymark.Pagination{Limit: 24})
				for n := 1; ; n++ {
					var got store.Page[waymark.Link]
					called := hook.before(n, change.do, func() { got = readPage(t, search) })
					if !called {
						if n < 3 || len(got.Entities) != 5 {
							t.Errorf("%d statements, %d links, want several, and 5", n-1, len(got.Entities))
						}
						break
					}
					if len(got.Entities) != 4 || slices.ContainsFunc(got.Entities, func(l waymark.Link) bool { return l.ID == 3 }) {
						t.Errorf("%s before statement %d of search %+v: got %d links, want the 4 others", name, n, filter, len(got.Entities))
					}
					change.undo()
				}
			}
		}
	})
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
			where(inURL("https")),
			where(inURL("https"), labeled(waymark.Lists, refs("news")), labeled(waymark.Tags, refs("go"))),
			where(withAll(waymark.Lists, refs("news", "daily")), withAll(waymark.Tags, refs("go", "web"))),
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
