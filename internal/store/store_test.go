package store_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// everything is all of a collection on one page.
var everything = waymark.Pagination{Limit: waymark.NoLimit}

var byID = waymark.Order{By: waymark.SortByID}

// listed returns what a listing selects.
func listed[T any](t testing.TB, l store.Listing[T]) store.Page[T] {
	t.Helper()
	page, err := l.Page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// linksOf are all the links that viewer sees, by id.
func linksOf(t testing.TB, s *store.Store, viewer waymark.User) []waymark.Link {
	t.Helper()
	return listed(t, s.Links(viewer.ID, byID, everything)).Entities
}

// trash is what a user has in the trash.
func trash[T any](t testing.TB, list func(waymark.UserID) store.Listing[T], owner waymark.User) []T {
	t.Helper()
	return listed(t, list(owner.ID)).Entities
}

// ownedBy permits changes to the entities of user.
func ownedBy(user waymark.User) store.Permit {
	return func(owner waymark.UserID) error {
		if owner != user.ID {
			return waymark.ErrForbidden
		}
		return nil
	}
}

func moveToTrash[ID waymark.ID](t testing.TB, s *store.Store, owner waymark.User, kind waymark.EntityKind, ids ...ID) {
	t.Helper()
	plain := make([]int64, len(ids))
	for i, id := range ids {
		plain[i] = int64(id)
	}
	trashed, err := s.DeleteMany(t.Context(), kind, plain, ownedBy(owner))
	if err != nil {
		t.Fatalf("trash %s %v: %v", kind, ids, err)
	}
	if len(trashed) != len(ids) {
		t.Fatalf("trash %s %v: only %v went", kind, ids, trashed)
	}
}

func restore[ID waymark.ID](t testing.TB, s *store.Store, owner waymark.User, kind waymark.EntityKind, id ID) {
	t.Helper()
	if err := s.Restore(t.Context(), kind, int64(id), ownedBy(owner)); err != nil {
		t.Fatalf("restore %s %d: %v", kind, id, err)
	}
}

func wantError(t testing.TB, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got error %v, want %v", what, got, want)
	}
}

// wantSame compares by ==, down to the last field.
func wantSame(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// wantIDs compares the ids of what was shown.
func wantIDs[T any, ID waymark.ID](t testing.TB, what string, got []T, id func(T) ID, want ...ID) {
	t.Helper()
	ids := []ID{}
	for _, entry := range got {
		ids = append(ids, id(entry))
	}
	if want == nil {
		want = []ID{}
	}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("%s: ids (-want +got):\n%s", what, diff)
	}
}

func linkID(l waymark.Link) waymark.LinkID { return l.ID }
func listID(l waymark.List) waymark.ListID { return l.ID }
func tagID(t waymark.Tag) waymark.TagID    { return t.ID }
func noteID(n waymark.Note) waymark.NoteID { return n.ID }

// names are refs by name.
func names(all ...string) []waymark.Ref {
	refs := make([]waymark.Ref, len(all))
	for i, name := range all {
		refs[i].Name = name
	}
	return refs
}

// oneTag keeps a tag.
func oneTag(t testing.TB, s *store.Store, owner waymark.User, name string, v waymark.Visibility) waymark.Tag {
	t.Helper()
	tags, err := s.CreateTags(t.Context(), owner.ID, []waymark.Tag{{Name: name, Visibility: v}})
	if err != nil {
		t.Fatalf("create tag %s: %v", name, err)
	}
	return tags[0]
}

// oneList keeps a list.
func oneList(t testing.TB, s *store.Store, owner waymark.User, name string, v waymark.Visibility) waymark.List {
	t.Helper()
	lists, err := s.CreateLists(t.Context(), owner.ID, []waymark.List{{Name: name, Visibility: v}})
	if err != nil {
		t.Fatalf("create list %s: %v", name, err)
	}
	return lists[0]
}

func oneNote(t testing.TB, s *store.Store, owner waymark.User, link waymark.LinkID, text string, v waymark.Visibility) waymark.Note {
	t.Helper()
	note, err := s.CreateNote(t.Context(), waymark.Note{Owner: owner.ID, Link: link, Text: text, Visibility: v})
	if err != nil {
		t.Fatalf("create note %s: %v", text, err)
	}
	return note
}

// wantBooks holds what the database keeps twice against each other: the counters
// and the rows, the shelves of the memberships and of their links, and in SQLite the
// text index and the texts.
func wantBooks(t testing.TB, s *store.Store) {
	t.Helper()
	questions := map[string]string{
		"members of lists": "SELECT count(*) FROM link_lists AS m JOIN links AS l ON l.id = m.link_id WHERE m.link_visible_to IS DISTINCT FROM l.visible_to",
		"members of tags":  "SELECT count(*) FROM link_tags AS m JOIN links AS l ON l.id = m.link_id WHERE m.link_visible_to IS DISTINCT FROM l.visible_to",
	}
	for _, table := range []string{"links", "lists", "tags"} {
		questions["counters of "+table] = `
			SELECT count(*)
			FROM (SELECT visible_to, user_id, count(*) AS n FROM ` + table + ` WHERE visible_to IS NOT NULL GROUP BY visible_to, user_id) AS r
			FULL JOIN (SELECT visible_to, user_id, count AS n FROM counters WHERE entity = '` + table + `' AND count <> 0) AS c ON c.visible_to = r.visible_to AND c.user_id = r.user_id
			WHERE c.n IS DISTINCT FROM r.n`
	}
	if _, err := s.Rows(t.Context(), "SELECT 1 FROM links_fts LIMIT 1"); err == nil {
		questions["rows of the text index"] = `
			SELECT count(*)
			FROM (SELECT id FROM links WHERE visible_to IS NOT NULL) AS l
			FULL JOIN (SELECT rowid AS id FROM links_fts) AS x ON x.id = l.id
			WHERE x.id IS NULL OR l.id IS NULL`
	}
	for what, question := range questions {
		rows, err := s.Rows(t.Context(), question)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if n := rows[0][0]; n != int64(0) {
			t.Errorf("%s: %v rows differ", what, n)
		}
	}
}
