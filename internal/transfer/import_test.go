package transfer_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"waymark/internal/bookmarks"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// collection returns the user's links, lists and tags, those in the trash included, as text
// without ids and times of the store.
func collection(t *testing.T, s *store.Store, user waymark.User) []string {
	t.Helper()
	var all []string
	for state, listing := range map[string]store.Listing[waymark.Link]{
		"active": s.Links(user.ID, waymark.Order{By: waymark.SortByID}, waymark.Pagination{}),
		"trash":  s.TrashedLinks(user.ID),
	} {
		check(t, listing.Stream(t.Context(), func(_ int, links iter.Seq2[waymark.Link, error]) error {
			for l, err := range links {
				if err != nil {
					return err
				}
				if l.Owner != user.ID {
					continue
				}
				var labels []string
				for _, flag := range []waymark.LinkFlag{waymark.FlagUnread, waymark.FlagArchived, waymark.FlagFavorite} {
					if l.Has(flag) {
						labels = append(labels, flag.String())
					}
				}
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
		}))
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
	check(t, err)
	const ignored = 1200
	i, err := batch.Bookmarks(t.Context(), func(yield func(bookmarks.Bookmark, error) bool) {
		yield(bookmarks.Bookmark{URL: "https://example.org/"}, nil)
		for range ignored {
			if !yield(bookmarks.Bookmark{}, &bookmarks.RowError{Err: errors.New("too deep"), Saved: true}) {
				return
			}
		}
	})
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
			"active https://a.example/ A title public [list Go list Home tag blue tag red note a note note a note]",
			"active https://long.example/ "+strings.Repeat("é", 1000)+" private []",
			"trash https://old.example/ old.example private []",
		)
		got := problemsOf(t, s, ada, i)
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

func TestImportOfARemovedUserSaysSo(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		batch, err := svc.BeginImport(t.Context(), ada, waymark.Import{File: "bookmarks.html"}, func(waymark.Import, []waymark.ImportProblem) {
			if err := storetest.RemoveUser(t.Context(), s, ada.ID); err != nil {
				t.Error(err)
			}
		})
		check(t, err)
		var all []bookmarks.Bookmark
		for n := range 600 {
			all = append(all, bookmarks.Bookmark{URL: fmt.Sprint("https://a.example/", n)})
		}
		_, err = batch.Bookmarks(t.Context(), rowsOf(all...))
		if !errors.Is(err, store.ErrImportEnded) || !strings.Contains(err.Error(), "its user was removed") {
			t.Errorf("got error %v, want ErrImportEnded, which says that the user was removed", err)
		}
	})
}

func TestImportReportsInvalidBytes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		file := strings.NewReader("\ufeffurl,title\nhttps://a.example/,Caf\xe9\nhttps://b.example/,Café\n")
		batch, err := svc.OpenImport(t.Context(), ada, waymark.Import{File: "bookmarks.csv"}, file, nil)
		check(t, err)
		i, err := batch.Run(t.Context())
		if err != nil || i.Counts.Added != 2 {
			t.Errorf("got %+v and error %v, want 2 links", i.Counts, err)
		}
		want := []string{"line 2: https://a.example/: bytes that are not in the character set of the file were replaced by \ufffd"}
		if got := problemsOf(t, s, ada, i); !slices.Equal(got, want) {
			t.Errorf("got the problems %q, want %q", got, want)
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
		check(t, err)
		i, err := batch.Bookmarks(ctx, rowsOf(all...))
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

func TestImportReportsListsAndTagsThatAreTooMany(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		b := bookmarks.Bookmark{URL: "https://a.example/"}
		for n := range max(waymark.MaxLinkFolders, waymark.MaxLinkTags) + 1 {
			b.Folders = append(b.Folders, []string{fmt.Sprint("list ", n)})
			b.Tags = append(b.Tags, fmt.Sprint("tag ", n))
		}
		i := importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(b))
		got := problemsOf(t, s, ada, i)
		want := []string{
			fmt.Sprintf("line 1: https://a.example/: lists: more than %d, so the others were left out", waymark.MaxLinkFolders),
			fmt.Sprintf("line 1: https://a.example/: tags: more than %d, so the others were left out", waymark.MaxLinkTags),
		}
		if !slices.Equal(got, want) {
			t.Errorf("got problems %q, want %q", got, want)
		}
	})
}

func TestProgressOfAnImportRises(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const count = 2000
		var file strings.Builder
		file.WriteString("url,title\n")
		for n := range count {
			fmt.Fprintf(&file, "https://a.example/%d,%s\n", n, strings.Repeat("title ", 30))
		}
		var positions []int64
		batch, err := newFixture(s).OpenImport(t.Context(), storetest.User(t, s, "ada"), waymark.Import{}, strings.NewReader(file.String()),
			func(i waymark.Import, _ []waymark.ImportProblem) { positions = append(positions, i.Position) })
		check(t, err)
		i, err := batch.Run(t.Context())
		if err != nil || i.Counts.Added != count {
			t.Fatalf("got %d added and error %v, want %d", i.Counts.Added, err, count)
		}
		if size := int64(file.Len()); !slices.IsSorted(positions) || positions[0] > size/2 || positions[len(positions)-1] != size {
			t.Errorf("got positions %d of %d, want rising ones", positions, size)
		}
	})
}

// The function raises what PostgreSQL raises if it cannot extend a file.
func TestImportOnAFullDiskOfPostgreSQLSaysSoAtOnce(t *testing.T) {
	o := storetest.PostgresOptions(t)
	s := storetest.OpenWith(t, o)
	svc, ada := newFixture(s), storetest.User(t, s, "ada")
	db, err := sql.Open("pgx", o.Database)
	check(t, err)
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(t.Context(), `
		CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$;
		CREATE TRIGGER fail BEFORE INSERT ON links EXECUTE FUNCTION fail()`); err != nil {
		t.Fatal(err)
	}
	batch, err := svc.BeginImport(t.Context(), ada, waymark.Import{File: "bookmarks.html"}, nil)
	check(t, err)
	start := time.Now()
	i, err := batch.Bookmarks(t.Context(), rowsOf(bookmarks.Bookmark{URL: "https://a.example/"}))
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
		check(t, err)
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
