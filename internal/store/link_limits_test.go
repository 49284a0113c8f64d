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

// A link can get more lists and tags than the limit from a user who is removed, and by an undo.
func TestLinkAboveTheLimitKeepsOrLosesTags(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		var all []waymark.Ref
		for owner, prefix := range map[waymark.User]string{ada: "a", bob: "b"} {
			draft := storetest.Draft(1)
			draft.Lists, draft.Tags = nil, numbered(prefix, waymark.MaxLinkTags)
			all = append(all, draft.Tags...)
			storetest.CreateLinks(t, s, owner, draft)
		}
		check(t, s.RemoveUser(t.Context(), ada.ID, bob.ID, anyUser))
		link, err := s.LinkByURL(t.Context(), bob.ID, storetest.Draft(1).Link.URL)
		check(t, err)
		change := func(ctx context.Context, s *store.Store, tags ...waymark.Ref) error {
			_, err := s.ChangeLink(ctx, bob, link.ID, nil, &tags, func(*waymark.Link, waymark.Target) error { return nil })
			return err
		}
		add := func(tags ...waymark.Ref) error {
			_, err := s.EditLinks(t.Context(), bob, []int64{int64(link.ID)}, waymark.BulkEdit{Tags: tags})
			return err
		}
		want := func(tags int) {
			t.Helper()
			if got := len(readLink(t, s, bob, link.ID).Tags); got != tags {
				t.Errorf("got %d tags, want %d", got, tags)
			}
		}
		want(2 * waymark.MaxLinkTags)
		wantError(t, "the same tags", change(t.Context(), s, all...), nil)
		wantError(t, "tags that the link has", add(refs("a0", "b1")...), nil)
		wantTooMany(t, change(t.Context(), s, append(all, refs("new")...)...), waymark.FieldTags, 0, waymark.MaxLinkTags)
		wantTooMany(t, add(refs("new")...), waymark.FieldTags, 0, waymark.MaxLinkTags)
		undoable(t, s, bob, "fewer", func(ctx context.Context, s *store.Store) error { return change(ctx, s, all[:60]...) })
		want(60)
		wantTooMany(t, change(t.Context(), s, all...), waymark.FieldTags, 0, waymark.MaxLinkTags)
		wantUndo(t, s, bob, "fewer", 1, 0)
		want(2 * waymark.MaxLinkTags)
		undoable(t, s, bob, "none", func(ctx context.Context, s *store.Store) error { return change(ctx, s) })
		wantError(t, "others", add(numbered("c", waymark.MaxLinkTags)...), nil)
		wantUndo(t, s, bob, "none", 0, 1)
		want(2 * waymark.MaxLinkTags)
	})
}

// A merge gives a link one tag in the place of others. The others are in the trash with their links.
func TestMergeOfTagsIgnoresTheLimit(t *testing.T) {
	s := storetest.Open(t)
	ada := storetest.User(t, s, "ada")
	draft := storetest.Draft(1)
	draft.Tags = numbered("t", waymark.MaxLinkTags)
	link := storetest.CreateLinks(t, s, ada, draft)[0]
	into := createTag(t, s, ada, "into", waymark.Private)
	undoable(t, s, ada, "merge", func(ctx context.Context, s *store.Store) error {
		_, err := s.MergeTags(ctx, ada, into.ID, []waymark.TagID{link.Tags[0].ID, link.Tags[1].ID})
		return err
	})
	wantEqual(t, "tags after the merge", len(readLink(t, s, ada, link.ID).Tags), waymark.MaxLinkTags-1)
	wantUndo(t, s, ada, "merge", 3, 0)
	wantEqual(t, "tags after the undo", len(readLink(t, s, ada, link.ID).Tags), waymark.MaxLinkTags)
}

// Lists in the trash count, because a restore brings them back to their links.
func TestListsInTrashCountForTheLimit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		draft := storetest.Draft(1)
		draft.Lists = numbered("l", waymark.MaxLinkLists)
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		moveToTrash(t, s, ada, waymark.Lists, link.Lists[0].ID)
		_, err := s.EditLinks(t.Context(), ada, []int64{int64(link.ID)}, waymark.BulkEdit{Lists: refs("c")})
		wantTooMany(t, err, waymark.FieldLists, 0, waymark.MaxLinkLists)
	})
}

func TestConcurrentAppendsKeepTheLimit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		draft := storetest.Draft(1)
		draft.Tags = nil
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		var writers sync.WaitGroup
		for w := range 8 {
			writers.Go(func() {
				tags := numbered(fmt.Sprint(w, "-"), 60)
				_, err := s.EditLinks(t.Context(), ada, []int64{int64(link.ID)}, waymark.BulkEdit{Tags: tags})
				if err != nil {
					wantTooMany(t, err, waymark.FieldTags, 0, waymark.MaxLinkTags)
				}
			})
		}
		writers.Wait()
		wantEqual(t, "tags of 3 appends", len(readLink(t, s, ada, link.ID).Tags), 180)
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
				_, err := s.EditLinks(ctx, ada, ids, waymark.BulkEdit{Visibility: &public})
				return err
			}},
			"delete": {"UPDATE links", func(ctx context.Context) error {
				_, err := s.DeleteMany(ctx, ada, waymark.Links, ids)
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
