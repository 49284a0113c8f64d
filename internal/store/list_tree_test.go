package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// forest creates private lists. Each is a path such as A/B, whose last name is new and unique.
func forest(t *testing.T, s *store.Store, owner waymark.User, paths ...string) map[string]waymark.ListID {
	t.Helper()
	ids := map[string]waymark.ListID{}
	for _, path := range paths {
		names := strings.Split(path, "/")
		draft := waymark.List{Name: names[len(names)-1], Visibility: waymark.Private}
		if len(names) > 1 {
			draft.Parent = ids[names[len(names)-2]]
		}
		list, err := s.CreateList(t.Context(), owner.ID, draft)
		check(t, err)
		ids[draft.Name] = list.ID
	}
	return ids
}

// wantForest compares the paths of all lists that viewer sees, in the order of the tree.
func wantForest(t *testing.T, s *store.Store, viewer waymark.User, want string) {
	t.Helper()
	lists, err := s.ListTree(t.Context(), viewer.ID)
	check(t, err)
	var paths []string
	for _, list := range lists {
		path := ""
		for _, above := range list.Path {
			path += above.Name + "/"
		}
		paths = append(paths, path+list.Name)
		if n := len(list.Path); (n == 0) != (list.Parent == 0) || n > 0 && list.Path[n-1].ID != list.Parent {
			t.Errorf("%s: the parent %d is not the last of the path %v", list.Name, list.Parent, list.Path)
		}
	}
	wantEqual(t, "tree", strings.Join(paths, " "), want)
}

func moveLists(t *testing.T, s *store.Store, owner waymark.User, place waymark.ListPlace, ids ...waymark.ListID) {
	t.Helper()
	check(t, s.MoveLists(t.Context(), owner, ids, place))
}

func TestListsStandByNameUntilSomebodyOrdersThem(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		ids := forest(t, s, ada, "C", "A", "B", "A/Y", "A/X")
		wantForest(t, s, ada, "A A/X A/Y B C")
		moveLists(t, s, ada, waymark.ListPlace{Before: ids["A"]}, ids["C"])
		wantForest(t, s, ada, "C A A/X A/Y B")
		forest(t, s, ada, "0")
		wantForest(t, s, ada, "C A A/X A/Y B 0")
		moveLists(t, s, ada, waymark.ListPlace{}, ids["A"])
		wantForest(t, s, ada, "C B 0 A A/X A/Y")
		moveLists(t, s, ada, waymark.ListPlace{Parent: ids["B"]}, ids["X"], ids["C"])
		wantForest(t, s, ada, "B B/C B/X 0 A A/Y")
		moveLists(t, s, ada, waymark.ListPlace{Before: ids["B"]}, ids["A"], ids["Y"], ids["X"])
		wantForest(t, s, ada, "A A/Y X B B/C 0")
	})
}

func TestMovedListsFormATree(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		ids := forest(t, s, ada, "1", "1/2", "2/3", "3/4", "4/5", "5/6", "6/7", "7/8", "8/9", "A", "A/B")
		ofBob := createList(t, s, bob, "bob", waymark.Public)
		trashed := createList(t, s, ada, "trashed", waymark.Private)
		moveToTrash(t, s, ada, waymark.Lists, trashed.ID)
		for _, test := range []struct {
			list  waymark.ListID
			place waymark.ListPlace
			want  error
		}{
			{ids["1"], waymark.ListPlace{Parent: ids["1"]}, waymark.Invalid(waymark.FieldParent, waymark.RuleNotInside)},
			{ids["1"], waymark.ListPlace{Parent: ids["9"]}, waymark.Invalid(waymark.FieldParent, waymark.RuleNotInside)},
			{ids["A"], waymark.ListPlace{Parent: ids["9"]}, &waymark.ValidationError{Problems: []waymark.Problem{{Field: waymark.FieldParent, Rule: waymark.RuleMaxDepth, Limit: 10}}}},
			{ids["A"], waymark.ListPlace{Parent: ofBob.ID}, waymark.Invalid(waymark.FieldParent, waymark.RuleExists)},
			{ids["A"], waymark.ListPlace{Parent: trashed.ID}, waymark.Invalid(waymark.FieldParent, waymark.RuleExists)},
			{ids["A"], waymark.ListPlace{Parent: ids["1"], Before: ids["3"]}, waymark.Invalid(waymark.FieldBefore, waymark.RuleExists)},
			{ids["A"], waymark.ListPlace{Before: ids["A"] + 1000}, waymark.Invalid(waymark.FieldBefore, waymark.RuleExists)},
			{trashed.ID, waymark.ListPlace{Parent: ids["A"]}, waymark.ErrNotFound},
			{ofBob.ID, waymark.ListPlace{Parent: ids["A"]}, waymark.ErrForbidden},
		} {
			err := s.MoveLists(t.Context(), ada, []waymark.ListID{test.list}, test.place)
			if fmt.Sprint(err) != fmt.Sprint(test.want) {
				t.Errorf("move %d to %+v: %v, want %v", test.list, test.place, err, test.want)
			}
		}
		moveLists(t, s, ada, waymark.ListPlace{Parent: ids["9"]}, ids["B"]) // the tenth
		_, err := s.CreateList(t.Context(), ada.ID, waymark.List{Name: "eleventh", Visibility: waymark.Private, Parent: ids["B"]})
		wantEqual(t, "error of an eleventh list", fmt.Sprint(err), "invalid input: parent is more than 10 lists deep")
		moveLists(t, s, ada, waymark.ListPlace{Parent: ids["A"]}, ids["8"], ids["9"]) // 9 stands in 8
		wantForest(t, s, ada, "1 1/2 1/2/3 1/2/3/4 1/2/3/4/5 1/2/3/4/5/6 1/2/3/4/5/6/7 A A/8 A/8/9 A/8/9/B bob")
	})
}

func TestAListInTheTrashLeavesItsPlaceToItsSublists(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		ids := forest(t, s, ada, "A", "A/B", "B/C", "B/D", "D/E", "A/Z")
		const before = "A A/B A/B/C A/B/D A/B/D/E A/Z"
		wantForest(t, s, ada, before)
		undoable(t, s, ada, "delete", func(ctx context.Context, s *store.Store) error {
			return s.Delete(ctx, ada, waymark.Lists, int64(ids["B"]))
		})
		wantForest(t, s, ada, "A A/C A/D A/D/E A/Z")
		wantUndo(t, s, ada, "delete", 1, 0)
		wantForest(t, s, ada, before)

		undoable(t, s, ada, "delete all", func(ctx context.Context, s *store.Store) error {
			_, err := s.DeleteWithSublists(ctx, ada, []int64{int64(ids["B"])})
			return err
		})
		wantForest(t, s, ada, "A A/Z")
		restore(t, s, ada, waymark.Lists, ids["D"])
		wantForest(t, s, ada, "A A/Z D D/E")
		restore(t, s, ada, waymark.Lists, ids["B"])
		wantForest(t, s, ada, "A A/B A/B/C A/Z D D/E")
		moveToTrash(t, s, ada, waymark.Lists, ids["B"], ids["A"])
		wantForest(t, s, ada, "C D D/E Z")
		restore(t, s, ada, waymark.Lists, ids["B"])
		wantForest(t, s, ada, "B C D D/E Z")
	})
}

func TestUndoOfAMoveKeepsLaterMoves(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		ids := forest(t, s, ada, "A", "B", "C", "C/D")
		move := func(token string, place waymark.ListPlace, lists ...waymark.ListID) {
			undoable(t, s, ada, token, func(ctx context.Context, s *store.Store) error {
				return s.MoveLists(ctx, ada, lists, place)
			})
		}
		move("order", waymark.ListPlace{Before: ids["A"]}, ids["C"])
		wantForest(t, s, ada, "C C/D A B")
		wantUndo(t, s, ada, "order", 1, 0)
		wantForest(t, s, ada, "A B C C/D")
		move("into", waymark.ListPlace{Parent: ids["D"]}, ids["A"], ids["B"])
		wantForest(t, s, ada, "C C/D C/D/A C/D/B")
		moveLists(t, s, ada, waymark.ListPlace{Parent: ids["C"]}, ids["B"])
		wantUndo(t, s, ada, "into", 1, 1)
		wantForest(t, s, ada, "A C C/B C/D")
		move("again", waymark.ListPlace{}, ids["D"])
		moveLists(t, s, ada, waymark.ListPlace{Parent: ids["D"]}, ids["C"])
		wantUndo(t, s, ada, "again", 0, 1) // C stands in D now
		wantForest(t, s, ada, "A D D/C D/C/B")
	})
}

func TestOthersSeeNoPrivateListAboveAPublicOne(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		ids := forest(t, s, ada, "Public", "Public/Secret", "Secret/Shown", "Shown/Inner")
		for _, name := range []string{"Public", "Shown", "Inner"} {
			if _, err := s.ChangeList(t.Context(), ada.ID, ids[name], func(list *waymark.List) error {
				list.Visibility = waymark.Public
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		link := storetest.Link(t, s, ada, "https://a.example/", waymark.Public)
		if _, err := s.EditLinks(t.Context(), ada, []int64{int64(link.ID)}, waymark.BulkEdit{Lists: []waymark.Ref{{ID: int64(ids["Inner"])}}}); err != nil {
			t.Fatal(err)
		}
		wantForest(t, s, ada, "Public Public/Secret Public/Secret/Shown Public/Secret/Shown/Inner")
		for _, viewer := range []waymark.User{bob, {}} {
			wantForest(t, s, viewer, "Public Shown Shown/Inner")
			list, err := s.List(t.Context(), viewer.ID, ids["Inner"])
			check(t, err)
			want := []waymark.ListName{{ID: ids["Shown"], Name: "Shown"}}
			wantEqual(t, "path of a list", list.Path, want)
			seen, err := s.Link(t.Context(), viewer.ID, link.ID)
			check(t, err)
			wantEqual(t, "path of the list of a link", seen.Lists[0].Path, want)
			for _, link := range readPage(t, s.Links(viewer.ID, waymark.Order{}, waymark.Pagination{})).Entities {
				wantEqual(t, "path of the list of a link of a page", link.Lists[0].Path, want)
			}
			shown, err := s.List(t.Context(), viewer.ID, ids["Shown"])
			check(t, err)
			wantEqual(t, "parent of a list in a private one", shown.Parent, waymark.ListID(0))
		}
	})
}
