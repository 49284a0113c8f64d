package store_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestTrashTakesOnlyWhatIsActiveAndTheEditorsOwn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		mine, old := createTag(t, s, ada, "mine", waymark.Private), createTag(t, s, ada, "old", waymark.Private)
		bobs := createTag(t, s, bob, "bobs", waymark.Public)
		moveToTrash(t, s, ada, waymark.Tags, old.ID)
		before := readTrash(t, s.TrashedTags, ada)[0]
		trashed, err := s.DeleteMany(t.Context(), waymark.Tags, []int64{int64(mine.ID), int64(bobs.ID), int64(old.ID), 999, math.MaxInt64, 1<<53 + 1, 0, -1, int64(mine.ID)}, ownedBy(ada))
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "what went", trashed, map[int64]bool{int64(mine.ID): true})
		got := readTrash(t, s.TrashedTags, ada)
		wantIDs(t, "trash", got, tagID, mine.ID, old.ID)
		wantEqual(t, "what was there already", got[1], before)
		if got[0].DeletedAt == 0 {
			t.Error("when it went is not kept")
		}
		wantIDs(t, "another's trash", readTrash(t, s.TrashedTags, bob), tagID)
	})
}

func TestTrashOfNothingIsNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		trashed, err := s.DeleteMany(t.Context(), waymark.Links, nil, ownedBy(ada))
		if err != nil || len(trashed) != 0 {
			t.Errorf("got %v, error %v", trashed, err)
		}
		wantIDs(t, "trash", readTrash(t, s.TrashedLinks, ada), linkID)
		wantError(t, "clear", s.ClearTrash(t.Context(), ada.ID, waymark.Links), nil)
	})
}

func TestTrashedLinkKeepsWhatItIsFiledInAndItsNotes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		draft := storetest.Draft(1)
		draft.Lists, draft.Tags = refs("list"), refs("tag one", "tag two")
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		note := createNote(t, s, ada, link.ID, "a note", waymark.Private)
		moveToTrash(t, s, ada, waymark.Links, link.ID)

		trashed := readTrash(t, s.TrashedLinks, ada)
		if len(trashed) != 1 || trashed[0].DeletedAt == 0 {
			t.Fatalf("trash holds %+v", trashed)
		}
		wantEqual(t, "its lists in the trash", trashed[0].Lists, link.Lists)
		wantEqual(t, "its tags in the trash", trashed[0].Tags, link.Tags)

		restore(t, s, ada, waymark.Links, link.ID)
		got, err := s.Link(t.Context(), ada.ID, link.ID)
		if err != nil {
			t.Fatal(err)
		}
		link.UpdatedAt = got.UpdatedAt
		wantEqual(t, "the link that came back", got, link)
		wantIDs(t, "its notes", notesOf(t, s, ada, link.ID), noteID, note.ID)
	})
}

func TestTrashNeverBlocksAnAddress(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		first := storetest.Link(t, s, ada, "https://go.dev/", waymark.Private)
		moveToTrash(t, s, ada, waymark.Links, first.ID)
		second := storetest.Link(t, s, ada, "https://go.dev/", waymark.Private)
		err := s.Restore(t.Context(), waymark.Links, int64(first.ID), ownedBy(ada))
		wantError(t, "restore of what is taken meanwhile", err, waymark.ErrConflict)
		wantIDs(t, "trash", readTrash(t, s.TrashedLinks, ada), linkID, first.ID)
		wantIDs(t, "links", allLinks(t, s, ada), linkID, second.ID)
		moveToTrash(t, s, ada, waymark.Links, second.ID)
		restore(t, s, ada, waymark.Links, first.ID)
		wantIDs(t, "links afterwards", allLinks(t, s, ada), linkID, first.ID)
	})
}

func TestRestoreIsForTheOwnerAlone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
		restore(t, s, ada, waymark.Links, link.ID) // active already: nothing happens
		if got, err := s.Link(t.Context(), ada.ID, link.ID); err != nil || got.UpdatedAt != link.UpdatedAt {
			t.Errorf("restoring what is active made it %+v (error %v)", got, err)
		}
		moveToTrash(t, s, ada, waymark.Links, link.ID)
		wantError(t, "another's", s.Restore(t.Context(), waymark.Links, int64(link.ID), ownedBy(bob)), waymark.ErrForbidden)
		wantError(t, "unknown", s.Restore(t.Context(), waymark.Links, 999, ownedBy(ada)), waymark.ErrNotFound)
		wantError(t, "of another kind", s.Restore(t.Context(), waymark.Notes, int64(link.ID), ownedBy(ada)), waymark.ErrNotFound)
	})
}

// Of a restoring and a clearing at the same time, either comes first: who is told
// that the link is back finds it.
func TestRestoredLinkIsNotClearedAway(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ann := storetest.User(t, s, "ann")
		for i := range 50 {
			link := storetest.Link(t, s, ann, fmt.Sprintf("https://%d.example", i), waymark.Private)
			if _, err := s.DeleteMany(t.Context(), waymark.Links, []int64{int64(link.ID)}, ownedBy(ann)); err != nil {
				t.Fatal(err)
			}
			cleared := make(chan error, 1)
			go func() { cleared <- s.ClearTrash(t.Context(), ann.ID, waymark.Links) }()
			restored := s.Restore(t.Context(), waymark.Links, int64(link.ID), ownedBy(ann))
			if err := <-cleared; err != nil {
				t.Fatal(err)
			}
			if _, err := s.Link(t.Context(), ann.ID, link.ID); !errors.Is(err, restored) {
				t.Fatalf("got %v for the link, and its restoring had answered %v", err, restored)
			}
		}
	})
}

func TestClearTrashErasesTheOwnersEntriesOfOneKindAndWhatHangsOnThem(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		draft := storetest.Draft(1)
		draft.Link.Visibility = waymark.Public
		draft.Lists, draft.Tags = refs("list"), refs("tag", "other tag")
		link := storetest.CreateLinks(t, s, ada, draft)[0]
		kept := storetest.Link(t, s, ada, "https://kept.example/", waymark.Public, "tag")
		note := createNote(t, s, bob, link.ID, "by bob", waymark.Public)
		bobs := storetest.Link(t, s, bob, "https://bob.example/", waymark.Private)
		tag := kept.Tags[0]

		moveToTrash(t, s, ada, waymark.Links, link.ID)
		moveToTrash(t, s, bob, waymark.Links, bobs.ID)
		moveToTrash(t, s, ada, waymark.Tags, tag.ID)
		if err := s.ClearTrash(t.Context(), ada.ID, waymark.Links); err != nil {
			t.Fatal(err)
		}
		wantIDs(t, "ada's trash", readTrash(t, s.TrashedLinks, ada), linkID)
		wantIDs(t, "bob's trash", readTrash(t, s.TrashedLinks, bob), linkID, bobs.ID)
		wantIDs(t, "ada's tags in the trash", readTrash(t, s.TrashedTags, ada), tagID, tag.ID)
		wantError(t, "restore what is erased", s.Restore(t.Context(), waymark.Links, int64(link.ID), ownedBy(ada)), waymark.ErrNotFound)
		wantError(t, "the note of what is erased", s.Restore(t.Context(), waymark.Notes, int64(note.ID), ownedBy(bob)), waymark.ErrNotFound)

		if err := s.ClearTrash(t.Context(), ada.ID, waymark.Tags); err != nil {
			t.Fatal(err)
		}
		wantLabels(t, s, ada, kept.ID, "[] []")
		again := storetest.Link(t, s, ada, "https://again.example/", waymark.Public, "tag")
		if again.Tags[0].ID == tag.ID {
			t.Error("the id of a tag that was erased is given again")
		}
	})
}

func TestLongTrashIsShownById(t *testing.T) {
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

func TestTrashedNoteComesBack(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
		note := createNote(t, s, bob, link.ID, "by bob", waymark.Public)
		moveToTrash(t, s, bob, waymark.Notes, note.ID)
		wantIDs(t, "notes of the link", notesOf(t, s, ada, link.ID), noteID)
		wantIDs(t, "trash", readTrash(t, s.TrashedNotes, bob), noteID, note.ID)
		restore(t, s, bob, waymark.Notes, note.ID)
		wantIDs(t, "notes of the link afterwards", notesOf(t, s, ada, link.ID), noteID, note.ID)
	})
}
