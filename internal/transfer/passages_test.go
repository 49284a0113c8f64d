package transfer_test

import (
	"archive/zip"
	"io"
	"slices"
	"strings"
	"testing"

	"waymark/internal/bookmarks"
	"waymark/internal/fetch/article"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

func TestPassagesAreInArchivesBooksAndFilesOfTheirOwn(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		svc.setQuota(1 << 20)
		ada, bob, eve := storetest.User(t, s, "ada"), storetest.User(t, s, "bob"), storetest.User(t, s, "eve")
		text := article.Article{Title: "Bread", Byline: "Bo Baker", HTML: "<p>Flour, water &amp; time.</p><p>Salt.</p>"}
		bread := svc.addText(t, ada, "https://bread.example/", text)
		shared := svc.addText(t, bob, "https://shared.example/", text)
		check(t, svc.editLink(t.Context(), bob, shared.ID, waymark.LinkInput{URL: shared.URL, VisibilityInput: waymark.VisibilityInput{Visibility: new(waymark.Internal)}}))
		mark := func(user waymark.User, link waymark.Link, exact, note string) {
			t.Helper()
			quote, _ := article.Complete(text.HTML, waymark.Quote{Exact: exact})
			_, err := s.CreatePassage(t.Context(), waymark.Passage{Owner: user.ID, Link: link.ID, Quote: quote, Note: note})
			check(t, err)
		}
		mark(ada, bread, "Salt", "")
		mark(ada, bread, "water & time.\nSalt", "=1+1 <b>")
		mark(ada, shared, "[Flour](x)", "")
		mark(bob, shared, "time", "bob's")

		file := export(t, svc, ada, transfer.ExportArchive)
		if got := strings.Count(file, `{"type":"passage"`); got != 3 {
			t.Fatalf("got %d passages, want 3:\n%s", got, file)
		}
		for range 2 {
			if _, problems := importArchive(t, svc, s, eve, strings.NewReader(file)); len(problems) > 0 {
				t.Errorf("got problems %q", problems)
			}
			if got := export(t, svc, eve, transfer.ExportArchive); got != file {
				t.Errorf("got\n%s\nwant\n%s", got, file)
			}
		}

		want := "## [" + bread.Title + "](<https://bread.example/>)\n\n> water \\& time.\n> Salt\n\n=1+1 <b>\n\n> Salt\n\n## [" + shared.Title +
			"](<https://shared.example/>)\n\n> \\[Flour\\](x)\n"
		if got := export(t, svc, ada, transfer.ExportMarked); got != want {
			t.Errorf("Markdown: got\n%s\nwant\n%s", got, want)
		}
		readwise := export(t, svc, ada, transfer.ExportReadwise)
		for _, want := range []string{"Highlight,Title,Author,URL,Note,Location,Date\n", "\"water & time.\nSalt\"," + bread.Title + ",Bo Baker,https://bread.example/,'=1+1 <b>,", "\n[Flour](x),"} {
			if !strings.Contains(readwise, want) {
				t.Errorf("Readwise: got\n%s\nwithout %s", readwise, want)
			}
		}

		var book strings.Builder
		check(t, svc.WriteBook(t.Context(), ada.ID, transfer.LinkBook(bread, "https://waymark.example"), &book))
		if got := chapterOf(t, book.String()); !strings.Contains(got, "<p>Flour, <mark>water &amp; time.</mark></p><p><mark>Salt</mark>.</p>") {
			t.Errorf("got the chapter %s", got)
		}
	})
}

// chapterOf returns the first chapter of a book.
func chapterOf(t *testing.T, book string) string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(book), int64(len(book)))
	check(t, err)
	chapter, err := z.Open("chapter-1.xhtml")
	check(t, err)
	content, err := io.ReadAll(chapter)
	check(t, err)
	return string(content)
}

func TestHighlightsOfOtherProgramsArePassages(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		const bread = "https://bread.example/"
		long := strings.Repeat("long ", 1001)
		rows := rowsOf(
			bookmarks.Bookmark{URL: bread, Notes: []bookmarks.Note{{Quote: "Flour", Text: "Why?"}, {Text: "A note"}, {Quote: long}}},
			bookmarks.Bookmark{URL: bread, Notes: []bookmarks.Note{{Quote: "Flour", Text: "Why?"}, {Quote: "water", CreatedAt: 1e15}}},
		)
		for range 2 {
			importRows(t, svc, ada, waymark.ImportOptions{}, rows)
			passages, err := s.PassagesOfLink(t.Context(), ada.ID, 1)
			check(t, err)
			got := waymark.Map(passages, func(p waymark.Passage) string { return p.Exact + ": " + p.Note })
			if want := []string{"Flour: Why?", "water: "}; !slices.Equal(got, want) || passages[1].CreatedAt != 1e15 {
				t.Errorf("got %q, want %q", got, want)
			}
			notes, err := s.NotesOfLink(ada.ID, 1, waymark.Pagination{Limit: 10}).Page(t.Context())
			check(t, err)
			if len(notes.Entities) != 2 || notes.Entities[1].Text != "> "+strings.TrimSpace(long) {
				t.Errorf("got %d notes, want one, and one of what is too long for a passage", len(notes.Entities))
			}
		}
	})
}
