package transfer_test

import (
	"fmt"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// treeOf returns the paths of a user's lists with their positions, in the order of the tree.
func treeOf(t *testing.T, s *store.Store, user waymark.User) string {
	t.Helper()
	lists, err := s.ListTree(t.Context(), user.ID)
	check(t, err)
	var paths []string
	for _, list := range lists {
		path := ""
		for _, above := range list.Path {
			path += above.Name + "/"
		}
		paths = append(paths, fmt.Sprint(path, list.Name, " ", list.Position))
	}
	return strings.Join(paths, ", ")
}

func TestArchivesKeepTheTreeOfLists(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada, eve := storetest.User(t, s, "ada"), storetest.User(t, s, "eve")
		ids := map[string]waymark.ListID{}
		for _, name := range []string{"Go", "Work", "Old", "Inner", "Home"} {
			list, err := svc.addList(t.Context(), ada, waymark.ListInput{Name: name})
			check(t, err)
			ids[name] = list.ID
		}
		for _, move := range []struct{ list, parent, before string }{{"Go", "Work", ""}, {"Inner", "Old", ""}, {"Old", "Work", "Go"}, {"Home", "", "Work"}} {
			check(t, s.MoveLists(t.Context(), ada, []waymark.ListID{ids[move.list]}, waymark.ListPlace{Parent: ids[move.parent], Before: ids[move.before]}))
		}
		const want = "Home 1, Work 2, Work/Old 1, Work/Old/Inner 0, Work/Go 2"
		if got := treeOf(t, s, ada); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
		if _, err := s.DeleteWithSublists(t.Context(), ada, []int64{int64(ids["Old"])}); err != nil {
			t.Fatal(err)
		}
		file := export(t, svc, ada, transfer.ExportArchive)
		for range 2 { // the second time it finds the lists
			imported, problems := importArchive(t, svc, s, eve, strings.NewReader(file))
			if len(problems) > 0 {
				t.Error(problems)
			}
			if got, want := treeOf(t, s, eve), "Home 1, Work 2, Work/Go 2"; got != want {
				t.Errorf("import %d: got %s, want %s", imported.ID, got, want)
			}
		}
		if got := export(t, svc, eve, transfer.ExportArchive); got != file {
			t.Errorf("exported again: got\n%s\nwant\n%s", got, file)
		}
		trashed, err := s.TrashedLists(eve.ID).Page(t.Context())
		check(t, err)
		for _, list := range trashed.Entities {
			check(t, s.Restore(t.Context(), eve, waymark.Lists, int64(list.ID)))
		}
		if got := treeOf(t, s, eve); got != want {
			t.Errorf("restored: got %s, want %s", got, want)
		}
	})
}

// A list is another one than a list with its name in another list.
func TestArchivesUseListsAtTheirPlace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada, eve := storetest.User(t, s, "ada"), storetest.User(t, s, "eve")
		importRows(t, svc, ada, waymark.ImportOptions{}, rowsOf(inFolders("a", "Home/Go"), inFolders("b", "Work/Go"), inFolders("c", "New")))
		importRows(t, svc, eve, waymark.ImportOptions{}, rowsOf(inFolders("d", "Work/Go"), inFolders("e", "Work/New")))
		file := export(t, svc, ada, transfer.ExportArchive)
		importArchive(t, svc, s, eve, strings.NewReader(file))
		if got, want := treeOf(t, s, eve), "Work 0, Work/Go 0, Work/New 0, Home 1, Home/Go 0, New 3"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestArchivesHaveTheEditorsOfLists(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		svc := newFixture(s)
		ada, eve := storetest.User(t, s, "ada"), storetest.User(t, s, "eve")
		storetest.User(t, s, "ben")
		list := storetest.SharedList(t, s, ada)
		check(t, s.SetListEditors(t.Context(), ada, list.ID, waymark.Editors{Who: waymark.EditedByNamed, Users: []string{"ben", "eve"}}))
		if _, problems := importArchive(t, svc, s, eve, strings.NewReader(export(t, svc, ada, transfer.ExportArchive))); len(problems) > 0 {
			t.Error(problems)
		}
		lists, err := s.OwnLists(eve.ID).Page(t.Context())
		check(t, err)
		editors, err := s.ListEditors(t.Context(), eve, lists.Entities[0].ID)
		if err != nil || editors.Who != waymark.EditedByNamed || strings.Join(editors.Users, " ") != "ben" {
			t.Errorf("got %+v, %v, want ben, without eve, who owns it now", editors, err)
		}
	})
}
