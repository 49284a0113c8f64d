package store_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// wantLabels checks the names of a link's lists and tags that viewer sees.
func wantLabels(t testing.TB, s *store.Store, viewer waymark.User, id waymark.LinkID, want string) {
	t.Helper()
	link, err := s.Link(t.Context(), viewer.ID, id)
	check(t, err)
	var lists, tags []string
	for _, list := range link.Lists {
		lists = append(lists, list.Name)
	}
	for _, tag := range link.Tags {
		tags = append(tags, tag.Name)
	}
	if got := fmt.Sprint(lists, tags); got != want {
		t.Errorf("link %d for %q has lists and tags %s, want %s", id, viewer.Name, got, want)
	}
}

// setLabels replaces the lists and tags of a link.
func setLabels(t testing.TB, s *store.Store, editor waymark.User, id waymark.LinkID, lists, tags []waymark.Ref) {
	t.Helper()
	if _, err := s.ChangeLink(t.Context(), editor, id, &lists, &tags, func(*waymark.Link) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

func TestReplacedListsAndTagsAreThoseThatTheEditorSees(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		bobs := createTag(t, s, bob, "bobs", waymark.Public)
		draft := storetest.Draft(1)
		draft.Link.Visibility = waymark.Public
		draft.Lists = refs("in the trash", "removed")
		draft.Tags = append(refs("removed"), waymark.Ref{ID: int64(bobs.ID)})
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		trashed := link.Lists[0]
		if trashed.Name != "in the trash" {
			t.Fatalf("lists %v are not sorted by name", link.Lists)
		}
		moveToTrash(t, s, ada, waymark.Lists, trashed.ID)
		private := waymark.Private
		if _, err := s.EditTags(t.Context(), bob.ID, []int64{int64(bobs.ID)}, waymark.BulkEdit{Visibility: &private}, ownedBy(bob)); err != nil {
			t.Fatal(err)
		}

		setLabels(t, s, ada, link.ID, refs("new"), nil)
		wantLabels(t, s, ada, link.ID, "[new] []")
		wantLabels(t, s, bob, link.ID, "[] [bobs]")
		restore(t, s, ada, waymark.Lists, trashed.ID)
		wantLabels(t, s, ada, link.ID, "[new] []")
	})
}

func TestStreamHasTheListsAndTagsOfEachLink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		storetest.Fill(t, s, ada, 700)
		labels := map[string]int{}
		for _, viewer := range []waymark.User{ada, bob} {
			all := readPage(t, s.Links(viewer.ID, byID, unlimited))
			for _, got := range all.Entities {
				want, err := s.Link(t.Context(), viewer.ID, got.ID)
				check(t, err)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("link %d for %s, read alone (-) and in the stream (+):\n%s", got.ID, viewer.Name, diff)
				}
				labels[viewer.Name] += len(got.Lists) + len(got.Tags)
			}
		}
		// Ada's lists and tags are private, so that bob sees none.
		if labels["ada"] < 700 || labels["bob"] > 0 {
			t.Errorf("got %v lists and tags, want at least 700 for ada and none for bob", labels)
		}
	})
}
