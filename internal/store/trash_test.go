package store_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestDeleteManyDeletesPermittedActiveEntities(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		active, old := createTag(t, s, ada, "active", waymark.Private), createTag(t, s, ada, "old", waymark.Private)
		bobs := createTag(t, s, bob, "bobs", waymark.Public)
		moveToTrash(t, s, ada, waymark.Tags, old.ID)
		before := readTrash(t, s.TrashedTags, ada)[0]
		trashed, err := s.DeleteMany(t.Context(), ada.ID, waymark.Tags, []int64{int64(active.ID), int64(bobs.ID), int64(old.ID), 999, math.MaxInt64, 1<<53 + 1, 0, -1, int64(active.ID)}, ownedBy(ada))
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "deleted ids", trashed, map[int64]bool{int64(active.ID): true})
		got := readTrash(t, s.TrashedTags, ada)
		wantIDs(t, "trash", got, tagID, active.ID, old.ID)
		wantEqual(t, "tag that was in the trash before", got[1], before)
		if got[0].DeletedAt == 0 {
			t.Error("the time of the deletion is not stored")
		}
		wantIDs(t, "trash of the other user", readTrash(t, s.TrashedTags, bob), tagID)
	})
}

func TestDeleteManyWithoutIDsDeletesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		trashed, err := s.DeleteMany(t.Context(), ada.ID, waymark.Links, nil, ownedBy(ada))
		if err != nil || len(trashed) != 0 {
			t.Errorf("got %v (error %v), want no ids", trashed, err)
		}
		wantIDs(t, "trash", readTrash(t, s.TrashedLinks, ada), linkID)
		wantError(t, "clear", s.ClearTrash(t.Context(), ada.ID, waymark.Links), nil)
	})
}

func TestTrashedLinkKeepsItsListsTagsAndNotes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		draft := storetest.Draft(1)
		draft.Lists, draft.Tags = refs("list"), refs("tag one", "tag two")
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		note := createNote(t, s, ada, link.ID, "a note", waymark.Private)
		moveToTrash(t, s, ada, waymark.Links, link.ID)

		trashed := readTrash(t, s.TrashedLinks, ada)
		if len(trashed) != 1 || trashed[0].DeletedAt == 0 {
			t.Fatalf("got trash %+v, want one link", trashed)
		}
		wantEqual(t, "lists of the link in the trash", trashed[0].Lists, link.Lists)
		wantEqual(t, "tags of the link in the trash", trashed[0].Tags, link.Tags)

		restore(t, s, ada, waymark.Links, link.ID)
		got, err := s.Link(t.Context(), ada.ID, link.ID)
		if err != nil {
			t.Fatal(err)
		}
		link.UpdatedAt = got.UpdatedAt
		wantEqual(t, "restored link", got, link)
		wantIDs(t, "notes of the restored link", notesOf(t, s, ada, link.ID), noteID, note.ID)
	})
}

func TestTrashIsSearchedByWordsOfItsOwner(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		draft := func(url, title, description string) waymark.LinkDraft {
			return waymark.LinkDraft{Link: waymark.Link{URL: url, Title: title, Description: description, Visibility: waymark.Public}}
		}
		links := storetest.CreateLinks(t, s, ada, draft("https://one.example/", "Straße", ""), draft("https://two.example/", "", "strasse und Weg"), draft("https://strasse.example/", "", ""))
		theirs := storetest.CreateLinks(t, s, bob, draft("https://one.example/", "Straße", ""))[0]
		moveToTrash(t, s, ada, waymark.Links, links[0].ID, links[1].ID)
		moveToTrash(t, s, bob, waymark.Links, theirs.ID)
		for _, test := range []struct {
			words, excluded []string
			want            []waymark.LinkID
		}{
			{nil, nil, []waymark.LinkID{links[0].ID, links[1].ID}},
			{[]string{"STRASSE"}, nil, []waymark.LinkID{links[0].ID, links[1].ID}},
			{[]string{"strasse", "weg"}, nil, []waymark.LinkID{links[1].ID}},
			{[]string{"one.EXAMPLE"}, nil, []waymark.LinkID{links[0].ID}},
			{[]string{"%"}, nil, nil},
			{[]string{"\x00"}, nil, nil},
			{[]string{"strasse"}, []string{"WEG"}, []waymark.LinkID{links[0].ID}},
			{nil, []string{"strasse"}, nil},
			{nil, []string{"\x00"}, []waymark.LinkID{links[0].ID, links[1].ID}},
		} {
			found, err := s.SearchTrashedLinks(ada.ID, test.words, test.excluded).LastChanged(waymark.Pagination{Limit: 10}).Page(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(found.Entities, func(a, b waymark.Link) int { return int(a.ID - b.ID) })
			wantIDs(t, fmt.Sprint(test.words, test.excluded), found.Entities, linkID, test.want...)
			if found.Total != len(test.want) {
				t.Errorf("%v without %v: got the total %d, want %d", test.words, test.excluded, found.Total, len(test.want))
			}
		}
	})
}

func TestTrashedLinkIsReadByItsOwnerOnly(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		draft := storetest.Draft(1)
		draft.Link.Visibility = waymark.Public
		draft.Lists, draft.Tags = refs("list"), refs("tag")
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		_, err := s.TrashedLink(t.Context(), ada.ID, link.ID)
		wantError(t, "an active link", err, waymark.ErrNotFound)
		moveToTrash(t, s, ada, waymark.Links, link.ID)
		got, err := s.TrashedLink(t.Context(), ada.ID, link.ID)
		if err != nil || got.ID != link.ID || got.DeletedAt == 0 || len(got.Lists) != 1 || len(got.Tags) != 1 {
			t.Errorf("got %+v and %v, want the link with its list and tag", got, err)
		}
		for name, viewer := range map[string]waymark.UserID{"another user": bob.ID, "a guest": waymark.Guest} {
			_, err := s.TrashedLink(t.Context(), viewer, link.ID)
			wantError(t, name, err, waymark.ErrNotFound)
		}
	})
}

func TestURLOfATrashedLinkCanBeUsedAgain(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		first := storetest.Link(t, s, ada, "https://go.dev/", waymark.Private)
		moveToTrash(t, s, ada, waymark.Links, first.ID)
		second := storetest.Link(t, s, ada, "https://go.dev/", waymark.Private)
		err := s.Restore(t.Context(), waymark.Links, int64(first.ID), ownedBy(ada))
		wantError(t, "restore a link whose URL exists again", err, waymark.ErrConflict)
		wantIDs(t, "trash", readTrash(t, s.TrashedLinks, ada), linkID, first.ID)
		wantIDs(t, "links", allLinks(t, s, ada), linkID, second.ID)
		moveToTrash(t, s, ada, waymark.Links, second.ID)
		restore(t, s, ada, waymark.Links, first.ID)
		wantIDs(t, "links after the restore", allLinks(t, s, ada), linkID, first.ID)
	})
}

func TestRestoreNeedsPermission(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
		restore(t, s, ada, waymark.Links, link.ID) // is active: no change
		if got, err := s.Link(t.Context(), ada.ID, link.ID); err != nil || got.UpdatedAt != link.UpdatedAt {
			t.Errorf("the restore of an active link changed it to %+v (error %v)", got, err)
		}
		moveToTrash(t, s, ada, waymark.Links, link.ID)
		wantError(t, "by another user", s.Restore(t.Context(), waymark.Links, int64(link.ID), ownedBy(bob)), waymark.ErrForbidden)
		wantError(t, "unknown id", s.Restore(t.Context(), waymark.Links, 999, ownedBy(ada)), waymark.ErrNotFound)
		wantError(t, "id of another kind of entity", s.Restore(t.Context(), waymark.Notes, int64(link.ID), ownedBy(ada)), waymark.ErrNotFound)
	})
}

// A Restore and a ClearTrash at the same time run one after the other: after a successful
// Restore the link exists.
func TestConcurrentClearTrashKeepsRestoredLinks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		for i := range 50 {
			link := storetest.Link(t, s, ada, fmt.Sprintf("https://%d.example", i), waymark.Private)
			moveToTrash(t, s, ada, waymark.Links, link.ID)
			cleared := make(chan error, 1)
			go func() { cleared <- s.ClearTrash(t.Context(), ada.ID, waymark.Links) }()
			restored := s.Restore(t.Context(), waymark.Links, int64(link.ID), ownedBy(ada))
			if err := <-cleared; err != nil {
				t.Fatal(err)
			}
			if _, err := s.Link(t.Context(), ada.ID, link.ID); !errors.Is(err, restored) {
				t.Fatalf("got error %v for the link, want %v as from Restore", err, restored)
			}
		}
	})
}

func TestClearTrashDeletesOneKindOfAUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		draft := storetest.Draft(1)
		draft.Link.Visibility = waymark.Public
		draft.Lists, draft.Tags = refs("list"), refs("tag", "other tag")
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		active := storetest.Link(t, s, ada, "https://active.example/", waymark.Public, "tag")
		note := createNote(t, s, bob, link.ID, "by bob", waymark.Public)
		bobs := storetest.Link(t, s, bob, "https://bob.example/", waymark.Private)
		tag := active.Tags[0]

		moveToTrash(t, s, ada, waymark.Links, link.ID)
		moveToTrash(t, s, bob, waymark.Links, bobs.ID)
		moveToTrash(t, s, ada, waymark.Tags, tag.ID)
		if err := s.ClearTrash(t.Context(), ada.ID, waymark.Links); err != nil {
			t.Fatal(err)
		}
		wantIDs(t, "ada's trash", readTrash(t, s.TrashedLinks, ada), linkID)
		wantIDs(t, "bob's trash", readTrash(t, s.TrashedLinks, bob), linkID, bobs.ID)
		wantIDs(t, "ada's tags in the trash", readTrash(t, s.TrashedTags, ada), tagID, tag.ID)
		wantError(t, "restore a deleted link", s.Restore(t.Context(), waymark.Links, int64(link.ID), ownedBy(ada)), waymark.ErrNotFound)
		wantError(t, "restore a note on a deleted link", s.Restore(t.Context(), waymark.Notes, int64(note.ID), ownedBy(bob)), waymark.ErrNotFound)

		if err := s.ClearTrash(t.Context(), ada.ID, waymark.Tags); err != nil {
			t.Fatal(err)
		}
		wantLabels(t, s, ada, active.ID, "[] []")
		later := storetest.Link(t, s, ada, "https://later.example/", waymark.Public, "tag")
		if later.Tags[0].ID == tag.ID {
			t.Error("a new tag has the id of the deleted one")
		}
	})
}

func TestTrashIsSortedByID(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		var ids, want []waymark.LinkID
		for _, link := range storetest.Fill(t, s, ada, 600) {
			ids = append(ids, link.ID)
			want = append(want, link.ID)
		}
		moveToTrash(t, s, ada, waymark.Links, ids...)
		wantIDs(t, "trash", readTrash(t, s.TrashedLinks, ada), linkID, want...)
		wantIDs(t, "links", allLinks(t, s, ada), linkID)
	})
}

func TestRestoredNoteIsListed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
		note := createNote(t, s, bob, link.ID, "by bob", waymark.Public)
		moveToTrash(t, s, bob, waymark.Notes, note.ID)
		wantIDs(t, "notes of the link", notesOf(t, s, ada, link.ID), noteID)
		wantIDs(t, "trash", readTrash(t, s.TrashedNotes, bob), noteID, note.ID)
		restore(t, s, bob, waymark.Notes, note.ID)
		wantIDs(t, "notes of the link after the restore", notesOf(t, s, ada, link.ID), noteID, note.ID)
	})
}

func TestRestoreManyRestoresOneOfSeveralWithTheSameURLOrName(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		var links []int64
		for range 3 { // the same URL three times, all in the trash
			link := storetest.Link(t, s, ada, "https://a.example/", waymark.Private)
			links = append(links, int64(link.ID))
			moveToTrash(t, s, ada, waymark.Links, link.ID)
		}
		other := storetest.Link(t, s, bob, "https://a.example/", waymark.Private)
		moveToTrash(t, s, bob, waymark.Links, other.ID)
		restore := func(kind waymark.EntityKind, ids []int64, want map[int64]bool) {
			t.Helper()
			got, err := s.RestoreMany(t.Context(), ada.ID, kind, ids, anyOwner)
			if err != nil {
				t.Fatal(err)
			}
			wantEqual(t, fmt.Sprint("restored ", kind), got, want)
		}
		restore(waymark.Links, append(links, int64(other.ID), 99), map[int64]bool{links[2]: true, int64(other.ID): true})
		restore(waymark.Links, links, map[int64]bool{}) // one of them is active
		first := createTag(t, s, ada, "Go", waymark.Private)
		moveToTrash(t, s, ada, waymark.Tags, first.ID)
		second := createTag(t, s, ada, "gO", waymark.Private)
		restore(waymark.Tags, []int64{int64(first.ID), int64(second.ID)}, map[int64]bool{})
		moveToTrash(t, s, ada, waymark.Tags, second.ID)
		restore(waymark.Tags, []int64{int64(first.ID), int64(second.ID)}, map[int64]bool{int64(second.ID): true})
		if got, err := s.RestoreMany(t.Context(), ada.ID, waymark.Links, links, func(waymark.UserID) error { return waymark.ErrForbidden }); err != nil || len(got) != 0 {
			t.Errorf("not permitted: restored %v, error %v", got, err)
		}
	})
}
