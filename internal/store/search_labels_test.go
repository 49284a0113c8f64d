package store_test

import (
	"slices"
	"strconv"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestTagLettersAreThoseOfVisibleTags(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		add := func(owner waymark.User, visibility waymark.Visibility, names ...string) {
			t.Helper()
			var drafts []waymark.Tag
			for _, name := range names {
				drafts = append(drafts, waymark.Tag{Name: name, Visibility: visibility})
			}
			if _, err := s.CreateTags(t.Context(), owner.ID, drafts); err != nil {
				t.Fatal(err)
			}
		}
		// The largest code point, and those beside the surrogates, which are none.
		add(ada, waymark.Private, "apple", "a\U0010ffff", "a\U0010ffffz", "Banana", "éclair", "\ud7ffx", "\ue000y", "中", "\U0010ffff")
		add(bob, waymark.Public, "avocado", "cherry")
		add(bob, waymark.Internal, "date")
		add(bob, waymark.Private, "elder")
		for _, test := range []struct {
			viewer waymark.UserID
			limit  int
			want   []string
		}{
			{ada.ID, 100, []string{"a", "b", "c", "d", "é", "中", "\ud7ff", "\ue000", "\U0010ffff"}},
			{ada.ID, 3, []string{"a", "b", "c"}},
			{bob.ID, 100, []string{"a", "c", "d", "e"}},
			{waymark.Guest, 100, []string{"a", "c"}},
		} {
			got, err := s.TagLetters(t.Context(), test.viewer, test.limit)
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, "letters of user "+strconv.FormatInt(int64(test.viewer), 10), got, test.want)
			tags, err := s.SearchTags(t.Context(), test.viewer, waymark.LabelFilter{}, waymark.Order{By: waymark.SortByName}, waymark.Pagination{})
			if err != nil {
				t.Fatal(err)
			}
			for _, letter := range got {
				before, err := s.TagsBefore(t.Context(), test.viewer, letter)
				if err != nil {
					t.Fatal(err)
				}
				want := slices.IndexFunc(tags.Entities, func(tag waymark.Tag) bool { return waymark.Fold(tag.Name) >= letter })
				wantEqual(t, "tags before "+strconv.QuoteToASCII(letter), before, want)
			}
		}
	})
}
