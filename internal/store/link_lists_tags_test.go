package store_test

import (
	"fmt"
	"sync"
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
	if err != nil {
		t.Fatal(err)
	}
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

func TestCreateLinksFindsOrCreatesListsAndTags(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		existing := createTag(t, s, ada, "Straße", waymark.Public)
		shared := createTag(t, s, bob, "shared", waymark.Internal)
		hidden := createTag(t, s, bob, "hidden", waymark.Private)
		trashed := createTag(t, s, ada, "trashed", waymark.Private)
		moveToTrash(t, s, ada, waymark.Tags, trashed.ID)
		older, newer := createList(t, s, ada, "Twice", waymark.Private), createList(t, s, ada, "twice", waymark.Private)

		link := storetest.CreateLinks(t, s, ada, waymark.LinkDraft{
			Link: waymark.Link{URL: "https://a.example/", Title: "A", Visibility: waymark.Public, Status: waymark.StatusOK},
			Tags: []waymark.Ref{
				{Name: "STRASSE"}, {ID: int64(existing.ID)}, {Name: "new"}, {Name: "NEW"},
				{ID: int64(shared.ID)}, {ID: int64(hidden.ID)}, {ID: int64(trashed.ID)}, {ID: 12345}, {Name: "shared"},
			},
			Lists: []waymark.Ref{{Name: "TWICE"}, {Name: "another"}},
		})[0]
		wantLabels(t, s, ada, link.ID, "[another Twice] [new shared shared Straße]")
		wantIDs(t, "lists", link.Lists[1:], listID, older.ID)
		if link.Lists[1].ID == newer.ID {
			t.Error("the link is in the newer list of that name")
		}
		for _, tag := range link.Tags {
			switch tag.Name {
			case "new":
				if tag.Owner != ada.ID || tag.Visibility != ada.DefaultVisibility.Tags {
					t.Errorf("got new tag %+v, want owner %d and visibility %s", tag, ada.ID, ada.DefaultVisibility.Tags)
				}
			case "Straße":
				wantEqual(t, "existing tag", tag, existing)
			}
		}
		wantLabels(t, s, bob, link.ID, "[] [shared Straße]") // bob's own tag, and ada's public one
	})
}

func TestConcurrentWritesCreateATagOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		var writers sync.WaitGroup
		for i := range 20 {
			writers.Go(func() {
				draft := storetest.Draft(i)
				draft.Tags, draft.Lists = refs("New Tag", fmt.Sprint("own ", i)), refs("New List")
				if _, err := s.CreateLinks(t.Context(), ada, []waymark.LinkDraft{draft}); err != nil {
					t.Error(err)
				}
			})
		}
		writers.Wait()
		tags, err := s.SuggestTags(ada.ID, "new tag", 0).Page(t.Context())
		if err != nil || tags.Total != 1 {
			t.Errorf("%d tags (error %v), want 1", tags.Total, err)
		}
		lists, err := s.SuggestLists(ada.ID, "new list", 0).Page(t.Context())
		if err != nil || lists.Total != 1 {
			t.Errorf("%d lists (error %v), want 1", lists.Total, err)
		}
		if links := allLinks(t, s, ada); len(links) != 20 {
			t.Errorf("%d links, want 20", len(links))
		}
	})
}

func TestTrashedListsAndTagsOfLinksAreHidden(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		draft := storetest.Draft(1)
		draft.Lists, draft.Tags = refs("list one", "list two"), refs("tag one", "tag two")
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		moveToTrash(t, s, ada, waymark.Lists, link.Lists[0].ID)
		moveToTrash(t, s, ada, waymark.Tags, link.Tags[1].ID)
		wantLabels(t, s, ada, link.ID, "[list two] [tag one]")
		restore(t, s, ada, waymark.Lists, link.Lists[0].ID)
		restore(t, s, ada, waymark.Tags, link.Tags[1].ID)
		wantLabels(t, s, ada, link.ID, "[list one list two] [tag one tag two]")
	})
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

func TestListsAndTagsOfALinkAreSortedByName(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		draft := storetest.Draft(1)
		draft.Tags = refs("ö", "z", "B", "a", "Ä", "_", "я", "10", "9")
		draft.Lists = refs("b", "C", "a")
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		wantLabels(t, s, ada, link.ID, "[a b C] [10 9 _ a B z Ä ö я]")
	})
}

func TestLinksOfListsAndTagsAreThoseThatTheViewerSees(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		list, tag := createList(t, s, ada, "list", waymark.Public), createTag(t, s, ada, "tag", waymark.Public)
		add := func(owner waymark.User, url string, v waymark.Visibility) waymark.Link {
			return storetest.CreateLinks(t, s, owner, waymark.LinkDraft{
				Link:  waymark.Link{URL: url, Title: url, Visibility: v, Status: waymark.StatusOK},
				Lists: []waymark.Ref{{ID: int64(list.ID)}},
				Tags:  []waymark.Ref{{ID: int64(tag.ID)}},
			})[0]
		}
		public := add(ada, "https://a.example/public", waymark.Public)
		private := add(ada, "https://a.example/private", waymark.Private)
		bobs := add(bob, "https://b.example/public", waymark.Internal)
		bobsPrivate := add(bob, "https://b.example/private", waymark.Private)
		trashed := add(ada, "https://a.example/trashed", waymark.Public)
		moveToTrash(t, s, ada, waymark.Links, trashed.ID)

		check := func(viewer waymark.User, want ...waymark.LinkID) {
			t.Helper()
			inList := readPage(t, s.LinksOfList(viewer.ID, list.ID, byID, unlimited))
			wantIDs(t, viewer.Name+", list", inList.Entities, linkID, want...)
			withTag := readPage(t, s.LinksOfTag(viewer.ID, tag.ID, byID, unlimited))
			wantIDs(t, viewer.Name+", tag", withTag.Entities, linkID, want...)
			if inList.Total != len(want) || withTag.Total != len(want) {
				t.Errorf("%s: totals %d and %d, want %d", viewer.Name, inList.Total, withTag.Total, len(want))
			}
		}
		check(ada, public.ID, private.ID, bobs.ID)
		check(bob, public.ID, bobs.ID, bobsPrivate.ID)

		restore(t, s, ada, waymark.Links, trashed.ID)
		visibility := waymark.Private
		if _, err := s.EditLinks(t.Context(), ada, []int64{int64(public.ID)}, waymark.BulkEdit{Visibility: &visibility}, ownedBy(ada)); err != nil {
			t.Fatal(err)
		}
		check(ada, public.ID, private.ID, bobs.ID, trashed.ID)
		check(bob, bobs.ID, bobsPrivate.ID, trashed.ID)
	})
}

func TestStreamHasTheListsAndTagsOfEachLink(t *testing.T) {
	storetest.EachWith(t, store.Options{}, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		storetest.Fill(t, s, ada, 1100)
		labels := map[string]int{}
		for _, viewer := range []waymark.User{ada, bob} {
			all := readPage(t, s.Links(viewer.ID, byID, unlimited))
			if len(all.Entities) < 600 {
				t.Errorf("got %d links for %s, want several batches", len(all.Entities), viewer.Name)
			}
			for _, got := range all.Entities {
				want, err := s.Link(t.Context(), viewer.ID, got.ID)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("link %d for %s, read alone (-) and in the stream (+):\n%s", got.ID, viewer.Name, diff)
				}
				labels[viewer.Name] += len(got.Lists) + len(got.Tags)
			}
		}
		// Ada's lists and tags are private, so that bob sees none.
		if labels["ada"] < 1100 || labels["bob"] > 0 {
			t.Errorf("got %v lists and tags, want at least 1100 for ada and none for bob", labels)
		}
	})
}
