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
		seeds := uint64(6)
		if testing.Short() {
			seeds = 2
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

func TestLinkThatIsPrivateInOneRowIsPrivate(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		file := "url,visibility\nhttps://a.example/,public\nhttps://a.example/,private\nhttps://b.example/,private\nhttps://b.example/,public\n" +
			"https://c.example/,public\nhttps://c.example/,\nhttps://d.example/,public\n"
		for i := range 600 { // so that the last row is in another step
			file += fmt.Sprintf("https://example.org/%d,public\n", i)
		}
		file += "https://d.example/,internal\n"
		batch, err := svc.OpenImport(t.Context(), ada, waymark.Import{File: "links.csv", Options: waymark.ImportOptions{}}, strings.NewReader(file), nil)
		check(t, err)
		if _, err := batch.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for url, want := range map[string]waymark.Visibility{
			"https://a.example/": waymark.Private, "https://b.example/": waymark.Private, "https://c.example/": waymark.Public, "https://d.example/": waymark.Internal,
		} {
			page, err := s.SearchLinks(ada.ID, waymark.LinkFilter{Where: waymark.Contains{Text: url, In: waymark.InURL}}, waymark.Order{}, waymark.Pagination{Limit: 2}).Page(t.Context())
			if err != nil || len(page.Entities) != 1 || page.Entities[0].Visibility != want {
				t.Errorf("%s: got %v, %v, want one link with the visibility %v", url, page.Entities, err, want)
			}
		}
	})
}

func TestFlagsOfAllRowsOfANewLinkAreSet(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		storetest.Link(t, s, ada, "https://saved.example/", waymark.Private)
		unread, favorite := waymark.FlagsInput{Unread: new(true), Favorite: new(false)}, waymark.FlagsInput{Favorite: new(true)}
		all := []bookmarks.Bookmark{{URL: "https://a.example/", Flags: unread}, {URL: "https://a.example/", Flags: favorite}, {URL: "https://b.example/", Flags: unread}}
		for n := range 600 { // so that the next ones are in another step
			all = append(all, bookmarks.Bookmark{URL: fmt.Sprint("https://other.example/", n)})
		}
		all = append(all, bookmarks.Bookmark{URL: "https://b.example/", Flags: favorite}, bookmarks.Bookmark{URL: "https://saved.example/", Flags: favorite})
		i := importRows(t, svc, ada, waymark.ImportOptions{OnDuplicate: waymark.UpdateDuplicates}, rowsOf(all...))
		got := collection(t, s, ada)
		for at, want := range map[int]string{
			0:            "active https://a.example/ a.example private [unread favorite]",
			1:            "active https://b.example/ b.example private [unread favorite]",
			len(got) - 1: "active https://saved.example/ saved.example private []",
		} {
			if got[at] != want {
				t.Errorf("got %s, want %s", got[at], want)
			}
		}
		undone, err := svc.UndoImport(t.Context(), ada, i.ID)
		if want := (waymark.UndoneLinks{Done: 602}); err != nil || undone.Undone != want {
			t.Errorf("got %+v (error %v), want %+v", undone.Undone, err, want)
		}
	})
}

func TestURLsOfOnePageBecomeOneLink(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada := storetest.User(t, s, "ada")
		storetest.Link(t, s, ada, "https://saved.example/", waymark.Private)
		all := []bookmarks.Bookmark{
			{URL: "http://www.a.example", Tags: []string{"one"}}, {URL: "https://a.example/#top", Tags: []string{"two"}},
			{URL: "https://a.example/#place"}, {URL: "http://saved.example/?utm_source=x", Tags: []string{"three"}},
		}
		for n := range 600 { // so that the next one is in another step
			all = append(all, bookmarks.Bookmark{URL: fmt.Sprint("https://other.example/", n)})
		}
		all = append(all, bookmarks.Bookmark{URL: "https://a.example/?fbclid=1", Notes: []bookmarks.Note{{Text: "noted"}}})
		i := importRows(t, svc, ada, waymark.ImportOptions{OnDuplicate: waymark.UpdateDuplicates}, rowsOf(all...))
		if want := (waymark.ImportCounts{Read: 605, Added: 602, Merged: 2, Updated: 1}); i.Counts != want {
			t.Errorf("got %+v, want %+v", i.Counts, want)
		}
		got := collection(t, s, ada)
		for _, want := range []string{
			"active http://www.a.example www.a.example private [tag one tag two note noted]", "active https://a.example/#place a.example private []",
			"active https://saved.example/ saved.example private [tag three]",
		} {
			if !slices.Contains(got, want) {
				t.Errorf("there is no %s", want)
			}
		}
		problems := problemsOf(t, s, ada, i)
		want := []string{
			"line 2: https://a.example/#top: joined with http://www.a.example", "line 4: http://saved.example/?utm_source=x: joined with https://saved.example/",
			"line 605: https://a.example/?fbclid=1: joined with http://www.a.example",
		}
		if !slices.Equal(problems, want) {
			t.Errorf("got the problems %q, want %q", problems, want)
		}
	})
}
