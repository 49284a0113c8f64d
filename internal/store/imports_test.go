package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// createImport creates a running import.
func createImport(t *testing.T, s *store.Store, owner waymark.User) waymark.Import {
	t.Helper()
	i, err := s.CreateImport(t.Context(), waymark.Import{Owner: owner.ID, File: "bookmarks.html", Format: "netscape", Size: 1000, Options: waymark.ImportOptions{Visibility: waymark.Private}.WithDefaults()})
	check(t, err)
	return i
}

// importLinks imports links with these URLs in one step. Each has the lists.
func importLinks(t *testing.T, s *store.Store, owner waymark.User, id waymark.ImportID, lists []string, urls ...string) ([]store.ImportedLink, error) {
	t.Helper()
	links := make([]waymark.LinkImport, len(urls))
	for i, url := range urls {
		links[i] = waymark.LinkImport{Lists: lists, Link: waymark.Link{
			URL: url, Title: url, Status: waymark.StatusOK, Visibility: waymark.Private, CreatedAt: 1000, UpdatedAt: 2000 + waymark.Time(i),
		}}
	}
	imported := make([]store.ImportedLink, len(urls))
	for i := range imported {
		imported[i].Outcome = store.LinkAdded
	}
	_, err := s.StepImport(t.Context(), id, func(ctx context.Context, s *store.Store) (store.ImportStep, error) {
		err := s.SaveImportedLinks(ctx, owner, links, imported)
		return store.ImportStep{Counts: waymark.ImportCounts{Read: len(urls), Added: len(urls)}}, err
	})
	return imported, err
}

// createFullImport creates an import with a value in every column of its tables.
func createFullImport(t *testing.T, s *store.Store, owner waymark.User) {
	t.Helper()
	i := createImport(t, s, owner)
	if _, err := importLinks(t, s, owner, i.ID, []string{"imported"}, "https://imported.example/"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.StepImport(t.Context(), i.ID, func(context.Context, *store.Store) (store.ImportStep, error) {
		return store.ImportStep{
			Counts:   waymark.ImportCounts{Read: 1, Added: 2, Updated: 3, Merged: 4, Skipped: 5, Failed: 6},
			Position: 7,
			Problems: []waymark.ImportProblem{
				{Line: 8, Text: "unexpected end"},
				waymark.NewImportProblem(9, "https://a.example/", true, waymark.Problem{Field: waymark.FieldTitle, Rule: waymark.RuleMaxLength, Limit: 10}),
			},
		}, nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.EndImport(t.Context(), i.ID, waymark.ImportFailed, "the file ends early"); err != nil {
		t.Fatal(err)
	}
	check(t, s.Change(t.Context(), func(_ context.Context, exec func(string, ...any) error) error {
		if err := exec("UPDATE undo_records SET hash = 'hash', session_id = 14, api_key_id = 15, position = 16, bytes = 17"); err != nil {
			return err
		}
		return exec("UPDATE imports SET undone = 11, kept_edited = 12, kept_with_notes = 13")
	}))
}

func TestLinkOfAFileIsKeptWithoutTheListsThatAreTooMany(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		i := createImport(t, s, ada)
		var names []string
		for n := range waymark.MaxLinkFolders + 10 {
			names = append(names, fmt.Sprint("list ", n))
		}
		imported, err := importLinks(t, s, ada, i.ID, names, "https://a.example/", "https://b.example/")
		check(t, err)
		for _, link := range imported {
			if link.Outcome != store.LinkAdded || !link.TooManyLists || link.TooManyTags {
				t.Errorf("got %+v, want it added with too many lists", link)
			}
		}
		link, err := s.Link(t.Context(), ada.ID, imported[1].ID)
		if err != nil || len(link.Lists) != waymark.MaxLinkFolders {
			t.Errorf("got a link in %d lists (error %v), want %d", len(link.Lists), err, waymark.MaxLinkFolders)
		}
	})
}

func TestImportThatNoProgramRunsIsInterrupted(t *testing.T) {
	now := waymark.Time(1e15)
	s := storetest.OpenWith(t, store.Options{Now: func() waymark.Time { return now }})
	ada := storetest.User(t, s, "ada")
	i := createImport(t, s, ada)
	imported, err := importLinks(t, s, ada, i.ID, nil, "https://a.example/")
	check(t, err)
	now = now.Add(store.ImportTimeout)
	if i, err := s.Import(t.Context(), ada.ID, i.ID); err != nil || i.State != waymark.ImportRunning {
		t.Errorf("got %s (error %v), want running", i.State, err)
	}
	now++
	if i, err := s.Import(t.Context(), ada.ID, i.ID); err != nil || i.State != waymark.ImportInterrupted {
		t.Errorf("got %s (error %v), want interrupted", i.State, err)
	}
	if own, err := s.UnfinishedLinks(t.Context(), createImport(t, s, ada)); err != nil || len(own) != 1 || !own[imported[0].ID] {
		t.Errorf("got links %v (error %v), want only %d", own, err, imported[0].ID)
	}
	check(t, s.ImportSeen(t.Context(), i.ID))
	if i, err := s.Import(t.Context(), ada.ID, i.ID); err != nil || i.State != waymark.ImportRunning {
		t.Errorf("seen again: got %s (error %v), want running", i.State, err)
	}
}

func TestUndoEndsARunningImport(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		i := createImport(t, s, ada)
		for n := range 3 {
			if _, err := importLinks(t, s, ada, i.ID, []string{"list"}, fmt.Sprint("https://a.example/", n)); err != nil {
				t.Fatal(err)
			}
		}
		undone, err := s.UndoImport(t.Context(), ada.ID, i.ID)
		if err != nil || undone.Undone.Done != 3 || undone.Steps != 0 {
			t.Errorf("got %+v (error %v) and %d steps, want 3 links and no step", undone.Undone, err, undone.Steps)
		}
		if _, err := importLinks(t, s, ada, i.ID, nil, "https://late.example/"); !errors.Is(err, store.ErrImportEnded) {
			t.Errorf("import after undo: got error %v, want ErrImportEnded", err)
		}
		if err := s.ImportSeen(t.Context(), i.ID); !errors.Is(err, store.ErrImportEnded) {
			t.Errorf("seen after undo: got error %v, want ErrImportEnded", err)
		}
		if _, err := s.EndImport(t.Context(), i.ID, waymark.ImportFinished, ""); !errors.Is(err, store.ErrImportEnded) {
			t.Errorf("end after undo: got error %v, want ErrImportEnded", err)
		}
		lists, err := s.TrashedLists(ada.ID).Page(t.Context())
		if err != nil || lists.Total != 1 {
			t.Errorf("got %d lists in the trash (error %v), want 1", lists.Total, err)
		}
	})
}

func TestOldestImportsAreDeleted(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		of := createImport(t, s, bob)
		first := createImport(t, s, ada)
		var last waymark.Import
		for range waymark.MaxImports {
			last = createImport(t, s, ada)
		}
		all, err := s.Imports(t.Context(), ada.ID)
		if err != nil || len(all) != waymark.MaxImports || all[0].ID != last.ID || all[len(all)-1].ID != first.ID+1 {
			t.Errorf("got %d imports (error %v), want %d, the newest first", len(all), err, waymark.MaxImports)
		}
		if all, err := s.Imports(t.Context(), bob.ID); err != nil || len(all) != 1 || all[0].ID != of.ID {
			t.Errorf("got %d imports of bob (error %v), want his", len(all), err)
		}
	})
}

func TestOnlyTheFirstProblemsAreStored(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		i := createImport(t, s, ada)
		for n := range 3 {
			if _, err := s.StepImport(t.Context(), i.ID, func(context.Context, *store.Store) (step store.ImportStep, err error) {
				for m := range 400 {
					step.Problems = append(step.Problems, waymark.ImportProblem{Line: n*400 + m + 1, Text: "wrong"})
				}
				return step, nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		stored, err := s.ImportProblems(t.Context(), ada.ID, i.ID)
		if err != nil || len(stored) != waymark.MaxImportProblems || stored[999].Line != 1000 {
			t.Errorf("got %d problems (error %v), want the first %d", len(stored), err, waymark.MaxImportProblems)
		}
		if i, err = s.Import(t.Context(), ada.ID, i.ID); err != nil || i.Problems != 1200 {
			t.Errorf("got a count of %d (error %v), want 1200", i.Problems, err)
		}
		if stored, err := s.ImportProblems(t.Context(), bob.ID, i.ID); err != nil || len(stored) != 0 {
			t.Errorf("another user got %d problems (error %v), want none", len(stored), err)
		}
	})
}

// The texts of a file in the report of its import need not be storable.
func TestImportReportHasAnyText(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		i, err := s.CreateImport(t.Context(), waymark.Import{Owner: ada.ID, File: "a\x00.html"})
		check(t, err)
		_, err = s.StepImport(t.Context(), i.ID, func(context.Context, *store.Store) (store.ImportStep, error) {
			return store.ImportStep{Problems: []waymark.ImportProblem{{Line: 1, URL: "https://example.org/\x00", Text: "not read: \xff"}}}, nil
		})
		check(t, err)
		_, err = s.EndImport(t.Context(), i.ID, waymark.ImportFailed, "line 2: \x00")
		check(t, err)
		i, err = s.Import(t.Context(), ada.ID, i.ID)
		check(t, err)
		problems, err := s.ImportProblems(t.Context(), ada.ID, i.ID)
		check(t, err)
		got := []string{i.File, i.Error, problems[0].URL, problems[0].Text}
		want := []string{"a\uFFFD.html", "line 2: \uFFFD", "https://example.org/\uFFFD", "not read: \uFFFD"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestRemovalOfAUserDoesNotDeadlockWithTheirImport(t *testing.T) {
	s := storetest.OpenWith(t, storetest.PostgresOptions(t))
	ada := storetest.User(t, s, "ada")
	i := createImport(t, s, ada)
	attempts, removed := 0, make(chan error, 1)
	_, err := s.StepImport(t.Context(), i.ID, func(ctx context.Context, part *store.Store) (store.ImportStep, error) {
		if attempts++; attempts == 1 {
			go func() {
				removed <- s.RemoveUser(t.Context(), ada.ID, waymark.Guest, func(waymark.User, int) error {
					attempts++
					return nil
				})
			}()
			for waits := false; !waits; { // for a lock of the import
				rows, err := s.Rows(ctx, "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'advisory'")
				if err != nil {
					return store.ImportStep{}, err
				}
				waits = len(rows) > 0
			}
		}
		return store.ImportStep{}, part.ImportSettings(ctx, ada.ID, waymark.Settings{Language: "de"}, ada.DefaultVisibility)
	})
	check(t, err)
	check(t, <-removed)
	if attempts != 2 {
		t.Errorf("the import and the removal took %d attempts, want one each", attempts)
	}
}
