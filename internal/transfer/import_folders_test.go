package transfer_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"waymark/internal/bookmarks"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// inFolders returns a bookmark in folders, each a path such as "A/B".
func inFolders(url string, paths ...string) bookmarks.Bookmark {
	b := bookmarks.Bookmark{Ordered: true}
	if url != "" {
		b.URL = "https://" + url + ".example/"
	}
	for _, path := range paths {
		b.Folders = append(b.Folders, strings.Split(path, "/"))
	}
	return b
}

func wantTree(t *testing.T, what string, s *store.Store, user waymark.User, want string) {
	t.Helper()
	if got := treeOf(t, s, user); got != want {
		t.Errorf("%s: got the lists %s, want %s", what, got, want)
	}
}

func TestFoldersBecomeListsInLists(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		_, err := svc.addList(t.Context(), bob, waymark.ListInput{Name: "Work", VisibilityInput: waymark.VisibilityInput{Visibility: new(waymark.Public)}})
		check(t, err)
		all := []bookmarks.Bookmark{
			inFolders("a", "Work/Zoo"), inFolders("b", "Work/go"), inFolders("c", "Work/Art"), inFolders("", "Work/Empty/New folder"),
			inFolders("d", "Home/New folder"), inFolders("e", "Home"), inFolders("a", "Home"), inFolders("f", "WORK/Go"),
		}
		importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(all...))
		// The order of the file is kept where it is not that of the names.
		const tree = "Work 1, Work/Zoo 1, Work/go 2, Work/Art 3, Work/Empty 4, Work/Empty/New folder 0, Home 2, Home/New folder 0"
		want := []string{
			"active https://a.example/ a.example private [list Home list Zoo]",
			"active https://b.example/ b.example private [list go]",
			"active https://c.example/ c.example private [list Art]",
			"active https://d.example/ d.example private [list New folder]",
			"active https://e.example/ e.example private [list Home]",
			"active https://f.example/ f.example private [list go]",
		}
		check := func(what string) {
			t.Helper()
			all := treeOf(t, s, ada)
			if got := strings.TrimSuffix(all, ", Work 0"); got != tree || got == all { // the last one is bob's
				t.Errorf("%s: got the lists %s, want %s and that of bob", what, all, tree)
			}
			wantCollection(t, what, s, ada, want...)
		}
		check("imported")
		if again := importRows(t, svc, ada, waymark.ImportOptions{OnDuplicate: waymark.UpdateDuplicates}, rowsOf(all...)); again.Counts.Added+again.Counts.Updated > 0 {
			t.Errorf("imported again: got %+v, want no change", again.Counts)
		}
		check("imported again")
		links, err := s.SearchLinks(bob.ID, waymark.LinkFilter{}, waymark.Order{}, waymark.Pagination{Limit: 9}).Page(t.Context())
		if err != nil || len(links.Entities) > 0 {
			t.Errorf("bob sees %v, %v, want nothing", links.Entities, err)
		}
	})
}

// A file with folders that the user has adds to them, and its new folders stand where new lists do.
func TestFoldersUseListsAtTheirPlace(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(inFolders("a", "B/Go"), inFolders("b", "C")))
		importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(inFolders("c", "C/Go"), inFolders("d", "A"), inFolders("e", "b/Zoo"), inFolders("f", "b/Art")))
		wantTree(t, "a second file", s, ada, "A 0, B 0, B/Art 0, B/Go 0, B/Zoo 0, C 0, C/Go 0")
		csv := inFolders("g", "New/Zoo")
		csv.Ordered = false
		other := inFolders("h", "New/Art")
		other.Ordered = false
		importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(csv, other))
		wantTree(t, "a file without an order", s, ada, "A 0, B 0, B/Art 0, B/Go 0, B/Zoo 0, C 0, C/Go 0, New 0, New/Art 0, New/Zoo 0")
	})
}

func TestFoldersBecomeFlatListsOrTags(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		for folders, want := range map[waymark.ImportFolders]string{
			waymark.FoldersToNested: "list Go", waymark.FoldersToFlat: "list Work / Go", waymark.FoldersToTags: "tag Work / Go",
			waymark.FoldersToBoth: "list Go tag Work / Go", waymark.FoldersIgnored: "",
		} {
			user := storetest.User(t, s, "user "+string(folders))
			importRows(t, svc, user, waymark.ImportOptions{Folders: folders}, rowsOf(inFolders("a", "Work/Go"), inFolders("", "Empty")))
			wantCollection(t, string(folders), s, user, "active https://a.example/ a.example private ["+want+"]")
			if got := treeOf(t, s, user); strings.Contains(got, "Empty") != folders.Nested() {
				t.Errorf("%s: got the lists %s, want the empty one if they are nested", folders, got)
			}
		}
	})
}

func TestFlatListsAreNotThoseOfTheSameNameInOthers(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(inFolders("a", "B/Go")))
		flat := waymark.ImportOptions{Folders: waymark.FoldersToFlat, FolderNames: waymark.FolderLeaf}
		importRows(t, svc, ada, flat, rowsOf(inFolders("b", "A/Go"), inFolders("c", "C/Go")))
		wantTree(t, "flat", s, ada, "B 0, B/Go 0, Go 0")
	})
}

func TestLongPathsOfFoldersAreNotCopiedForEachBookmark(t *testing.T) {
	s := storetest.Open(t)
	const rows = 500
	path := strings.Repeat(strings.Repeat("ä", 2000)+"/", 99)
	all := make([]bookmarks.Bookmark, rows)
	for i := range all {
		all[i] = inFolders(fmt.Sprint("a", i), path+"b")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	i := importRows(t, newFixture(s), storetest.User(t, s, "ada"), waymark.ImportOptions{Folders: waymark.FoldersToTags}, rowsOf(all...))
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; i.Counts.Added != rows || got > rows*uint64(len(path))/2 {
		t.Errorf("got %+v, allocated %d bytes for %d bookmarks in folders with %d bytes of names", i.Counts, got, rows, len(path))
	}
}

// Folders that are too deep end in a list with the names of the rest, and the report says so once for each.
func TestDeepFoldersAreJoined(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		i := importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(
			inFolders("a", "1/2/3/4/5/6/7/8/9/10"), inFolders("b", "1/2/3/4/5/6/7/8/9/10/11/12"), inFolders("c", "1/2/3/4/5/6/7/8/9/10/11/12"), inFolders("d", "1/2/3/4/5/6/7/8/9/10/11")))
		got := treeOf(t, s, ada)
		at := strings.LastIndex(got, "/9 0, ")
		const path = "1/2/3/4/5/6/7/8/9/"
		if want := path + "10 1, " + path + "10 / 11 / 12 2, " + path + "10 / 11 3"; at < 0 || got[at+len("/9 0, "):] != want {
			t.Errorf("got the lists %s, want %s at the end", got, want)
		}
		problems, err := s.ImportProblems(t.Context(), ada.ID, i.ID)
		if err != nil || len(problems) != 2 || problems[0].Line != 2 || problems[1].Line != 4 {
			t.Errorf("got %v, %v, want problems in lines 2 and 4", problems, err)
		}
		for _, p := range problems {
			if want := "folders: more than 10 inside each other, so the names of the deepest ones were joined"; p.Reason() != want {
				t.Errorf("got %q, want %q", p.Reason(), want)
			}
		}
	})
}

func TestUndoTakesBackTheTree(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		mine, err := svc.addList(t.Context(), ada, waymark.ListInput{Name: "Mine"})
		check(t, err)
		all := []bookmarks.Bookmark{
			inFolders("a", "Mine/New"), inFolders("b", "Moved/Deep/Deeper"), inFolders("", "Moved/Empty"), inFolders("c", "Used/By/Ada"),
			inFolders("d", "Holds/Mine"), inFolders("e", "Named"),
		}
		for n := range 600 { // in a second step
			all = append(all, inFolders(fmt.Sprint("x", n), "Moved/Many"))
		}
		i := importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(all...))
		ids := map[string]waymark.ListID{}
		lists, err := s.ListTree(t.Context(), ada.ID)
		check(t, err)
		for _, list := range lists {
			ids[strings.Join(list.Names(), " / ")] = list.ID
		}
		move := func(list, parent waymark.ListID) {
			t.Helper()
			check(t, s.MoveLists(t.Context(), ada, []waymark.ListID{list}, waymark.ListPlace{Parent: parent}))
		}
		move(ids["Moved"], mine.ID)
		move(ids["Moved / Deep"], ids["Named"])
		inner, err := svc.addList(t.Context(), ada, waymark.ListInput{Name: "Inner", Parent: new(ids["Holds / Mine"])})
		check(t, err)
		if _, err := svc.addLink(t.Context(), ada, waymark.LinkInput{URL: "https://mine.example/", Lists: &[]waymark.Ref{{ID: int64(ids["Used / By / Ada"])}}}); err != nil {
			t.Fatal(err)
		}
		if undone, err := svc.UndoImport(t.Context(), ada, i.ID); err != nil || undone.Undone.Done != 605 {
			t.Fatalf("got %+v, %v, want 605 links undone", undone.Undone, err)
		}
		wantTree(t, "undone", s, ada, "Holds 0, Holds/Mine 0, Holds/Mine/Inner 0, Mine 0, Used 0, Used/By 0, Used/By/Ada 0")
		if got, err := s.List(t.Context(), ada.ID, inner.ID); err != nil || got.Parent != ids["Holds / Mine"] {
			t.Errorf("got the parent %d, %v, want %d", got.Parent, err, ids["Holds / Mine"])
		}
		again := importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(all...))
		if again.Counts.Added != 605 {
			t.Errorf("imported again: got %+v, want 605 links added", again.Counts)
		}
	})
}

// Lists with their links, places and order come back from a file, whatever their names are.
func TestExportsGiveBackTheTree(t *testing.T) {
	eachDatabase(t, func(t *testing.T, svc *fixture, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		slash := inFolders("b", "x/x")
		slash.Folders = [][]string{{"Work", "Cats / Dogs", `\/`}, {"AC/DC", "/"}}
		older := inFolders("f", "Home/New folder")
		older.CreatedAt = 1_600_000_000_000_000
		importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(
			inFolders("a", "Work/Zoo/New folder", "Home/New folder"), slash, inFolders("c", "Work/Go"), inFolders("", "Work/Empty"),
			inFolders("", "Work/Also empty/Empty"), inFolders("d"), inFolders("e", "Home"), older,
		))
		const tree = `Work 1, Work/Zoo 1, Work/Zoo/New folder 0, Work/Cats / Dogs 2, Work/Cats / Dogs/\/ 0, Work/Go 3, Work/Empty 4, Work/Also empty 5, Work/Also empty/Empty 0, ` +
			`Home 2, Home/New folder 0, AC/DC 3, AC/DC// 0`
		wantTree(t, "imported", s, ada, tree)
		links := collection(t, s, ada)
		for _, format := range []transfer.ExportFormat{transfer.ExportHTML, transfer.ExportJSON, transfer.ExportCSV, transfer.ExportArchive} {
			file := export(t, svc, ada, format)
			eve := storetest.User(t, s, "eve "+string(format))
			batch, err := svc.OpenImport(t.Context(), eve, waymark.Import{}, strings.NewReader(file), nil)
			check(t, err)
			if i, err := batch.Run(t.Context()); err != nil || i.Problems > 0 {
				t.Errorf("%s: got %+v, %v, want no problems", format, i, err)
			}
			want := tree
			if format == transfer.ExportCSV { // it has links only
				want = `AC/DC 0, AC/DC// 0, Home 0, Home/New folder 0, Work 0, Work/Cats / Dogs 0, Work/Cats / Dogs/\/ 0, Work/Go 0, Work/Zoo 0, Work/Zoo/New folder 0`
			}
			wantTree(t, string(format), s, eve, want)
			wantCollection(t, string(format), s, eve, links...)
			if got := export(t, svc, eve, format); got != file {
				t.Errorf("%s: exported again: got\n%s\nwant\n%s", format, got, file)
			}
		}
	})
}
