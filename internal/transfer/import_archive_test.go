package transfer_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"waymark/internal/archive"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// importArchive imports an archive and returns the import with its problems.
func importArchive(t testing.TB, svc *fixture, s *store.Store, user waymark.User, file io.Reader) (waymark.Import, []string) {
	t.Helper()
	batch, err := svc.BeginImport(t.Context(), user, waymark.Import{File: "archive.ndjson"}, nil)
	check(t, err)
	i, err := batch.Archive(t.Context(), archive.Read(file))
	check(t, err)
	return i, problemsOf(t, s, user, i)
}

func problemsOf(t testing.TB, s *store.Store, user waymark.User, i waymark.Import) (texts []string) {
	t.Helper()
	problems, err := s.ImportProblems(t.Context(), user.ID, i.ID)
	check(t, err)
	for _, p := range problems {
		texts = append(texts, p.String())
	}
	return texts
}

// withoutHidden returns the archive of fillCollection without the note on a link that its author no
// longer sees.
func withoutHidden(text string) string {
	lines := strings.SplitAfter(text, "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, `{"type":"note","text"`) })
	text = strings.Join(lines, "")
	return strings.Replace(text, `"entities":16`, `"entities":15`, 1)
}

func TestImportedArchiveIsExportedAgain(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		bob, ada := storetest.User(t, s, "bob"), storetest.User(t, s, "ada")
		fillCollection(t, svc, s, ada, bob)
		want := export(t, svc, ada, transfer.ExportArchive)
		eve := storetest.User(t, s, "eve")
		i, problems := importArchive(t, svc, s, eve, strings.NewReader(want))
		if wantProblems := []string{"line 16: the note belongs to a link of another user that its author could no longer see: it cannot be saved"}; !slices.Equal(problems, wantProblems) {
			t.Errorf("got problems %q, want %q", problems, wantProblems)
		}
		if got := (waymark.ImportCounts{Read: 4, Added: 4}); i.Counts != got {
			t.Errorf("got %+v, want %+v", i.Counts, got)
		}
		want = withoutHidden(want)
		if got := export(t, svc, eve, transfer.ExportArchive); got != want {
			t.Errorf("exported again: got\n%s\nwant\n%s", got, want)
		}
		// A second time it adds nothing, also to the account that it is from.
		before := export(t, svc, ada, transfer.ExportArchive)
		for _, user := range []waymark.User{eve, ada} {
			i, _ := importArchive(t, svc, s, user, strings.NewReader(want))
			if got := (waymark.ImportCounts{Read: 4, Skipped: 4}); i.Counts != got {
				t.Errorf("again for %s: got %+v, want %+v", user.Name, i.Counts, got)
			}
		}
		if got := export(t, svc, ada, transfer.ExportArchive); got != before {
			t.Errorf("imported where it is from: got\n%s\nwant\n%s", got, before)
		}
		if got := export(t, svc, eve, transfer.ExportArchive); got != want {
			t.Errorf("imported twice: got\n%s\nwant\n%s", got, want)
		}
	})
}

func TestEntitiesWithoutTimeOfCreationAreImportedOnce(t *testing.T) {
	const file = `{"format":"waymark-archive","version":1}
{"type":"list","number":1,"name":"gone","deleted_at":"2022-02-02T22:22:22Z"}
{"type":"tag","number":1,"name":"gone","deleted_at":"2022-02-02T22:22:22Z"}
{"type":"link","number":1,"url":"https://a.example/","title":"a"}
{"type":"note","link":1,"text":"undated"}
{"type":"note","link":1,"text":"undated"}
{"type":"note","link":1,"text":"changed","updated_at":"2022-02-02T22:22:22Z"}
{"type":"note","link":1,"text":"undated, deleted","deleted_at":"2022-02-02T22:22:22Z"}
{"type":"link","number":2,"url":"https://gone.example/","title":"gone","deleted_at":"2022-02-02T22:22:22Z"}
{"type":"note","url":"https://other.example/","title":"other","text":"undated"}
{"type":"end","entities":9}
`
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc, ada := newFixture(s), storetest.User(t, s, "ada")
		var once string
		for range 3 {
			if _, problems := importArchive(t, svc, s, ada, strings.NewReader(file)); len(problems) > 0 {
				t.Errorf("problems: %q", problems)
			}
			got := export(t, svc, ada, transfer.ExportArchive)
			if once = cmp.Or(once, got); got != once || strings.Count(got, "\n") != 13 {
				t.Errorf("got\n%s\nwant 13 lines\n%s", got, once)
			}
		}
	})
}

// large returns an archive with many links and with a link that has many notes, so that an import
// needs several steps.
func large(t *testing.T) string {
	t.Helper()
	at := func(i int) archive.Times {
		return archive.Times{CreatedAt: archive.Time(1_500_000_000_000_000 + i), UpdatedAt: archive.Time(1_600_000_000_000_000)}
	}
	all := []archive.Entity{archive.Settings{Theme: "dark", Default: archive.DefaultVisibility{Links: 3, Lists: 3, Tags: 3, Notes: 3}}}
	for i := range 600 {
		all = append(all, archive.List{Number: i + 1, Name: "same name", Visibility: 3, Times: at(0)})
	}
	all = append(all, archive.Tag{Number: 1, Name: "go", Visibility: 3, Times: at(0)})
	for i := range 700 {
		all = append(all, archive.Link{Number: i + 1, URL: fmt.Sprint("https://a.example/", i), Title: "a", Visibility: 3, Status: 1, Lists: []int{i%600 + 1}, Tags: []int{1}, Times: at(i)})
		if i == 300 {
			for range 600 {
				all = append(all, archive.Note{Link: i + 1, Text: "same text", Visibility: 3, Times: at(0)})
			}
		}
	}
	return archiveOf(t, all)
}

func TestInterruptedArchiveIsContinuedByImportingItAgain(t *testing.T) {
	file := large(t)
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		for steps := 1; ; steps += 3 {
			user := storetest.User(t, s, fmt.Sprint("user", steps))
			ctx, cancel := context.WithCancel(t.Context())
			done := 0
			batch, err := svc.BeginImport(ctx, user, waymark.Import{}, func(waymark.Import, []waymark.ImportProblem) {
				if done++; done == steps {
					cancel()
				}
			})
			check(t, err)
			_, err = batch.Archive(ctx, archive.Read(strings.NewReader(file)))
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if _, problems := importArchive(t, svc, s, user, strings.NewReader(file)); len(problems) > 0 {
				t.Errorf("interrupted after step %d: problems %q", steps, problems)
			}
			if got := export(t, svc, user, transfer.ExportArchive); got != file {
				t.Errorf("interrupted after step %d: the export has %d bytes, want the %d bytes of the archive", steps, len(got), len(file))
			}
			cancel()
			if err == nil {
				return
			}
		}
	})
}

func TestArchiveIsMergedWithWhatTheAccountHas(t *testing.T) {
	const file = `{"format":"waymark-archive","version":1}
{"type":"settings","theme":"dark","default_visibility":{"links":"public"}}
{"type":"list","number":1,"name":"reading","visibility":"public"}
{"type":"list","number":5,"name":"New","pinned":true}
{"type":"list","number":6,"name":" , "}
{"type":"tag","number":2,"name":"GO","visibility":"public"}
{"type":"tag","number":3,"name":"go"}
{"type":"tag","number":4,"name":"new"}
{"type":"tag","number":5,"name":"NEW"}
{"type":"link","number":1,"url":"https://saved.example/","title":"other title","lists":[1,5,6,7],"tags":[2]}
{"type":"note","link":1,"text":"a note"}
{"type":"link","number":2,"url":"javascript:alert(1)"}
{"type":"note","link":2,"text":"on what is not saved"}
{"type":"link","number":3,"url":"https://new.example/","tags":[4,5],"image_url":"javascript:alert(1)"}
{"type":"link","number":4,"url":"https://new.example/","lists":[5]}
{"type":"link","number":5,"url":"https://a.example/","status":"gone"}
{"type":"note","url":"https://elsewhere.example/","title":"Elsewhere","text":"on a link of somebody"}
{"type":"saved_search","name":"new","query":"list:#5 OR list:#6"}
{"type":"end","entities":17}
`
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		link := storetest.Link(t, s, ada, "https://saved.example/", waymark.Private, "go")
		if _, err := svc.addList(t.Context(), ada, waymark.ListInput{Name: "Reading"}); err != nil {
			t.Fatal(err)
		}
		before := collection(t, s, ada)
		i, problems := importArchive(t, svc, s, ada, strings.NewReader(file))
		if want := (waymark.ImportCounts{Read: 6, Added: 2, Updated: 1, Merged: 1, Failed: 2}); i.Counts != want {
			t.Errorf("got %+v, want %+v", i.Counts, want)
		}
		want := []string{
			"line 5: name is required",
			"line 10: https://saved.example/: the archive has no list 7",
			"line 12: javascript:alert(1): a URL such as this cannot be saved",
			"line 13: the link of the note could not be saved",
			"line 14: https://new.example/: image_url: cannot be saved, so it was left out",
			`line 16: invalid status "gone": use ok, moved or broken`,
		}
		if !slices.Equal(problems, want) {
			t.Errorf("got problems\n%s\nwant\n%s", strings.Join(problems, "\n"), strings.Join(want, "\n"))
		}
		wantCollection(t, "merged", s, ada,
			"active https://elsewhere.example/ Elsewhere private [note on a link of somebody]",
			"active https://new.example/ new.example private [list New tag new]",
			"active https://saved.example/ saved.example private [list New list Reading tag go note a note]",
		)
		notes, err := s.NotesOfLink(ada.ID, link.ID, waymark.Pagination{Limit: 10}).Page(t.Context())
		if err != nil || len(notes.Entities) != 1 || notes.Entities[0].Text != "a note" {
			t.Errorf("got notes %+v, %v, want the one of the archive", notes.Entities, err)
		}
		if settings, err := s.Accounts.Settings(t.Context(), ada.ID); err != nil || settings != (waymark.Settings{}) {
			t.Errorf("got settings %+v, %v, want those of before", settings, err)
		}
		if _, err := svc.UndoImport(t.Context(), ada, i.ID); err != nil {
			t.Fatal(err)
		}
		wantCollection(t, "undone", s, ada, append(before,
			"trash https://elsewhere.example/ Elsewhere private [note on a link of somebody]",
			"trash https://new.example/ new.example private []")...)
		notes, err = s.NotesOfLink(ada.ID, link.ID, waymark.Pagination{Limit: 10}).Page(t.Context())
		if searches, searchErr := s.Accounts.SavedSearches(t.Context(), ada.ID); err != nil || searchErr != nil || len(notes.Entities) != 0 || len(searches) != 0 {
			t.Errorf("undone: got notes %+v and searches %+v, want none", notes.Entities, searches)
		}
	})
}

func TestSettingsOfAnArchiveAreUndoneWithIt(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		before := export(t, svc, ada, transfer.ExportArchive)
		i, _ := importArchive(t, svc, s, ada, strings.NewReader(large(t)))
		if settings, err := s.Accounts.Settings(t.Context(), ada.ID); err != nil || settings.Theme != waymark.DarkTheme {
			t.Errorf("got settings %+v, %v, want those of the archive", settings, err)
		}
		if _, err := svc.UndoImport(t.Context(), ada, i.ID); err != nil {
			t.Fatal(err)
		}
		for _, kind := range []waymark.EntityKind{waymark.Links, waymark.Lists, waymark.Tags, waymark.Notes} {
			check(t, s.ClearTrash(t.Context(), ada.ID, kind))
		}
		if got := export(t, svc, ada, transfer.ExportArchive); got != before {
			t.Errorf("got\n%s\nwant\n%s", got, before)
		}
	})
}

func TestVisibilityOfAnImportReplacesThatOfTheArchive(t *testing.T) {
	s := storetest.Open(t)
	svc := newFixture(s)
	ada := storetest.User(t, s, "ada")
	batch, err := svc.BeginImport(t.Context(), ada, waymark.Import{Options: waymark.ImportOptions{Visibility: waymark.Internal}}, nil)
	check(t, err)
	if _, err := batch.Archive(t.Context(), archive.Read(strings.NewReader(`{"format":"waymark-archive","version":1}
{"type":"link","number":1,"url":"https://default.example/"}
{"type":"link","number":2,"url":"https://private.example/","visibility":"private"}
{"type":"link","number":3,"url":"https://public.example/","visibility":"public"}
{"type":"end","entities":3}
`))); err != nil {
		t.Fatal(err)
	}
	wantCollection(t, "imported", s, ada,
		"active https://default.example/ default.example internal []",
		"active https://private.example/ private.example private []",
		"active https://public.example/ public.example internal []")
}
