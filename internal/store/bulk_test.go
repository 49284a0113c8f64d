package store_test

import (
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// all returns the entities that a bulk edit has changed.
func all[T any](t *testing.T, changed store.Changed[T], err error) ([]T, error) {
	t.Helper()
	if err != nil {
		return nil, err
	}
	return changed.All(t.Context())
}

func TestEditLinksReturnsLinksInTheOrderOfIDs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		a := storetest.Link(t, s, ada, "https://a.example/", waymark.Private, "old")
		b := storetest.Link(t, s, ada, "https://b.example/", waymark.Private)
		bobs := storetest.Link(t, s, bob, "https://bob.example/", waymark.Public)
		hidden := storetest.Link(t, s, bob, "https://hidden.example/", waymark.Private)
		trashed := storetest.Link(t, s, ada, "https://trashed.example/", waymark.Private)
		moveToTrash(t, s, ada, waymark.Links, trashed.ID)
		internal := waymark.Internal
		changed, err := s.EditLinks(t.Context(), ada, []int64{int64(b.ID), 999, int64(bobs.ID), int64(trashed.ID), int64(a.ID), int64(b.ID), int64(hidden.ID)}, waymark.BulkEdit{
			Visibility: &internal,
			Tags:       refs("new"),
			Lists:      refs("list"),
		}, ownedBy(ada))
		edited, err := all(t, changed, err)
		if err != nil {
			t.Fatal(err)
		}
		wantIDs(t, "edited", edited, linkID, b.ID, a.ID)
		for _, link := range edited {
			got, err := s.Link(t.Context(), ada.ID, link.ID)
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, "link when read again", got, link)
			if got.Visibility != internal {
				t.Errorf("link %d is %s, want internal", got.ID, got.Visibility)
			}
		}
		wantLabels(t, s, ada, a.ID, "[list] [new old]")
		wantLabels(t, s, ada, b.ID, "[list] [new]")
		wantLabels(t, s, bob, bobs.ID, "[] []")
	})
}

func TestEditLinksAddsReplacesOrRemovesListsAndTags(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		draft := storetest.Draft(0)
		draft.Lists, draft.Tags = refs("old list"), refs("old tag")
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		for _, step := range []struct {
			edit waymark.BulkEdit
			want string
		}{
			{waymark.BulkEdit{Lists: refs("new list"), Tags: refs("new tag")}, "[new list old list] [new tag old tag]"},
			{waymark.BulkEdit{Lists: refs("third list"), ListsMode: waymark.ReplaceRefs}, "[third list] [new tag old tag]"},
			{waymark.BulkEdit{Tags: refs("third tag", "OLD TAG"), TagsMode: waymark.ReplaceRefs}, "[third list] [old tag third tag]"},
			{waymark.BulkEdit{}, "[third list] [old tag third tag]"},
			{waymark.BulkEdit{Lists: refs("old list", "Third List"), ListsMode: waymark.RemoveRefs, Tags: refs("Old Tag", "unknown"), TagsMode: waymark.RemoveRefs}, "[] [third tag]"},
			{waymark.BulkEdit{Lists: refs("fourth list"), Tags: []waymark.Ref{{ID: 1}}, TagsMode: waymark.RemoveRefs}, "[fourth list] [third tag]"},
			{waymark.BulkEdit{ListsMode: waymark.ReplaceRefs, TagsMode: waymark.ReplaceRefs}, "[] []"},
		} {
			if _, err := s.EditLinks(t.Context(), ada, []int64{int64(link.ID)}, step.edit, ownedBy(ada)); err != nil {
				t.Fatal(err)
			}
			wantLabels(t, s, ada, link.ID, step.want)
			got, err := s.Link(t.Context(), ada.ID, link.ID)
			if err != nil || got.Visibility != link.Visibility {
				t.Errorf("got visibility %s (error %v), want %s as before", got.Visibility, err, link.Visibility)
			}
		}
	})
}

func TestEditLinksCreatesNoTagsWithoutPermission(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		bobs := storetest.Link(t, s, bob, "https://bob.example/", waymark.Public)
		changed, err := s.EditLinks(t.Context(), ada, []int64{int64(bobs.ID)}, waymark.BulkEdit{Tags: refs("new"), Lists: refs("new"), TagsMode: waymark.ReplaceRefs}, ownedBy(ada))
		edited, err := all(t, changed, err)
		if err != nil || len(edited) != 0 {
			t.Fatalf("got %v (error %v), want none", edited, err)
		}
		if tags, err := s.SuggestTags(ada.ID, "", 0).Page(t.Context()); err != nil || tags.Total != 0 {
			t.Errorf("got tags %v (error %v), want none", tags, err)
		}
	})
}

func TestEditLinksChangesAThousandLinks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		links := storetest.Fill(t, s, ada, 1000)
		var ids []int64
		for i := range links {
			ids = append(ids, int64(links[len(links)-1-i].ID))
		}
		public := waymark.Public
		changed, err := s.EditLinks(t.Context(), ada, ids, waymark.BulkEdit{Visibility: &public, Tags: refs("one", "two", "three"), TagsMode: waymark.ReplaceRefs}, ownedBy(ada))
		edited, err := all(t, changed, err)
		if err != nil || len(edited) != len(ids) {
			t.Fatalf("got %d links (error %v), want %d", len(edited), err, len(ids))
		}
		for i, link := range edited {
			if int64(link.ID) != ids[i] || link.Visibility != public || len(link.Tags) != 3 {
				t.Fatalf("result %d: link %d is %s with %d tags, want link %d, public, with 3", i, link.ID, link.Visibility, len(link.Tags), ids[i])
			}
		}
	})
}

func TestEditListsAndTagsChangePermittedOnes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		public := waymark.Public
		edit := waymark.BulkEdit{Visibility: &public}

		list, bobsList := createList(t, s, ada, "ada's", waymark.Private), createList(t, s, bob, "bob's", waymark.Private)
		changedlists, err := s.EditLists(t.Context(), ada.ID, []int64{int64(bobsList.ID), 999, int64(list.ID)}, edit, ownedBy(ada))
		lists, err := all(t, changedlists, err)
		if err != nil || len(lists) != 1 {
			t.Fatalf("got lists %v (error %v), want ada's", lists, err)
		}
		list.Visibility, list.UpdatedAt = public, lists[0].UpdatedAt
		wantEqual(t, "edited list", lists[0], list)

		tag, bobsTag := createTag(t, s, ada, "ada's", waymark.Private), createTag(t, s, bob, "bob's", waymark.Private)
		changedtags, err := s.EditTags(t.Context(), ada.ID, []int64{int64(bobsTag.ID), 999, int64(tag.ID)}, edit, ownedBy(ada))
		tags, err := all(t, changedtags, err)
		if err != nil || len(tags) != 1 {
			t.Fatalf("got tags %v (error %v), want ada's", tags, err)
		}
		tag.Visibility, tag.UpdatedAt = public, tags[0].UpdatedAt
		wantEqual(t, "edited tag", tags[0], tag)
	})
}
