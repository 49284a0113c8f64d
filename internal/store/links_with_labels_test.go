package store_test

import (
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestLinkIsReadInOneStatement(t *testing.T) {
	var statements atomic.Int64
	s := storetest.OpenWith(t, store.Options{Trace: func(string) { statements.Add(1) }})
	ada := storetest.User(t, s, "ada")
	draft := storetest.Draft(1)
	draft.Lists, draft.Tags = refs("list"), refs("tag", "another tag")
	link := storetest.CreateLinks(t, s, ada, draft)[0]
	statements.Store(0)
	wantLabels(t, s, ada, link.ID, "[list] [another tag tag]")
	if got := statements.Load(); got != 1 {
		t.Errorf("%d statements, want 1", got)
	}
}

func TestListsAndTagsOfLinksMayHaveAnyText(t *testing.T) {
	texts := []string{
		"plain", "12:34", ":", "::", "5:hello", "-1:", `"quoted" 'text'`, `back\slash`, "a,b|c||d", "tab\tline\nfeed\r\x01\x1f\x7f",
		"é e\u0301 Straße ΑΒΓ я 中文 日本語 😀 👩‍👩‍👧", "\u200f\u202e\ufeff\ufffd", "$1 ? %s {}", " spaces ", strings.Repeat("ä😀", 100),
	}
	for r := rune(1); r < 0x20; r++ {
		texts = append(texts, "control "+string(r)+" character")
	}
	now := func() waymark.Time { return math.MaxInt64 - 1 }
	storetest.EachWith(t, store.Options{Now: now}, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		draft := storetest.Draft(1)
		draft.Lists, draft.Tags = nil, nil
		var lists []waymark.List
		var tags []waymark.Tag
		for i, text := range texts {
			lists = append(lists, waymark.List{Name: text, Description: texts[len(texts)-1-i], Visibility: waymark.Private})
			tags = append(tags, waymark.Tag{Name: text, Visibility: waymark.Private})
		}
		lists = append(lists, waymark.List{Name: "no description", Visibility: waymark.Private})
		lists, err := s.CreateLists(t.Context(), ada.ID, lists)
		if err != nil {
			t.Fatal(err)
		}
		tags, err = s.CreateTags(t.Context(), ada.ID, tags)
		if err != nil {
			t.Fatal(err)
		}
		listsByID, tagsByID := map[waymark.ListID]waymark.List{}, map[waymark.TagID]waymark.Tag{}
		for _, list := range lists {
			listsByID[list.ID] = list
			draft.Lists = append(draft.Lists, waymark.Ref{ID: int64(list.ID)})
		}
		for _, tag := range tags {
			tagsByID[tag.ID] = tag
			draft.Tags = append(draft.Tags, waymark.Ref{ID: int64(tag.ID)})
		}
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		for _, got := range link.Lists {
			wantEqual(t, "list", got, listsByID[got.ID])
		}
		for _, got := range link.Tags {
			wantEqual(t, "tag", got, tagsByID[got.ID])
		}
		if len(link.Lists) != len(lists) || len(link.Tags) != len(tags) {
			t.Errorf("got %d lists and %d tags, want %d and %d", len(link.Lists), len(link.Tags), len(lists), len(tags))
		}
	})
}

func TestManyLinksHaveTheListsAndTagsOfEachLink(t *testing.T) {
	storetest.EachWith(t, store.Options{}, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		hidden := createTag(t, s, bob, "visible at first", waymark.Public)
		var drafts []waymark.LinkDraft
		for i := range 620 { // two batches
			draft := storetest.Draft(i)
			draft.Lists = refs([]string{"one", "two", "three"}[:i%4]...)
			draft.Tags = append(refs(fmt.Sprint("Tag ", i%9), fmt.Sprint("tag ", i%40)), waymark.Ref{ID: int64(hidden.ID)})
			drafts = append(drafts, draft)
		}
		created := storetest.CreateLinks(t, s, ada, drafts...)
		check := func(got []waymark.Link) {
			t.Helper()
			for i, link := range got {
				want, err := s.Link(t.Context(), ada.ID, created[i].ID)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, link); diff != "" {
					t.Fatalf("link %d, read alone (-) and with others (+):\n%s", link.ID, diff)
				}
			}
		}
		check(created)
		wantLabels(t, s, ada, created[7].ID, "[one three two] [Tag 7 visible at first]")

		private := waymark.Private
		if _, err := s.EditTags(t.Context(), bob.ID, []int64{int64(hidden.ID)}, waymark.BulkEdit{Visibility: &private}, ownedBy(bob)); err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for _, link := range created {
			ids = append(ids, int64(link.ID))
		}
		changed, err := s.EditLinks(t.Context(), ada, ids, waymark.BulkEdit{Tags: refs("added")}, ownedBy(ada))
		edited, err := all(t, changed, err)
		if err != nil || len(edited) != len(ids) {
			t.Fatalf("%d links (error %v), want %d", len(edited), err, len(ids))
		}
		check(edited)
		wantLabels(t, s, ada, created[7].ID, "[one three two] [added Tag 7]")
	})
}
