package transfer_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"waymark/internal/bookmarks"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// rowsOf returns the bookmarks of a file, with their lines.
func rowsOf(all ...bookmarks.Bookmark) iter.Seq2[bookmarks.Bookmark, error] {
	return func(yield func(bookmarks.Bookmark, error) bool) {
		for i, b := range all {
			b.Line = i + 1
			if !yield(b, nil) {
				return
			}
		}
	}
}

func importRows(t *testing.T, svc *fixture, user waymark.User, options waymark.ImportOptions, rows iter.Seq2[bookmarks.Bookmark, error]) waymark.Import {
	t.Helper()
	batch, err := svc.BeginImport(t.Context(), user, waymark.Import{File: "bookmarks.html", Options: options}, nil)
	if err != nil {
		t.Fatalf("begin import: %v", err)
	}
	i, err := batch.Bookmarks(t.Context(), rows, nil)
	if err != nil {
		t.Fatalf("import: %v", err)
	}
	return i
}

// collection returns the user's links, lists and tags, those in the trash included, as text
// without ids and times of the store.
func collection(t *testing.T, s *store.Store, user waymark.User) []string {
	t.Helper()
	var all []string
	for state, listing := range map[string]store.Listing[waymark.Link]{
		"active": s.Links(user.ID, waymark.Order{By: waymark.SortByID}, waymark.Pagination{}),
		"trash":  s.TrashedLinks(user.ID),
	} {
		if err := listing.Stream(t.Context(), func(_ int, links iter.Seq2[waymark.Link, error]) error {
			for l, err := range links {
				if err != nil {
					return err
				}
				if l.Owner != user.ID {
					continue
				}
				var labels []string
				for _, list := range l.Lists {
					labels = append(labels, "list "+list.Name)
				}
				for _, tag := range l.Tags {
					labels = append(labels, "tag "+tag.Name)
				}
				notes, err := s.NotesOfLink(user.ID, l.ID, waymark.Pagination{}).Page(t.Context())
				if err != nil {
					return err
				}
				for _, n := range notes.Entities {
					labels = append(labels, "note "+n.Text)
				}
				all = append(all, fmt.Sprint(state, " ", l.URL, " ", l.Title, " ", l.Visibility, " ", labels))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(all)
	return all
}

func wantCollection(t *testing.T, what string, s *store.Store, user waymark.User, want ...string) {
	t.Helper()
	if got := collection(t, s, user); !slices.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A folder that is ignored is a problem, but no bookmark is lost with it. A file with very many of them
// is read in steps, too.
func TestIgnoredFolderIsNoLostBookmark(t *testing.T) {
	s := storetest.Open(t)
	svc := newFixture(s)
	largest := 0 // number of problems of a step
	batch, err := svc.BeginImport(t.Context(), storetest.User(t, s, "ada"), waymark.Import{}, func(_ waymark.Import, problems []waymark.ImportProblem) {
		largest = max(largest, len(problems))
	})
	if err != nil {
		t.Fatal(err)
	}
	const ignored = 1200
	i, err := batch.Bookmarks(t.Context(), func(yield func(bookmarks.Bookmark, error) bool) {
		yield(bookmarks.Bookmark{URL: "https://example.org/"}, nil)
		for range ignored {
			if !yield(bookmarks.Bookmark{}, &bookmarks.RowError{Err: errors.New("too deep"), Saved: true}) {
				return
			}
		}
	}, nil)
	want := waymark.ImportCounts{Read: 1, Added: 1}
	if err != nil || i.Counts != want || i.Problems != ignored || largest > 500 {
		t.Errorf("got %+v and %d problems, %d in one step, %v; want %+v and %d, at most 500 in one step", i.Counts, i.Problems, largest, err, want, ignored)
	}
}

func TestImportSavesWhatTheFileSays(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		i := importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(
			bookmarks.Bookmark{URL: "https://a.example/", Title: "A title", Folders: [][]string{{"Work", "Go"}}, Tags: []string{"red", "RED", "blue"}, CreatedAt: 1000, UpdatedAt: 2000, Visibility: waymark.Public, Notes: []bookmarks.Note{{Text: "a note"}, {Text: "a note"}}},
			bookmarks.Bookmark{URL: "javascript:alert(1)", Title: "bookmarklet"},
			bookmarks.Bookmark{URL: "/relative"},
			bookmarks.Bookmark{URL: "https://a.example/", Folders: [][]string{{"Home"}}, Notes: []bookmarks.Note{{Text: "a note"}}},
			bookmarks.Bookmark{URL: "https://old.example/", Deleted: true},
			bookmarks.Bookmark{URL: "https://long.example/", Title: strings.Repeat("é", 1200)},
		))
		if want := (waymark.ImportCounts{Read: 6, Added: 3, Merged: 1, Failed: 2}); i.Counts != want || i.State != waymark.ImportFinished {
			t.Errorf("got %s with %+v, want finished with %+v", i.State, i.Counts, want)
		}
		wantCollection(t, "imported", s, ada,
			"active https://a.example/ A title public [list Home list Work / Go tag blue tag red note a note note a note]",
			"active https://long.example/ "+strings.Repeat("é", 1000)+" private []",
			"trash https://old.example/ old.example private []",
		)
		problems, err := s.ImportProblems(t.Context(), ada.ID, i.ID)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range problems {
			got = append(got, p.String())
		}
		want := []string{
			"line 2: javascript:alert(1): a URL such as this cannot be saved",
			"line 3: /relative: a URL such as this cannot be saved",
			"line 6: https://long.example/: title: more than 1000 characters, so it was shortened",
		}
		if !slices.Equal(got, want) || i.Problems != 3 {
			t.Errorf("got %d problems %q, want 3: %q", i.Problems, got, want)
		}
		link, err := s.LinkByURL(t.Context(), ada.ID, "https://a.example/")
		if err != nil || link.CreatedAt != 1000 || link.UpdatedAt != 2000 {
			t.Errorf("got a link created at %d and updated at %d (error %v), want 1000 and 2000", link.CreatedAt, link.UpdatedAt, err)
		}
	})
}

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
		if err != nil {
			t.Fatal(err)
		}
		title := "my title"
		if err := svc.editLink(t.Context(), ada, edited.ID, waymark.LinkInput{URL: edited.URL, Title: &title}); err != nil {
			t.Fatal(err)
		}
		noted, err := s.LinkByURL(t.Context(), ada.ID, "https://noted.example/")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := svc.addNote(t.Context(), ada, noted.ID, "mine"); err != nil {
			t.Fatal(err)
		}
		undone, err := svc.UndoImport(t.Context(), ada, i.ID, nil)
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
		if _, err := svc.UndoImport(t.Context(), ada, i.ID, nil); !errors.Is(err, waymark.ErrConflict) {
			t.Errorf("undo again: got error %v, want ErrConflict", err)
		}
		bob := storetest.User(t, s, "bob")
		if _, err := svc.UndoImport(t.Context(), bob, i.ID, nil); !errors.Is(err, waymark.ErrNotFound) {
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
			if err != nil {
				t.Fatal(err)
			}
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
		if err != nil {
			t.Fatal(err)
		}
		i, err := batch.Bookmarks(ctx, rowsOf(all...), nil)
		if err != nil || i.Counts.Merged != 1 {
			t.Fatalf("got %+v and error %v, want 1 merged", i.Counts, err)
		}
		undone, err := svc.UndoImport(t.Context(), ada, i.ID, nil)
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
		if err != nil {
			t.Fatal(err)
		}
		notes, err := s.NotesOfLink(ada.ID, link.ID, waymark.Pagination{}).Page(t.Context())
		if err != nil || len(notes.Entities) != 1 {
			t.Fatalf("got %d notes, %v", len(notes.Entities), err)
		}
		if err := svc.editNote(t.Context(), notes.Entities[0].ID, "edited"); err != nil {
			t.Fatal(err)
		}
		undone, err := svc.UndoImport(t.Context(), ada, i.ID, nil)
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
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for _, link := range links.Entities {
			ids = append(ids, int64(link.ID))
		}
		imported, public := collection(t, s, ada), waymark.Public
		edit := waymark.BulkEdit{Visibility: &public, Tags: []waymark.Ref{{Name: "new"}}, ReplaceTags: true}
		hash := []byte("a hash")
		ok, err := s.Undoable(t.Context(), store.UndoRequest{User: ada.ID, Session: 1, Hash: hash, Bulk: true}, func(ctx context.Context, s *store.Store) error {
			_, err := s.EditLinks(ctx, ada, ids, edit, waymark.OwnerOnly(ada))
			return err
		})
		if err != nil || !ok {
			t.Fatalf("got %t, %v, want a change that can be undone", ok, err)
		}
		if got := collection(t, s, ada); !strings.Contains(got[0], " public [") {
			t.Fatalf("got %q, want public links", got[0])
		}
		if _, err := s.Undo(t.Context(), ada, 1, hash); err != nil {
			t.Fatal(err)
		}
		wantCollection(t, "bulk change undone", s, ada, imported...)
		undone, err := svc.UndoImport(t.Context(), ada, i.ID, nil)
		if want := (waymark.UndoneLinks{Done: 599}); err != nil || undone.Undone != want {
			t.Errorf("got %+v (error %v), want %+v", undone.Undone, err, want)
		}
	})
}

// A link that is in several folders of an HTML file is in the file several times.
func TestRepeatedBookmarksOfALinkThatWasThereAreNotMerged(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		all := []bookmarks.Bookmark{{URL: "https://a.example/", Tags: []string{"one"}}, {URL: "https://b.example/"}, {URL: "https://a.example/", Tags: []string{"two"}}}
		for _, step := range []struct {
			name        string
			onDuplicate waymark.ImportDuplicates
			want        waymark.ImportCounts
		}{
			{"of new links", waymark.SkipDuplicates, waymark.ImportCounts{Read: 3, Added: 2, Merged: 1}},
			{"again", waymark.SkipDuplicates, waymark.ImportCounts{Read: 3, Skipped: 3}},
			{"with another tag", waymark.UpdateDuplicates, waymark.ImportCounts{Read: 3, Updated: 1, Skipped: 2}},
		} {
			if step.onDuplicate == waymark.UpdateDuplicates {
				all[0].Tags = []string{"three"}
			}
			batch, err := svc.BeginImport(t.Context(), ada, waymark.Import{File: "bookmarks.html", Options: waymark.ImportOptions{OnDuplicate: step.onDuplicate}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			i, err := batch.Bookmarks(t.Context(), rowsOf(all...), nil)
			if err != nil || i.Counts != step.want {
				t.Errorf("import %s: got %+v and error %v, want %+v", step.name, i.Counts, err, step.want)
			}
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
			undone, err := svc.UndoImport(t.Context(), ada, i.ID, nil)
			if want := (waymark.UndoneLinks{Done: 499, WithNotes: 1}); err != nil || undone.Undone != want {
				t.Errorf("got %+v (error %v), want %+v", undone.Undone, err, want)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		var all []bookmarks.Bookmark
		for n := range 600 {
			all = append(all, bookmarks.Bookmark{URL: fmt.Sprint("https://a.example/", n)})
		}
		if _, err := batch.Bookmarks(t.Context(), rowsOf(all...), nil); !errors.Is(err, store.ErrImportEnded) {
			t.Errorf("got error %v, want ErrImportEnded", err)
		}
	})
}

func TestImportOfARemovedUserSaysSo(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		batch, err := svc.BeginImport(t.Context(), ada, waymark.Import{File: "bookmarks.html"}, func(waymark.Import, []waymark.ImportProblem) {
			if err := storetest.RemoveUser(t.Context(), s, ada.ID); err != nil {
				t.Error(err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		var all []bookmarks.Bookmark
		for n := range 600 {
			all = append(all, bookmarks.Bookmark{URL: fmt.Sprint("https://a.example/", n)})
		}
		_, err = batch.Bookmarks(t.Context(), rowsOf(all...), nil)
		if !errors.Is(err, store.ErrImportEnded) || !strings.Contains(err.Error(), "its user was removed") {
			t.Errorf("got error %v, want ErrImportEnded, which says that the user was removed", err)
		}
	})
}

func TestImportReportsInvalidBytes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		var reported []string
		file := strings.NewReader("\ufeffurl,title\nhttps://a.example/,Caf\xe9\nhttps://b.example/,Café\n")
		batch, err := svc.OpenImport(t.Context(), ada, waymark.Import{File: "bookmarks.csv"}, file, func(_ waymark.Import, problems []waymark.ImportProblem) {
			for _, p := range problems {
				reported = append(reported, p.String())
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		i, err := batch.Run(t.Context())
		if err != nil || i.Counts.Added != 2 {
			t.Errorf("got %+v and error %v, want 2 links", i.Counts, err)
		}
		want := "line 2: https://a.example/: bytes that are not in the character set of the file were replaced by \ufffd"
		if len(reported) != 1 || reported[0] != want {
			t.Errorf("got the problems %q, want %q", reported, want)
		}
	})
}

func TestCanceledImportIsInterruptedAndCanRunAgain(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		var all []bookmarks.Bookmark
		for n := range 1200 {
			all = append(all, bookmarks.Bookmark{URL: fmt.Sprint("https://a.example/", n%800), Folders: [][]string{{fmt.Sprint("list ", n/800)}}})
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		batch, err := svc.BeginImport(ctx, ada, waymark.Import{File: "bookmarks.html"}, func(i waymark.Import, _ []waymark.ImportProblem) {
			if i.Counts.Read >= 500 {
				cancel()
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		i, err := batch.Bookmarks(ctx, rowsOf(all...), nil)
		if !errors.Is(err, context.Canceled) || i.State != waymark.ImportInterrupted || i.Counts.Added != 500 {
			t.Errorf("got %s, %d added and error %v, want interrupted, 500 and context.Canceled", i.State, i.Counts.Added, err)
		}
		i = importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(all...))
		if want := (waymark.ImportCounts{Read: 1200, Added: 300, Merged: 900}); i.Counts != want {
			t.Errorf("got %+v, want %+v", i.Counts, want)
		}
		other := storetest.User(t, s, "other")
		importRows(t, svc, other, waymark.ImportOptions{}, rowsOf(all...))
		wantCollection(t, "interrupted and again", s, ada, collection(t, s, other)...)
	})
}

func TestImportKeepsTheOldestDateOfALink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		day := func(n int64) waymark.Time { return waymark.Time(1_600_000_000_000_000 + n*86_400_000_000) }
		all := []bookmarks.Bookmark{
			{URL: "https://a.example/", CreatedAt: day(3)}, {URL: "https://a.example/"}, {URL: "https://a.example/", CreatedAt: day(2)},
			{URL: "https://b.example/"}, {URL: "https://b.example/", CreatedAt: day(1)},
		}
		for n := range 500 { // more than a step
			all = append(all, bookmarks.Bookmark{URL: fmt.Sprint("https://c.example/", n)})
		}
		all = append(all, bookmarks.Bookmark{URL: "https://a.example/", CreatedAt: day(1)}, bookmarks.Bookmark{URL: "https://b.example/", CreatedAt: day(2)})
		importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(all...))
		file := export(t, svc, ada, transfer.ExportCSV)
		for _, url := range []string{"https://a.example/", "https://b.example/"} {
			_, row, _ := strings.Cut(file, "\n"+url+",")
			if row, _, _ = strings.Cut(row, "\n"); !strings.Contains(row, ","+day(1).String()+",") {
				t.Errorf("%s: got %s, want created at %s", url, row, day(1))
			}
		}
	})
}

func TestImportRunAgainDoublesNoNotes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		batch, err := svc.BeginImport(ctx, ada, waymark.Import{File: "bookmarks.html"}, func(waymark.Import, []waymark.ImportProblem) { cancel() })
		if err != nil {
			t.Fatal(err)
		}
		noted := bookmarks.Bookmark{URL: "https://a.example/", Notes: []bookmarks.Note{{Text: "a note"}}}
		all := []bookmarks.Bookmark{noted}
		for n := range 500 {
			all = append(all, bookmarks.Bookmark{URL: fmt.Sprint("https://b.example/", n)})
		}
		if _, err := batch.Bookmarks(ctx, rowsOf(all...), nil); !errors.Is(err, context.Canceled) {
			t.Fatalf("got error %v, want context.Canceled", err)
		}
		noted.Notes = append(noted.Notes, bookmarks.Note{Text: "another"})
		importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(noted))
		if got, want := collection(t, s, ada)[0], "active https://a.example/ a.example private [note a note note another]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestImportReportsListsAndTagsThatAreTooMany(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		b := bookmarks.Bookmark{URL: "https://a.example/"}
		for n := range max(s.LinkLimits().Lists, s.LinkLimits().Tags) + 1 {
			b.Folders = append(b.Folders, []string{fmt.Sprint("list ", n)})
			b.Tags = append(b.Tags, fmt.Sprint("tag ", n))
		}
		i := importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(b))
		problems, err := s.ImportProblems(t.Context(), ada.ID, i.ID)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range problems {
			got = append(got, p.String())
		}
		want := []string{
			fmt.Sprintf("line 1: https://a.example/: lists: more than %d, so the others were left out", s.LinkLimits().Lists),
			fmt.Sprintf("line 1: https://a.example/: tags: more than %d, so the others were left out", s.LinkLimits().Tags),
		}
		if !slices.Equal(got, want) {
			t.Errorf("got problems %q, want %q", got, want)
		}
	})
}

// An import twice is the same as once, whatever is in the file, and undo leaves nothing.
func TestSecondImportOfAFileChangesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		for seed := range uint64(6) {
			r := rand.New(rand.NewPCG(seed, 8))
			options := waymark.ImportOptions{
				Folders:     []waymark.ImportFolders{waymark.FoldersToLists, waymark.FoldersToTags, waymark.FoldersToBoth, waymark.FoldersIgnored}[r.IntN(4)],
				FolderNames: []waymark.ImportFolderNames{waymark.FolderPath, waymark.FolderLeaf}[r.IntN(2)],
				OnDuplicate: []waymark.ImportDuplicates{waymark.SkipDuplicates, waymark.UpdateDuplicates}[r.IntN(2)],
				Visibility:  waymark.Visibility(r.IntN(4)),
			}
			var all []bookmarks.Bookmark
			for range 700 {
				all = append(all, randomBookmark(r))
			}
			user := storetest.User(t, s, fmt.Sprint("user", seed))
			first := importRows(t, svc, user, options, rowsOf(all...))
			want := collection(t, s, user)
			second := importRows(t, svc, user, options, rowsOf(all...))
			if second.Counts.Added+second.Counts.Updated > 0 || second.Counts.Failed != first.Counts.Failed {
				t.Errorf("options %+v: the second import counts %+v, the first %+v", options, second.Counts, first.Counts)
			}
			for _, i := range []waymark.Import{first, second} {
				if c := i.Counts; c.Read != len(all) || c.Read != c.Added+c.Updated+c.Merged+c.Skipped+c.Failed {
					t.Errorf("got %+v, want a sum of %d rows", c, len(all))
				}
			}
			wantCollection(t, fmt.Sprintf("imported twice with %+v", options), s, user, want...)
			if _, err := svc.UndoImport(t.Context(), user, first.ID, nil); err != nil {
				t.Fatal(err)
			}
			for _, link := range collection(t, s, user) {
				if !strings.HasPrefix(link, "trash ") {
					t.Errorf("options %+v: after undo there is %s", options, link)
				}
			}
			counts, err := s.Counts(t.Context(), user.ID)
			if err != nil || counts.Links+counts.Lists+counts.Tags != 0 {
				t.Errorf("options %+v: after undo there are %+v (error %v), want none", options, counts, err)
			}
		}
	})
}

// randomBookmark returns one of a few hundred bookmarks. Some cannot be saved as they are.
func randomBookmark(r *rand.Rand) bookmarks.Bookmark {
	b := bookmarks.Bookmark{
		URL:     fmt.Sprint("https://a.example/", r.IntN(300)),
		Title:   fmt.Sprint("title ", r.IntN(5)),
		Deleted: r.IntN(10) == 0,
	}
	for range r.IntN(3) {
		b.Folders = append(b.Folders, []string{fmt.Sprint("Parent ", r.IntN(4)), fmt.Sprint("child ", r.IntN(300))})
		b.Tags = append(b.Tags, fmt.Sprint("Tag ", r.IntN(9)), fmt.Sprint("tag ", r.IntN(9)), " , ")
	}
	if r.IntN(5) == 0 {
		b.Notes = []bookmarks.Note{{Text: fmt.Sprint("note ", r.IntN(3))}}
	}
	switch r.IntN(20) {
	case 0:
		b.URL = "javascript:void(0)"
	case 1:
		b.Title = strings.Repeat("long ", 300)
	case 2:
		b.Description = "a\x00b"
	case 3:
		b.CreatedAt, b.UpdatedAt = 1<<60, 5
	case 4:
		b.ImageURL = "data:image/png;base64,AAAA"
	}
	return b
}

func TestProgressOfAnImportRises(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const count = 5000
		var file strings.Builder
		file.WriteString("url,title\n")
		for n := range count {
			fmt.Fprintf(&file, "https://a.example/%d,A title\n", n)
		}
		var positions []int64
		batch, err := newFixture(s).OpenImport(t.Context(), storetest.User(t, s, "ada"), waymark.Import{}, strings.NewReader(file.String()),
			func(i waymark.Import, _ []waymark.ImportProblem) { positions = append(positions, i.Position) })
		if err != nil {
			t.Fatal(err)
		}
		i, err := batch.Run(t.Context())
		if err != nil || i.Counts.Added != count {
			t.Fatalf("got %d added and error %v, want %d", i.Counts.Added, err, count)
		}
		if size := int64(file.Len()); !slices.IsSorted(positions) || positions[0] > size/2 || positions[len(positions)-1] != size {
			t.Errorf("got positions %d of %d, want rising ones", positions, size)
		}
	})
}

func TestLinkThatIsPrivateInOneRowIsPrivate(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		file := "url,visibility\nhttps://a.example/,public\nhttps://a.example/,private\nhttps://b.example/,private\nhttps://b.example/,public\n" +
			"https://c.example/,public\nhttps://c.example/,\nhttps://d.example/,public\n"
		for i := range 3000 { // so that the last row is in another step
			file += fmt.Sprintf("https://example.org/%d,public\n", i)
		}
		file += "https://d.example/,internal\n"
		batch, err := svc.OpenImport(t.Context(), ada, waymark.Import{File: "links.csv", Options: waymark.ImportOptions{}}, strings.NewReader(file), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := batch.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for url, want := range map[string]waymark.Visibility{
			"https://a.example/": waymark.Private, "https://b.example/": waymark.Private, "https://c.example/": waymark.Public, "https://d.example/": waymark.Internal,
		} {
			page, err := s.SearchLinks(ada.ID, waymark.LinkFilter{Text: url}, waymark.Order{}, waymark.Pagination{Limit: 2}).Page(t.Context())
			if err != nil || len(page.Entities) != 1 || page.Entities[0].Visibility != want {
				t.Errorf("%s: got %v, %v, want one link with the visibility %v", url, page.Entities, err, want)
			}
		}
	})
}

func TestLongNamesOfFoldersAreNotReadForEachBookmark(t *testing.T) {
	s := storetest.Open(t)
	svc := newFixture(s)
	ada := storetest.User(t, s, "ada")
	const rows = 1000
	name := strings.Repeat("ä,", 300_000)
	all := make([]bookmarks.Bookmark, rows)
	for i := range all {
		all[i] = bookmarks.Bookmark{URL: fmt.Sprintf("https://example.org/%d", i), Folders: [][]string{{name, "b"}}}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(all...))
	runtime.ReadMemStats(&after)
	lists, err := s.Lists(ada.ID, waymark.Order{By: waymark.SortByID}, waymark.Pagination{}).Page(t.Context())
	if want := strings.Repeat("ä", waymark.MaxName); err != nil || len(lists.Entities) != 1 || lists.Entities[0].Name != want {
		t.Errorf("got the lists %.200v, error %v, want one with the name %s", lists.Entities, err, want)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > rows*uint64(len(name))/2 {
		t.Errorf("allocated %d bytes for %d bookmarks in a folder with a name of %d bytes", got, rows, len(name))
	}
}

// The function raises what PostgreSQL raises if it cannot extend a file.
func TestImportOnAFullDiskOfPostgreSQLSaysSoAtOnce(t *testing.T) {
	o := storetest.PostgresOptions(t)
	s := storetest.OpenWith(t, o)
	svc, ada := newFixture(s), storetest.User(t, s, "ada")
	db, err := sql.Open("pgx", o.Database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(t.Context(), `
		CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$;
		CREATE TRIGGER fail BEFORE INSERT ON links EXECUTE FUNCTION fail()`); err != nil {
		t.Fatal(err)
	}
	batch, err := svc.BeginImport(t.Context(), ada, waymark.Import{File: "bookmarks.html"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	i, err := batch.Bookmarks(t.Context(), rowsOf(bookmarks.Bookmark{URL: "https://a.example/"}), nil)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	const want = "the disk with the database is full"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want %q", err, want)
	}
	if i.State != waymark.ImportInterrupted || !strings.Contains(i.Error, want) {
		t.Errorf("got %s with the error %q, want interrupted with %q", i.State, i.Error, want)
	}
}

func TestImportedLinksGetTheTextsThatTheFileLacks(t *testing.T) {
	fetch := waymark.FetchPolicy{Parts: waymark.TextParts | waymark.TextSnapshotPart}
	storetest.EachWith(t, store.Options{Fetch: fetch}, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		const url = "https://bread.example/"
		batch, err := svc.OpenImport(t.Context(), ada, waymark.Import{}, strings.NewReader(`<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="`+url+`">My own</A></DL>`), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := batch.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if page, err := s.Queue.ClaimPage(t.Context(), s.Now()); err != nil || page.URL != url || page.Wants != fetch.Parts {
			t.Errorf("got %+v, %v, want the page of the link in the queue", page, err)
		}
		link, err := s.LinkByURL(t.Context(), ada.ID, url)
		if err != nil || link.FromPage.Has(waymark.TitleText) || !link.FromPage.Has(waymark.DescriptionText) {
			t.Errorf("got %+v, %v, want that the page has only the description", link, err)
		}
	})
}
