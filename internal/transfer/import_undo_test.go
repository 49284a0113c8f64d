package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"waymark/internal/bookmarks"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestUndoneImportIsGone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		storetest.Link(t, s, ada, "https://saved.example/", waymark.Private, "mine")
		before := collection(t, s, ada)
		i := importRows(t, svc, ada, waymark.ImportOptions{OnDuplicate: waymark.UpdateDuplicates}, rowsOf(
			bookmarks.Bookmark{URL: "https://a.example/", Folders: [][]string{{"Work"}}, CreatedAt: 1000, UpdatedAt: 2000},
			bookmarks.Bookmark{URL: "https://b.example/", Tags: []string{"mine", "new"}, Notes: []bookmarks.Note{{Text: "imported"}}},
			bookmarks.Bookmark{URL: "https://noted.example/", Notes: []bookmarks.Note{{Text: "imported"}}},
			bookmarks.Bookmark{URL: "https://edited.example/", Folders: [][]string{{"Home"}}},
			bookmarks.Bookmark{URL: "https://saved.example/", Tags: []string{"MINE", "other"}, Folders: [][]string{{"Only here"}}},
		))
		wantCollection(t, "imported", s, ada,
			"active https://a.example/ a.example private [list Work]",
			"active https://b.example/ b.example private [tag mine tag new note imported]",
			"active https://edited.example/ edited.example private [list Home]",
			"active https://noted.example/ noted.example private [note imported]",
			"active https://saved.example/ saved.example private [list Only here tag mine tag other]",
		)
		edited, err := s.LinkByURL(t.Context(), ada.ID, "https://edited.example/")
		check(t, err)
		title := "my title"
		check(t, svc.editLink(t.Context(), ada, edited.ID, waymark.LinkInput{URL: edited.URL, Title: &title}))
		noted, err := s.LinkByURL(t.Context(), ada.ID, "https://noted.example/")
		check(t, err)
		if _, err := svc.addNote(t.Context(), ada, noted.ID, "mine"); err != nil {
			t.Fatal(err)
		}
		undone, err := svc.UndoImport(t.Context(), ada, i.ID)
		if want := (waymark.UndoneLinks{Done: 3, Edited: 1, WithNotes: 1}); err != nil || undone.State != waymark.ImportUndone || undone.Undone != want {
			t.Errorf("got %s with %+v (error %v), want undone with %+v", undone.State, undone.Undone, err, want)
		}
		wantCollection(t, "undone", s, ada, append([]string{
			"active https://edited.example/ my title private [list Home]",
			"active https://noted.example/ noted.example private [note imported note mine]",
		}, append(before,
			"trash https://a.example/ a.example private []", // its list is in the trash, too
			"trash https://b.example/ b.example private [tag mine note imported]",
		)...)...)
		lists, err := s.Lists(ada.ID, waymark.Order{By: waymark.SortByName}, waymark.Pagination{Limit: 10}).Page(t.Context())
		if err != nil || len(lists.Entities) != 1 || lists.Entities[0].Name != "Home" {
			t.Errorf("got lists %+v (error %v), want only Home", lists, err)
		}
		if _, err := svc.UndoImport(t.Context(), ada, i.ID); !errors.Is(err, waymark.ErrConflict) {
			t.Errorf("undo again: got error %v, want ErrConflict", err)
		}
		bob := storetest.User(t, s, "bob")
		if _, err := svc.UndoImport(t.Context(), bob, i.ID); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("undo as another user: got error %v, want ErrNotFound", err)
		}
	})
}

func TestUndoKeepsLinksWithLaterNotes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		addNote := func(rawURL, text string) {
			link, err := s.LinkByURL(t.Context(), ada.ID, rawURL)
			check(t, err)
			if _, err := svc.addNote(t.Context(), ada, link.ID, text); err != nil {
				t.Fatal(err)
			}
		}
		var all []bookmarks.Bookmark
		for n := range 1100 {
			all = append(all, bookmarks.Bookmark{URL: fmt.Sprint("https://a.example/", n)})
		}
		all[0].Notes = []bookmarks.Note{{Text: "imported"}}
		all = append(all, bookmarks.Bookmark{URL: "https://a.example/2", Notes: []bookmarks.Note{{Text: "of the same file"}}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		batch, err := svc.BeginImport(ctx, ada, waymark.Import{File: "bookmarks.html"}, func(i waymark.Import, _ []waymark.ImportProblem) {
			if i.Counts.Read == 500 {
				addNote("https://a.example/1", "while the import runs")
			}
		})
		check(t, err)
		i, err := batch.Bookmarks(ctx, rowsOf(all...))
		if err != nil || i.Counts.Merged != 1 {
			t.Fatalf("got %+v and error %v, want 1 merged", i.Counts, err)
		}
		undone, err := svc.UndoImport(t.Context(), ada, i.ID)
		if want := (waymark.UndoneLinks{Done: 1099, WithNotes: 1}); err != nil || undone.Undone != want {
			t.Errorf("got %+v (error %v), want %+v", undone.Undone, err, want)
		}
		var active []string
		for _, line := range collection(t, s, ada) {
			if strings.HasPrefix(line, "active ") {
				active = append(active, line)
			}
		}
		want := []string{"active https://a.example/1 a.example private [note while the import runs]"}
		if !slices.Equal(active, want) {
			t.Errorf("got %q, want %q", active, want)
		}
	})
}

func TestUndoKeepsLinksWithEditedNotes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		i := importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(
			bookmarks.Bookmark{URL: "https://a.example/", Notes: []bookmarks.Note{{Text: "imported"}}},
			bookmarks.Bookmark{URL: "https://a.example/2", Notes: []bookmarks.Note{{Text: "imported", CreatedAt: 1000}}}))
		link, err := s.LinkByURL(t.Context(), ada.ID, "https://a.example/")
		check(t, err)
		notes, err := s.NotesOfLink(ada.ID, link.ID, waymark.Pagination{}).Page(t.Context())
		if err != nil || len(notes.Entities) != 1 {
			t.Fatalf("got %d notes, %v", len(notes.Entities), err)
		}
		check(t, svc.editNote(t.Context(), notes.Entities[0].ID, "edited"))
		undone, err := svc.UndoImport(t.Context(), ada, i.ID)
		if want := (waymark.UndoneLinks{Done: 1, WithNotes: 1}); err != nil || undone.Undone != want {
			t.Errorf("got %+v (error %v), want %+v", undone.Undone, err, want)
		}
	})
}

// The undo of a bulk change leaves links as they were, but not the times of their last changes.
func TestUndoOfAnImportAfterABulkChangeAndItsUndo(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		var all []bookmarks.Bookmark
		for n := range 600 { // two steps, and one list more for a link of the first
			all = append(all, bookmarks.Bookmark{URL: fmt.Sprint("https://a.example/", n%599), Tags: []string{"old"}, Folders: [][]string{{fmt.Sprint("list ", n/599)}}})
		}
		i := importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(all...))
		links, err := s.Links(ada.ID, waymark.Order{}, waymark.Pagination{Limit: 600}).Page(t.Context())
		check(t, err)
		var ids []int64
		for _, link := range links.Entities {
			ids = append(ids, int64(link.ID))
		}
		imported, public := collection(t, s, ada), waymark.Public
		edit := waymark.BulkEdit{Visibility: &public, Tags: []waymark.Ref{{Name: "new"}}, TagsMode: waymark.ReplaceRefs}
		hash := []byte("a hash")
		ok, err := s.Undoable(t.Context(), store.UndoRequest{User: ada.ID, Session: 1, Hash: hash, Bulk: true}, func(ctx context.Context, s *store.Store) error {
			_, err := s.EditLinks(ctx, ada, ids, edit)
			return err
		})
		if err != nil || !ok {
			t.Fatalf("got %t, %v, want a change that can be undone", ok, err)
		}
		if got := collection(t, s, ada); !strings.Contains(got[0], " public [") {
			t.Fatalf("got %q, want public links", got[0])
		}
		if _, err := s.Undo(t.Context(), store.UndoRequest{User: ada.ID, Session: 1, Hash: hash}); err != nil {
			t.Fatal(err)
		}
		wantCollection(t, "bulk change undone", s, ada, imported...)
		undone, err := svc.UndoImport(t.Context(), ada, i.ID)
		if want := (waymark.UndoneLinks{Done: 599}); err != nil || undone.Undone != want {
			t.Errorf("got %+v (error %v), want %+v", undone.Undone, err, want)
		}
	})
}

// An import has no time at which it ended if its process was killed, as while it runs.
func TestUndoOfARunningImportKeepsLinksWithLaterNotes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		batch, err := svc.BeginImport(t.Context(), ada, waymark.Import{File: "bookmarks.html"}, func(i waymark.Import, _ []waymark.ImportProblem) {
			if i.Counts.Read != 500 {
				return
			}
			link, err := s.LinkByURL(t.Context(), ada.ID, "https://a.example/7")
			if err == nil {
				_, err = svc.addNote(t.Context(), ada, link.ID, "mine")
			}
			if err != nil {
				t.Error(err)
			}
			undone, err := svc.UndoImport(t.Context(), ada, i.ID)
			if want := (waymark.UndoneLinks{Done: 499, WithNotes: 1}); err != nil || undone.Undone != want {
				t.Errorf("got %+v (error %v), want %+v", undone.Undone, err, want)
			}
		})
		check(t, err)
		var all []bookmarks.Bookmark
		for n := range 600 {
			all = append(all, bookmarks.Bookmark{URL: fmt.Sprint("https://a.example/", n)})
		}
		if _, err := batch.Bookmarks(t.Context(), rowsOf(all...)); !errors.Is(err, store.ErrImportEnded) {
			t.Errorf("got error %v, want ErrImportEnded", err)
		}
	})
}
