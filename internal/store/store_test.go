package store_test

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { os.Exit(storetest.End(code)) }))
}

// unlimited selects all of a listing.
var unlimited = waymark.Pagination{Limit: waymark.NoLimit}

var byID = waymark.Order{By: waymark.SortByID}

// readPage reads the part of a listing that its pagination selects.
func readPage[T any](t testing.TB, l store.Listing[T]) store.Page[T] {
	t.Helper()
	page, err := l.Page(t.Context())
	check(t, err)
	return page
}

// allLinks returns all links that viewer sees, by id.
func allLinks(t testing.TB, s *store.Store, viewer waymark.User) []waymark.Link {
	t.Helper()
	return readPage(t, s.Links(viewer.ID, byID, unlimited)).Entities
}

// readTrash returns a user's entities of one kind in the trash.
func readTrash[T any](t testing.TB, list func(waymark.UserID) store.Listing[T], owner waymark.User) []T {
	t.Helper()
	return readPage(t, list(owner.ID)).Entities
}

// anyUser permits every change of a user.
func anyUser(waymark.User, int) error { return nil }

// moveToTrash deletes entities, all of which must be active and the owner's.
func moveToTrash[ID waymark.ID](t testing.TB, s *store.Store, owner waymark.User, kind waymark.EntityKind, ids ...ID) {
	t.Helper()
	plain := make([]int64, len(ids))
	for i, id := range ids {
		plain[i] = int64(id)
	}
	deleted, err := s.DeleteMany(t.Context(), owner, kind, plain)
	check(t, err)
	if len(deleted) != len(ids) {
		t.Fatalf("delete %s %v: only %v were deleted", kind, ids, deleted)
	}
}

func restore[ID waymark.ID](t testing.TB, s *store.Store, owner waymark.User, kind waymark.EntityKind, id ID) {
	t.Helper()
	check(t, s.Restore(t.Context(), owner, kind, int64(id)))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantError(t testing.TB, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got error %v, want %v", what, got, want)
	}
}

// wantEqual compares two values with all their fields.
func wantEqual(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// wantIDs compares the ids of entities, in order.
func wantIDs[T any, ID waymark.ID](t testing.TB, what string, got []T, id func(T) ID, want ...ID) {
	t.Helper()
	ids := []ID{}
	for _, entity := range got {
		ids = append(ids, id(entity))
	}
	if want == nil {
		want = []ID{}
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("%s: ids (-want +got):\n%s", what, diff)
	}
}

func linkID(l waymark.Link) waymark.LinkID { return l.ID }
func noteID(n waymark.Note) waymark.NoteID { return n.ID }

// refs returns references to lists or tags by their names.
func refs(names ...string) []waymark.Ref {
	refs := make([]waymark.Ref, len(names))
	for i, name := range names {
		refs[i].Name = name
	}
	return refs
}

// createTag creates a tag.
func createTag(t testing.TB, s *store.Store, owner waymark.User, name string, v waymark.Visibility) waymark.Tag {
	t.Helper()
	tags, err := s.CreateTags(t.Context(), owner.ID, []waymark.Tag{{Name: name, Visibility: v}})
	check(t, err)
	return tags[0]
}

// createList creates a list.
func createList(t testing.TB, s *store.Store, owner waymark.User, name string, v waymark.Visibility) waymark.List {
	t.Helper()
	lists, err := s.CreateLists(t.Context(), owner.ID, []waymark.List{{Name: name, Visibility: v}})
	check(t, err)
	return lists[0]
}

// createNote creates a note of owner on a link.
func createNote(t testing.TB, s *store.Store, owner waymark.User, link waymark.LinkID, text string, v waymark.Visibility) waymark.Note {
	t.Helper()
	note, err := s.CreateNote(t.Context(), waymark.Note{Owner: owner.ID, Link: link, Text: text, Visibility: v})
	check(t, err)
	return note
}
