package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"waymark/internal/bookmarks"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

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
			check(t, err)
			i, err := batch.Bookmarks(t.Context(), rowsOf(all...))
			if err != nil || i.Counts != step.want {
				t.Errorf("import %s: got %+v and error %v, want %+v", step.name, i.Counts, err, step.want)
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
		check(t, err)
		noted := bookmarks.Bookmark{URL: "https://a.example/", Notes: []bookmarks.Note{{Text: "a note"}}}
		all := []bookmarks.Bookmark{noted}
		for n := range 500 {
			all = append(all, bookmarks.Bookmark{URL: fmt.Sprint("https://b.example/", n)})
		}
		if _, err := batch.Bookmarks(ctx, rowsOf(all...)); !errors.Is(err, context.Canceled) {
			t.Fatalf("got error %v, want context.Canceled", err)
		}
		noted.Notes = append(noted.Notes, bookmarks.Note{Text: "another"})
		importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(noted))
		if got, want := collection(t, s, ada)[0], "active https://a.example/ a.example private [note a note note another]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// An import twice is the same as once, whatever is in the file, and undo leaves nothing.
func TestSecondImportOfAFileChangesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		seeds := uint64(4)
		if testing.Short() {
			seeds = 1
		}
		for seed := range seeds {
			r := rand.New(rand.NewPCG(seed, 8))
			options := waymark.ImportOptions{
				Folders:     []waymark.ImportFolders{waymark.FoldersToFlat, waymark.FoldersToTags, waymark.FoldersToBoth, waymark.FoldersIgnored}[r.IntN(4)],
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
			if _, err := svc.UndoImport(t.Context(), user, first.ID); err != nil {
				t.Fatal(err)
			}
			for _, link := range collection(t, s, user) {
				if !strings.HasPrefix(link, "trash ") {
					t.Errorf("options %+v: after undo there is %s", options, link)
				}
			}
			sidebar, err := s.Sidebar(t.Context(), user.ID)
			counts := sidebar.Counts
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
	for _, flag := range []**bool{&b.Flags.Unread, &b.Flags.Archived, &b.Flags.Favorite} {
		if r.IntN(3) == 0 {
			*flag = new(r.IntN(2) == 0)
		}
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

// Rows of one link are merged, also those in another step, and of a link that was there only the tags are.
func TestRowsOfALinkAreMerged(t *testing.T) {
	day := func(n int64) waymark.Time { return waymark.Time(1_600_000_000_000_000 + n*86_400_000_000) }
	flags := func(unread, favorite bool) waymark.FlagsInput {
		return waymark.FlagsInput{Unread: &unread, Favorite: &favorite}
	}
	row := func(url string, change func(b *bookmarks.Bookmark)) bookmarks.Bookmark {
		b := bookmarks.Bookmark{URL: url}
		change(&b)
		return b
	}
	visible := func(url string, v waymark.Visibility) bookmarks.Bookmark {
		return row(url, func(b *bookmarks.Bookmark) { b.Visibility = v })
	}
	dated := func(url string, at waymark.Time) bookmarks.Bookmark {
		return row(url, func(b *bookmarks.Bookmark) { b.CreatedAt = at })
	}
	flagged := func(url string, f waymark.FlagsInput) bookmarks.Bookmark {
		return row(url, func(b *bookmarks.Bookmark) { b.Flags = f })
	}
	tagged := func(url string, tags ...string) bookmarks.Bookmark {
		return row(url, func(b *bookmarks.Bookmark) { b.Tags = tags })
	}
	all := []bookmarks.Bookmark{
		visible("https://v1.example/", waymark.Public), visible("https://v1.example/", waymark.Private), visible("https://v2.example/", waymark.Private),
		visible("https://v2.example/", waymark.Public), visible("https://v3.example/", waymark.Public), visible("https://v3.example/", 0), visible("https://v4.example/", waymark.Public),
		dated("https://d1.example/", day(3)), dated("https://d1.example/", 0), dated("https://d1.example/", day(2)), dated("https://d2.example/", 0), dated("https://d2.example/", day(1)),
		flagged("https://f1.example/", flags(true, false)), flagged("https://f1.example/", flags(false, true)), flagged("https://f2.example/", flags(true, false)),
		tagged("http://www.k.example", "one"), tagged("http://www.k.example", "two"), tagged("https://www.k.example"), tagged("https://saved.example/", "three"), tagged("http://saved.example/"),
	}
	for n := range 600 { // so that the next ones are in another step
		all = append(all, bookmarks.Bookmark{URL: fmt.Sprint("https://other.example/", n)})
	}
	all = append(all, visible("https://v4.example/", waymark.Internal), dated("https://d1.example/", day(1)), dated("https://d2.example/", day(2)),
		flagged("https://f2.example/", flags(false, true)), flagged("https://saved.example/", flags(false, true)),
		row("http://www.k.example", func(b *bookmarks.Bookmark) { b.Notes = []bookmarks.Note{{Text: "noted"}} }))
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		storetest.Link(t, s, ada, "https://saved.example/", waymark.Private)
		i := importRows(t, svc, ada, waymark.ImportOptions{OnDuplicate: waymark.UpdateDuplicates}, rowsOf(all...))
		if want := (waymark.ImportCounts{Read: len(all), Added: 611, Merged: 13, Updated: 1, Skipped: 1}); i.Counts != want {
			t.Errorf("got %+v, want %+v", i.Counts, want)
		}
		got := slices.DeleteFunc(collection(t, s, ada), func(link string) bool { return strings.Contains(link, "other.example") })
		want := []string{
			"active http://saved.example/ saved.example private []", "active http://www.k.example www.k.example private [tag one tag two note noted]",
			"active https://d1.example/ d1.example private []", "active https://d2.example/ d2.example private []",
			"active https://f1.example/ f1.example private [unread favorite]", "active https://f2.example/ f2.example private [unread favorite]",
			"active https://saved.example/ saved.example private [tag three]",
			"active https://v1.example/ v1.example private []", "active https://v2.example/ v2.example private []",
			"active https://v3.example/ v3.example public []", "active https://v4.example/ v4.example internal []", "active https://www.k.example www.k.example private []",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for _, url := range []string{"https://d1.example/", "https://d2.example/"} {
			if link, err := s.LinkByURL(t.Context(), ada.ID, url); err != nil || link.CreatedAt != day(1) {
				t.Errorf("%s: got created at %s, %v, want the oldest date", url, link.CreatedAt, err)
			}
		}
		if problems := problemsOf(t, s, ada, i); len(problems) > 0 {
			t.Errorf("got the problems %q", problems)
		}
		// The link that was there loses its tag.
		undone, err := svc.UndoImport(t.Context(), ada, i.ID)
		if want := (waymark.UndoneLinks{Done: 612}); err != nil || undone.Undone != want {
			t.Errorf("got %+v (error %v), want %+v", undone.Undone, err, want)
		}
	})
}
