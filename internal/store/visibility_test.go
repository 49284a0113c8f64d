package store_test

import (
	"fmt"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// entityKind has the same methods for each kind of entity.
type entityKind struct {
	kind   waymark.EntityKind
	create func(t *testing.T, s *store.Store, owner waymark.User, v waymark.Visibility) (id int64)
	get    func(t *testing.T, s *store.Store, viewer waymark.UserID, id int64) (any, error)
	// change calls rename with the name, title or text of the entity.
	change func(t *testing.T, s *store.Store, owner waymark.User, id int64, rename func(*string) error) error
}

var entityKinds = []entityKind{
	{
		waymark.Links,
		func(t *testing.T, s *store.Store, owner waymark.User, v waymark.Visibility) int64 {
			return int64(storetest.Link(t, s, owner, "https://a.example/"+v.String(), v).ID)
		},
		func(t *testing.T, s *store.Store, viewer waymark.UserID, id int64) (any, error) {
			return s.Link(t.Context(), viewer, waymark.LinkID(id))
		},
		func(t *testing.T, s *store.Store, owner waymark.User, id int64, rename func(*string) error) error {
			lists, tags := refs("new"), refs("new")
			_, err := s.ChangeLink(t.Context(), owner, waymark.LinkID(id), &lists, &tags, func(l *waymark.Link) error { return rename(&l.Title) })
			return err
		},
	},
	{
		waymark.Lists,
		func(t *testing.T, s *store.Store, owner waymark.User, v waymark.Visibility) int64 {
			return int64(createList(t, s, owner, v.String(), v).ID)
		},
		func(t *testing.T, s *store.Store, viewer waymark.UserID, id int64) (any, error) {
			return s.List(t.Context(), viewer, waymark.ListID(id))
		},
		func(t *testing.T, s *store.Store, editor waymark.User, id int64, rename func(*string) error) error {
			_, err := s.ChangeList(t.Context(), editor.ID, waymark.ListID(id), func(l *waymark.List) error { return rename(&l.Name) })
			return err
		},
	},
	{
		waymark.Tags,
		func(t *testing.T, s *store.Store, owner waymark.User, v waymark.Visibility) int64 {
			return int64(createTag(t, s, owner, v.String(), v).ID)
		},
		func(t *testing.T, s *store.Store, viewer waymark.UserID, id int64) (any, error) {
			return s.Tag(t.Context(), viewer, waymark.TagID(id))
		},
		func(t *testing.T, s *store.Store, editor waymark.User, id int64, rename func(*string) error) error {
			_, err := s.ChangeTag(t.Context(), editor.ID, waymark.TagID(id), func(tag *waymark.Tag) error { return rename(&tag.Name) })
			return err
		},
	},
	{
		waymark.Notes,
		func(t *testing.T, s *store.Store, owner waymark.User, v waymark.Visibility) int64 {
			link := storetest.Link(t, s, owner, "https://note.example/"+v.String(), waymark.Public)
			return int64(createNote(t, s, owner, link.ID, v.String(), v).ID)
		},
		func(t *testing.T, s *store.Store, viewer waymark.UserID, id int64) (any, error) {
			return readNote(t, s, viewer, waymark.NoteID(id))
		},
		func(t *testing.T, s *store.Store, _ waymark.User, id int64, rename func(*string) error) error {
			_, err := s.ChangeNote(t.Context(), waymark.NoteID(id), func(n *waymark.Note) error { return rename(&n.Text) })
			return err
		},
	},
}

func TestEntityIsReadByItsViewersOnly(t *testing.T) {
	forbidden := waymark.ErrForbidden
	for _, e := range entityKinds {
		t.Run(e.kind.String(), func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
				for _, test := range []struct {
					visibility         waymark.Visibility
					owner, user, guest error
				}{
					{waymark.Public, nil, nil, nil},
					{waymark.Internal, nil, nil, forbidden},
					{waymark.Private, nil, forbidden, forbidden},
				} {
					id := e.create(t, s, ada, test.visibility)
					for viewer, want := range map[waymark.UserID]error{ada.ID: test.owner, bob.ID: test.user, waymark.Guest: test.guest} {
						_, err := e.get(t, s, viewer, id)
						wantError(t, fmt.Sprintf("%s, user %d", test.visibility, viewer), err, want)
					}
					err := s.Delete(t.Context(), e.kind, id, ownedBy(ada))
					wantError(t, "delete", err, nil)
					_, err = e.get(t, s, ada.ID, id)
					wantError(t, fmt.Sprintf("%s, in the trash", test.visibility), err, waymark.ErrNotFound)
					err = e.change(t, s, ada, id, func(*string) error { return nil })
					wantError(t, fmt.Sprintf("change %s, in the trash", test.visibility), err, waymark.ErrNotFound)
				}
				_, err := e.get(t, s, ada.ID, 999)
				wantError(t, "unknown id", err, waymark.ErrNotFound)
			})
		})
	}
}
