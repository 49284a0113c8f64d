package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// numbered returns refs by the names prefix 0 to prefix n-1.
func numbered(prefix string, n int) []waymark.Ref {
	all := make([]waymark.Ref, n)
	for i := range all {
		all[i].Name = fmt.Sprint(prefix, i)
	}
	return all
}

// wantTooMany fails the test unless err says that a field has more than limit values.
func wantTooMany(t *testing.T, err error, field waymark.Field, index, limit int) {
	t.Helper()
	var invalid *waymark.ValidationError
	want := waymark.Problem{Field: field, Index: index, Rule: waymark.RuleMaxCount, Limit: limit}
	if !errors.As(err, &invalid) || len(invalid.Problems) != 1 || invalid.Problems[0] != want {
		t.Errorf("got error %v, want %v", err, want)
	}
}

func ptr[T any](value T) *T { return &value }

// A link can get more lists and tags than the limit from a user who is removed.
func TestLinkAboveTheLimitKeepsOrLosesListsAndTags(t *testing.T) {
	storetest.EachWith(t, store.Options{Limits: waymark.LinkLimits{Lists: 2, Tags: 2}}, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		for owner, prefix := range map[waymark.User]string{ada: "a", bob: "b"} {
			draft := storetest.Draft(1)
			draft.Lists, draft.Tags = numbered(prefix, 2), numbered(prefix, 2)
			storetest.CreateLinks(t, s, owner, draft)
		}
		check(t, s.RemoveUser(t.Context(), ada.ID, bob.ID, anyUser))
		link, err := s.LinkByURL(t.Context(), bob.ID, storetest.Draft(1).Link.URL)
		check(t, err)
		wantLabels(t, s, bob, link.ID, "[a0 a1 b0 b1] [a0 a1 b0 b1]")

		change := func(lists, tags []waymark.Ref) error {
			_, err := s.ChangeLink(t.Context(), bob, link.ID, &lists, &tags, func(*waymark.Link) error { return nil })
			return err
		}
		ids := []int64{int64(link.ID)}
		all := refs("a0", "a1", "b0", "b1")
		wantError(t, "the same lists and tags", change(all, all), nil)
		wantTooMany(t, change(refs("a0", "a1", "b0", "b1", "new"), all), waymark.FieldLists, 0, 2)
		_, err = s.EditLinks(t.Context(), bob, ids, waymark.BulkEdit{Tags: refs("new")}, ownedBy(bob))
		wantTooMany(t, err, waymark.FieldTags, 0, 2)
		_, err = s.EditLinks(t.Context(), bob, ids, waymark.BulkEdit{Tags: refs("a0"), Lists: refs("b0", "b1")}, ownedBy(bob))
		wantError(t, "lists and tags that the link has", err, nil)
		wantLabels(t, s, bob, link.ID, "[a0 a1 b0 b1] [a0 a1 b0 b1]")
		link, err = s.Link(t.Context(), bob.ID, link.ID)
		wantError(t, "read the link", err, nil)
		undoable(t, s, bob, "one list", func(ctx context.Context, s *store.Store) error {
			return s.RemoveFromList(ctx, link.Lists[0].ID, link.ID, ownedBy(bob))
		})
		undoable(t, s, bob, "two lists", func(ctx context.Context, s *store.Store) error {
			_, err := s.ChangeLink(ctx, bob, link.ID, ptr(refs("b1")), nil, func(*waymark.Link) error { return nil })
			return err
		})
		wantLabels(t, s, bob, link.ID, "[b1] [a0 a1 b0 b1]")
		wantUndo(t, s, bob, "two lists", 1, 0)
		wantLabels(t, s, bob, link.ID, "[a1 b0 b1] [a0 a1 b0 b1]")
		wantUndo(t, s, bob, "one list", 1, 0)
		wantLabels(t, s, bob, link.ID, "[a0 a1 b0 b1] [a0 a1 b0 b1]")
		wantError(t, "fewer", change(refs("a0", "b0", "b1"), refs("a0", "a1", "b1")), nil)
		wantTooMany(t, change(all, refs("a0", "a1", "b1")), waymark.FieldLists, 0, 2)
		undoable(t, s, bob, "swap", func(ctx context.Context, s *store.Store) error {
			_, err := s.ChangeLink(ctx, bob, link.ID, ptr(refs("a0", "b0", "new")), nil, func(*waymark.Link) error { return nil })
			return err
		})
		wantLabels(t, s, bob, link.ID, "[a0 b0 new] [a0 a1 b1]")
		wantUndo(t, s, bob, "swap", 1, 0)
		wantLabels(t, s, bob, link.ID, "[a0 b0 b1] [a0 a1 b1]")

		other := storetest.CreateLinks(t, s, bob, waymark.LinkDraft{Link: storetest.Draft(2).Link, Tags: refs("b0")})[0]
		replace := func(token string, tags ...waymark.Ref) {
			t.Helper()
			undoable(t, s, bob, token, func(ctx context.Context, s *store.Store) error {
				_, err := s.EditLinks(ctx, bob, []int64{int64(link.ID), int64(other.ID)}, waymark.BulkEdit{Tags: tags, TagsMode: waymark.ReplaceRefs}, ownedBy(bob))
				return err
			})
		}
		replace("none")
		wantLabels(t, s, bob, link.ID, "[a0 b0 b1] []")
		wantUndo(t, s, bob, "none", 2, 0)
		wantLabels(t, s, bob, link.ID, "[a0 b0 b1] [a0 a1 b1]")
		replace("before others", refs("new")...)
		wantError(t, "others", change(refs("a0"), refs("c0", "new")), nil)
		wantUndo(t, s, bob, "before others", 1, 1)
		wantLabels(t, s, bob, link.ID, "[a0] [c0 new]")
		wantLabels(t, s, bob, other.ID, "[] [b0]")
	})
}

// A merge gives a link one tag in the place of others. The others are in the trash with their links.
func TestMergeOfTagsIgnoresTheLimit(t *testing.T) {
	dir := t.TempDir()
	s := storetest.OpenWith(t, store.Options{Dir: dir})
	ada := storetest.User(t, s, "ada")
	draft := storetest.Draft(1)
	draft.Lists, draft.Tags = nil, numbered("t", 4)
	link := storetest.CreateLinks(t, s, ada, draft)[0]
	into := createTag(t, s, ada, "into", waymark.Private)
	check(t, s.Close())
	s = storetest.OpenWith(t, store.Options{Dir: dir, Limits: waymark.LinkLimits{Tags: 2}})
	undoable(t, s, ada, "merge", func(ctx context.Context, s *store.Store) error {
		_, err := s.MergeTags(ctx, ada.ID, into.ID, []waymark.TagID{link.Tags[0].ID, link.Tags[1].ID}, ownedBy(ada))
		return err
	})
	wantLabels(t, s, ada, link.ID, "[] [into t2 t3]")
	wantUndo(t, s, ada, "merge", 3, 0)
	wantLabels(t, s, ada, link.ID, "[] [t0 t1 t2 t3]")
}

// Lists in the trash count, because a restore brings them back to their links.
func TestListsInTrashCountForTheLimit(t *testing.T) {
	storetest.EachWith(t, store.Options{Limits: waymark.LinkLimits{Lists: 2}}, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		draft := storetest.Draft(1)
		draft.Lists, draft.Tags = refs("a", "b"), nil
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		moveToTrash(t, s, ada, waymark.Lists, link.Lists[0].ID)
		_, err := s.EditLinks(t.Context(), ada, []int64{int64(link.ID)}, waymark.BulkEdit{Lists: refs("c")}, ownedBy(ada))
		wantTooMany(t, err, waymark.FieldLists, 0, 2)
	})
}

func TestConcurrentAppendsKeepTheLimit(t *testing.T) {
	storetest.EachWith(t, store.Options{Limits: waymark.LinkLimits{Tags: 20}}, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		draft := storetest.Draft(1)
		draft.Lists, draft.Tags = nil, nil
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		for tag := range 8 { // they exist, so that no append waits for another one to create them
			createTag(t, s, ada, fmt.Sprint("before ", tag), waymark.Private)
		}
		var writers sync.WaitGroup
		for w := range 8 {
			writers.Go(func() {
				tags := append(numbered(fmt.Sprint(w, "-"), 5), waymark.Ref{Name: fmt.Sprint("before ", w)})
				_, err := s.EditLinks(t.Context(), ada, []int64{int64(link.ID)}, waymark.BulkEdit{Tags: tags}, ownedBy(ada))
				if err != nil {
					wantTooMany(t, err, waymark.FieldTags, 0, 20)
				}
			})
		}
		writers.Wait()
		got, err := s.Link(t.Context(), ada.ID, link.ID)
		if err != nil || len(got.Tags) != 18 {
			t.Errorf("got %d tags (error %v), want 18 of 3 appends", len(got.Tags), err)
		}
	})
}

// The context of the request ends while the first of several batches is changed.
func TestChangeOfManyEntitiesEndsWithItsRequest(t *testing.T) {
	type stop struct {
		at     string // a part of the statement
		cancel context.CancelFunc
	}
	var next atomic.Pointer[stop]
	trace := func(text string) {
		if s := next.Load(); s != nil && strings.Contains(text, s.at) {
			s.cancel()
		}
	}
	storetest.EachWith(t, store.Options{Trace: trace}, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		links := storetest.Fill(t, s, ada, 501)
		ids := make([]int64, len(links))
		drafts := make([]waymark.LinkDraft, len(links))
		tags, lists := make([]waymark.Tag, len(links)), make([]waymark.List, len(links))
		for i, link := range links {
			ids[i], drafts[i] = int64(link.ID), storetest.Draft(1000+i)
			name := fmt.Sprint("n", i)
			tags[i], lists[i] = waymark.Tag{Name: name, Visibility: waymark.Private}, waymark.List{Name: name, Visibility: waymark.Private}
		}
		public := waymark.Public
		for name, test := range map[string]struct {
			statement string
			change    func(ctx context.Context) error
		}{
			"edit": {"UPDATE links", func(ctx context.Context) error {
				_, err := s.EditLinks(ctx, ada, ids, waymark.BulkEdit{Visibility: &public}, ownedBy(ada))
				return err
			}},
			"delete": {"UPDATE links", func(ctx context.Context) error {
				_, err := s.DeleteMany(ctx, ada.ID, waymark.Links, ids, ownedBy(ada))
				return err
			}},
			"create links": {"INSERT INTO links", func(ctx context.Context) error {
				_, err := s.CreateLinks(ctx, ada, drafts)
				return err
			}},
			"create lists": {"INSERT INTO lists", func(ctx context.Context) error {
				_, err := s.CreateLists(ctx, ada.ID, lists)
				return err
			}},
			"create tags": {"INSERT INTO tags", func(ctx context.Context) error {
				_, err := s.CreateTags(ctx, ada.ID, tags)
				return err
			}},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			next.Store(&stop{test.statement, cancel})
			err := test.change(ctx)
			next.Store(nil)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: got error %v, want context.Canceled", name, err)
			}
		}
		page, err := s.Links(ada.ID, waymark.Order{}, waymark.Pagination{Limit: 1}).Page(t.Context())
		if err != nil || page.Total != len(links) {
			t.Errorf("got %d links (error %v), want %d as before", page.Total, err, len(links))
		}
	})
}
