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
			{ada.ID, 100, []string{"a", "b", "c", "d", "e", "中", "\ud7ff", "\ue000", "\U0010ffff"}},
			{ada.ID, 3, []string{"a", "b", "c"}},
			{bob.ID, 100, []string{"a", "c", "d", "e"}},
			{waymark.Guest, 100, []string{"a", "c"}},
		} {
			got, err := s.TagLetters(t.Context(), test.viewer, test.limit)
			check(t, err)
			wantEqual(t, "letters of user "+strconv.FormatInt(int64(test.viewer), 10), got, test.want)
			tags, err := s.SearchTags(t.Context(), test.viewer, waymark.LabelFilter{}, waymark.Order{By: waymark.SortByName}, waymark.Pagination{})
			check(t, err)
			for _, letter := range got {
				before, err := s.TagsBefore(t.Context(), test.viewer, letter)
				check(t, err)
				want := slices.IndexFunc(tags.Entities, func(tag waymark.Tag) bool { return waymark.CompareNames(waymark.Plain(tag.Name), letter) >= 0 })
				wantEqual(t, "tags before "+strconv.QuoteToASCII(letter), before, want)
			}
		}
	})
}

func TestEmptyLabelsHaveNoLinksThatTheViewerSees(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		list := func(owner waymark.User, name string, parent waymark.ListID) waymark.ListID {
			t.Helper()
			created, err := s.CreateList(t.Context(), owner.ID, waymark.List{Name: name, Parent: parent, Visibility: waymark.Private})
			check(t, err)
			return created.ID
		}
		used, parent, empty := list(ada, "used", 0), list(ada, "parent", 0), list(ada, "empty", 0)
		below, trashed := list(ada, "below", parent), list(ada, "trashed", 0)
		list(ada, "empty below", empty)
		list(bob, "of bob", 0)
		for i, id := range []waymark.ListID{used, below, trashed} {
			link, err := s.CreateLink(t.Context(), ada, waymark.LinkDraft{Link: waymark.Link{URL: "https://example.org/" + strconv.Itoa(i), Visibility: waymark.Private},
				Lists: []waymark.Ref{{ID: int64(id)}}, Tags: []waymark.Ref{{Name: "tag " + strconv.Itoa(i)}}})
			check(t, err)
			if id == trashed {
				check(t, s.Delete(t.Context(), ada, waymark.Links, int64(link.ID)))
			}
		}
		for _, order := range []waymark.SortField{waymark.SortByName, waymark.SortByLinks, waymark.SortByCreatedAt} {
			filter := waymark.LabelFilter{Owner: ada.ID, Empty: true}
			lists, err := s.SearchLists(t.Context(), ada.ID, filter, waymark.Order{By: order}, waymark.Pagination{})
			check(t, err)
			var names []string
			for _, l := range lists.Entities {
				names = append(names, l.Name)
			}
			slices.Sort(names)
			wantEqual(t, "empty lists", names, []string{"empty", "empty below", "trashed"})
			tags, err := s.SearchTags(t.Context(), ada.ID, filter, waymark.Order{By: order}, waymark.Pagination{Limit: 1})
			check(t, err)
			if tags.Total != 1 || tags.Entities[0].Name != "tag 2" {
				t.Errorf("empty tags: got %+v, want the one of the link in the trash", tags)
			}
		}
	})
}
