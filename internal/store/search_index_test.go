package store_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// searchTotal returns the number of links that contain a text.
func searchTotal(ctx context.Context, s *store.Store, viewer waymark.UserID, text string) (int, error) {
	filter := where(inTexts(text))
	page, err := s.SearchLinks(viewer, filter, waymark.Order{By: waymark.SortByTitle}, waymark.Pagination{Limit: 100}).Page(ctx)
	if err == nil && page.Total != len(page.Entities) {
		err = fmt.Errorf("search %q: total %d, but %d links", text, page.Total, len(page.Entities))
	}
	return page.Total, err
}

func wantTotal(t *testing.T, s *store.Store, viewer waymark.UserID, text string, want int) {
	t.Helper()
	got, err := searchTotal(t.Context(), s, viewer, text)
	check(t, err)
	if got != want {
		t.Errorf("search %q: got %d links, want %d", text, got, want)
	}
}

// eachShared runs a test on each database with several stores on it, as if several
// processes had opened it. All have an index of their own.
func eachShared(t *testing.T, n int, run func(t *testing.T, stores []*store.Store)) {
	storetest.EachDatabase(t, func(t *testing.T, o store.Options) {
		var stores []*store.Store
		for range n {
			stores = append(stores, storetest.OpenWith(t, o))
		}
		run(t, stores)
	})
}

func TestSearchSeesTheChangesOfOtherProcesses(t *testing.T) {
	eachShared(t, 2, func(t *testing.T, stores []*store.Store) {
		server, other := stores[0], stores[1]
		user := storetest.User(t, other, "ada")
		wantTotal(t, server, user.ID, "needle", 0)
		link := storetest.Link(t, other, user, "https://needle.example/", waymark.Private, "red")
		wantTotal(t, server, user.ID, "needle", 1)
		check(t, other.Delete(t.Context(), user, waymark.Links, int64(link.ID)))
		wantTotal(t, server, user.ID, "needle", 0)
		check(t, other.Restore(t.Context(), user, waymark.Links, int64(link.ID)))
		wantTotal(t, server, user.ID, "needle", 1)
		check(t, storetest.RemoveUser(t.Context(), other, user.ID))
		wantTotal(t, server, user.ID, "needle", 0)
		if server.SearchIndexBytes() == 0 {
			t.Error("the store has no index")
		}
	})
}

// As long as nothing changes, a page that the index finds takes a statement for the log of changes and
// one for the rows. The next page after a change by another process has it.
func TestIndexedPageIsFewStatementsUntilTheDatabaseChanges(t *testing.T) {
	storetest.EachDatabase(t, func(t *testing.T, o store.Options) {
		other := storetest.OpenWith(t, o)
		var statements, allTags atomic.Int64
		o.Trace = func(text string) {
			statements.Add(1)
			if strings.Contains(text, "FROM tags") && strings.HasSuffix(text, "WHERE visible_to IS NOT NULL") {
				allTags.Add(1)
			}
		}
		s := storetest.OpenWith(t, o)
		user := storetest.User(t, other, "ada")
		guest := storetest.User(t, other, "bob")
		link := storetest.Link(t, other, user, "https://needle.example/", waymark.Public, "red")
		tag := link.Tags[0]
		search := func(text string, tags ...waymark.Ref) int {
			searched := []waymark.Condition{inURL(text)}
			if len(tags) > 0 {
				searched = append(searched, labeled(waymark.Tags, tags))
			}
			page, err := s.SearchLinks(guest.ID, where(searched...), waymark.Order{}, waymark.Pagination{Limit: 24}).Page(t.Context())
			check(t, err)
			return page.Total
		}
		show := func(v waymark.Visibility) error {
			_, err := other.ChangeTag(t.Context(), user.ID, tag.ID, func(tag *waymark.Tag) error { tag.Visibility = v; return nil })
			return err
		}
		check(t, show(waymark.Public))
		for _, c := range []struct {
			name   string
			text   string
			tags   []waymark.Ref
			before int
			change func() error
			after  int
		}{
			{"a link is created", "new", nil, 0, func() error { storetest.Link(t, other, user, "https://new.example/", waymark.Public); return nil }, 1},
			{"a tag is made private", "needle", []waymark.Ref{{ID: int64(tag.ID)}}, 1, func() error { return show(waymark.Private) }, 0},
			{"a link is deleted", "needle", nil, 1, func() error { return other.Delete(t.Context(), user, waymark.Links, int64(link.ID)) }, 0},
		} {
			search(c.text, c.tags...) // applies the changes
			search(c.text, c.tags...) // finds no more
			began := statements.Load()
			if got := search(c.text, c.tags...); got != c.before {
				t.Errorf("before %s: found %d links, want %d", c.name, got, c.before)
			}
			if n := statements.Load() - began; n != 1+int64(len(c.tags)+2*c.before) {
				t.Errorf("before %s: the page took %d statements", c.name, n)
			}
			check(t, c.change())
			if got := search(c.text, c.tags...); got != c.after {
				t.Errorf("after %s: found %d links, want %d", c.name, got, c.after)
			}
		}
		if n := allTags.Load(); n != 1 {
			t.Errorf("all tags were read %d times, want once, when the index was built", n)
		}
	})
}

// refreshUntil refreshes the index until ctx ends.
func refreshUntil(ctx context.Context, s *store.Store, fail func(error)) {
	for ctx.Err() == nil {
		if err := s.RefreshSearchIndex(ctx); ctx.Err() == nil {
			fail(err)
		}
	}
}

// createAndDelete creates and deletes a link with a text in one store, and returns an error unless a
// search in another one sees both.
func createAndDelete(ctx context.Context, s, other *store.Store, user waymark.User, text string) error {
	created, err := s.CreateLink(ctx, user, waymark.LinkDraft{Link: waymark.Link{URL: "https://" + text, Title: "t", Visibility: waymark.Private, Status: waymark.StatusOK}})
	if err != nil {
		return err
	}
	if got, err := searchTotal(ctx, other, user.ID, text); err != nil || got != 1 {
		return fmt.Errorf("%s was created, but a search finds %d, %w", text, got, err)
	}
	if err := s.Delete(ctx, user, waymark.Links, int64(created.ID)); err != nil {
		return err
	}
	if got, err := searchTotal(ctx, other, user.ID, text); err != nil || got != 0 {
		return fmt.Errorf("%s was deleted, but a search finds %d, %w", text, got, err)
	}
	return nil
}

// Several processes write and search at the same time. Each search after a commit sees
// it, and a change of several links is seen whole or not at all.
func TestConcurrentSearchesAreExact(t *testing.T) {
	eachShared(t, 3, func(t *testing.T, stores []*store.Store) {
		user := storetest.User(t, stores[0], "ada")
		const group = 7
		var drafts []waymark.LinkDraft
		for i := range group {
			drafts = append(drafts, waymark.LinkDraft{Link: waymark.Link{URL: fmt.Sprintf("https://group.example/%d", i), Title: "group", Visibility: waymark.Private, Status: waymark.StatusOK}})
		}
		var ids []int64
		for _, link := range storetest.CreateLinks(t, stores[0], user, drafts...) {
			ids = append(ids, int64(link.ID))
		}
		rounds := 30
		if testing.Short() {
			rounds = 3
		}
		var writing, checking sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		fail := func(err error) {
			if err != nil {
				t.Error(err)
				stop()
			}
		}
		for i, s := range stores {
			next := stores[(i+1)%len(stores)]
			writing.Go(func() {
				for n := range rounds {
					fail(createAndDelete(ctx, s, next, user, fmt.Sprintf("unique-%d-%d-end", i, n)))
				}
			})
		}
		writing.Go(func() { // moves the group from one tag to another
			for n := range rounds {
				edit := waymark.BulkEdit{Tags: []waymark.Ref{{Name: fmt.Sprint("tag ", n%2)}}, TagsMode: waymark.ReplaceRefs}
				_, err := stores[0].EditLinks(ctx, user, ids, edit)
				fail(err)
			}
		})
		for _, s := range stores {
			checking.Go(func() {
				for ctx.Err() == nil {
					filter := where(inTitle("group"), labeled(waymark.Tags, []waymark.Ref{{Name: "tag 1"}}))
					page, err := s.SearchLinks(user.ID, filter, waymark.Order{}, waymark.Pagination{Limit: 24}).Page(ctx)
					if ctx.Err() != nil {
						return
					}
					if err == nil && page.Total != 0 && page.Total != group || page.Total != len(page.Entities) {
						err = fmt.Errorf("a search sees %d of the %d links that were changed together, and %d rows", page.Total, group, len(page.Entities))
					}
					fail(err)
				}
			})
			checking.Go(func() { // pages do not wait for searches, so they find the index in use
				for ctx.Err() == nil {
					page, err := s.Links(user.ID, waymark.Order{By: waymark.SortByTitle}, waymark.Pagination{Limit: 100}).Page(ctx)
					if ctx.Err() != nil {
						return
					}
					if err == nil && (page.Total < group || len(page.Entities) < group) {
						err = fmt.Errorf("a page has %d of %d links", len(page.Entities), page.Total)
					}
					fail(err)
				}
			})
			checking.Go(func() { refreshUntil(ctx, s, fail) })
		}
		writing.Wait()
		stop()
		checking.Wait()
		for i, s := range stores {
			if s.SearchIndexBytes() == 0 {
				t.Errorf("store %d has no index any more", i)
			}
		}
	})
}

func TestFailedWriteLeavesNoTraceInTheIndex(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		user := storetest.User(t, s, "ada")
		storetest.Link(t, s, user, "https://one.example/needle", waymark.Private)
		refused := errors.New("refused")
		_, err := s.ChangeLink(t.Context(), user, 1, nil, &[]waymark.Ref{{Name: "red"}}, func(l *waymark.Link, _ waymark.Target) error {
			l.Title = "needle two"
			return nil
		})
		check(t, err)
		err = s.Change(t.Context(), func(_ context.Context, exec func(text string, args ...any) error) error {
			if err := exec(`UPDATE links SET title = 'lost', title_folded = 'lost'`); err != nil {
				return err
			}
			return refused
		})
		if !errors.Is(err, refused) {
			t.Fatalf("got %v", err)
		}
		wantTotal(t, s, user.ID, "lost", 0)
		storetest.Link(t, s, user, "https://two.example/", waymark.Private)
		wantTotal(t, s, user.ID, "lost", 0)
		wantTotal(t, s, user.ID, "needle two", 1)
		wantTotal(t, s, user.ID, "two", 2)
	})
}

// After more changes than the log keeps, the next search builds the index again.
func TestIndexIsBuiltAgainWhenTheLogIsIncomplete(t *testing.T) {
	storetest.EachDatabase(t, func(t *testing.T, o store.Options) {
		var log strings.Builder
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		s := storetest.OpenWith(t, o)
		user := storetest.User(t, s, "ada")
		storetest.Link(t, s, user, "https://one.example/needle", waymark.Private)
		wantTotal(t, s, user.ID, "needle", 1)
		storetest.Link(t, s, user, "https://two.example/needle", waymark.Private)
		err := s.Change(t.Context(), func(_ context.Context, exec func(text string, args ...any) error) error {
			if strings.HasSuffix(t.Name(), "PostgreSQL") {
				return errors.Join(exec(`DELETE FROM changes`), exec(`UPDATE changes_pruned SET before = pg_snapshot_xmax(pg_current_snapshot())`))
			}
			return exec(`DELETE FROM changes WHERE seq < (SELECT max(seq) FROM changes)`)
		})
		check(t, err)
		wantTotal(t, s, user.ID, "needle", 2)
		if n := strings.Count(log.String(), "building it again"); n != 1 {
			t.Errorf("the index was built again %d times, want once:\n%s", n, log.String())
		}
	})
}

// A search that is the first one builds the index, and others wait for it.
func TestFirstSearchesBuildTheIndexOnce(t *testing.T) {
	storetest.EachDatabase(t, func(t *testing.T, o store.Options) {
		other := storetest.OpenWith(t, o)
		user := storetest.User(t, other, "ada")
		storetest.Link(t, other, user, "https://needle.example/", waymark.Private)
		var log strings.Builder
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		s, err := store.Open(t.Context(), o)
		check(t, err)
		defer s.Close()
		var searching sync.WaitGroup
		for range 4 {
			searching.Go(func() { wantTotal(t, s, user.ID, "needle", 1) })
		}
		searching.Wait()
		if n := strings.Count(log.String(), "search index ready"); n != 1 {
			t.Errorf("the index was built %d times:\n%s", n, log.String())
		}
	})
}
