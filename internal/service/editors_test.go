package service_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// sharing is a list of ada's that ben edits and eve does not.
type sharing struct {
	*testing.T
	store         *store.Store
	service       *service.Service
	ada, ben, eve waymark.User
	list          waymark.List
}

func newSharing(t *testing.T, s *store.Store) *sharing {
	t.Helper()
	x := &sharing{T: t, store: s, service: service.New(s), ada: storetest.User(t, s, "ada"), ben: storetest.User(t, s, "ben"), eve: storetest.User(t, s, "eve")}
	x.list = x.addList(x.ada, "Recipes", 0)
	x.must(x.service.SetListEditors(t.Context(), x.ada, x.list.ID, waymark.Editors{Who: waymark.EditedByNamed, Users: []string{"Ben"}}))
	return x
}

func (x *sharing) must(err error) {
	x.Helper()
	if err != nil {
		x.Fatal(err)
	}
}

func (x *sharing) want(what string, got, want error) {
	x.Helper()
	if !errors.Is(got, want) {
		x.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func (x *sharing) addList(owner waymark.User, name string, parent waymark.ListID) waymark.List {
	x.Helper()
	internal := waymark.Internal
	list, err := x.service.AddList(x.Context(), owner, waymark.ListInput{Name: name, Parent: &parent, VisibilityInput: waymark.VisibilityInput{Visibility: &internal}})
	x.must(err)
	return list
}

func (x *sharing) addLink(owner waymark.User, url string, v waymark.Visibility, lists ...waymark.ListID) waymark.Link {
	x.Helper()
	in := waymark.LinkInput{URL: url, Lists: new(waymark.Map(lists, func(id waymark.ListID) waymark.Ref { return waymark.Ref{ID: int64(id)} }))}
	if v != 0 {
		in.Visibility = &v
	}
	link, err := x.service.AddLink(x.Context(), owner, in)
	x.must(err)
	return link
}

// listsOf returns the lists of a link, as ada sees them.
func (x *sharing) listsOf(link waymark.LinkID) []waymark.ListID {
	x.Helper()
	l, err := x.store.Link(x.Context(), x.ada.ID, link)
	x.must(err)
	return waymark.Map(l.Lists, func(l waymark.List) waymark.ListID { return l.ID })
}

func (x *sharing) changes(list waymark.ListID) string {
	x.Helper()
	changes, err := x.service.ListChanges(x.Context(), x.ada, list)
	x.must(err)
	text := ""
	for _, c := range changes {
		text += fmt.Sprintf("%s %s %v/%d; ", c.User, c.Kind, c.Links, c.Total)
	}
	return text
}

func TestEditorFilesAndEditsWhatSaversHavePutIntoTheList(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		x := newSharing(t, s)
		ctx, svc := t.Context(), x.service
		put := x.addLink(x.ada, "https://put.example/", waymark.Internal, x.list.ID)
		other := x.addLink(x.ada, "https://other.example/", waymark.Internal)

		edit := func(user waymark.User, link waymark.Link, in waymark.LinkInput) error {
			in.URL = link.URL
			_, err := svc.EditLink(ctx, user, link.ID, in)
			return err
		}
		title := waymark.LinkInput{Title: new("Better")}
		x.want("an editor edits", edit(x.ben, put, title), nil)
		x.want("another user edits", edit(x.eve, put, title), waymark.ErrForbidden)
		x.want("an editor edits a link outside", edit(x.ben, other, title), waymark.ErrForbidden)
		x.want("an editor archives", edit(x.ben, put, waymark.LinkInput{FlagsInput: waymark.FlagsInput{Archived: new(true)}}), waymark.ErrForbidden)
		x.want("an editor sends what they read", edit(x.ben, put, waymark.LinkInput{FlagsInput: waymark.FlagsInput{Archived: new(false)}}), nil)
		x.want("an editor shows the link", edit(x.ben, put, waymark.LinkInput{VisibilityInput: waymark.VisibilityInput{Visibility: new(waymark.Public)}}), waymark.ErrForbidden)

		// A list of one's own does not open the links of others, not even after their savers have edited them.
		own := x.addList(x.eve, "Everything", 0)
		x.must(svc.SetListEditors(ctx, x.eve, own.ID, waymark.Editors{Who: waymark.EditedByEveryone}))
		x.must(svc.AddToList(ctx, x.eve, own.ID, other.ID))
		x.must(edit(x.ada, other, waymark.LinkInput{Lists: &[]waymark.Ref{{ID: int64(own.ID)}}}))
		x.want("the owner of such a list edits", edit(x.eve, other, title), waymark.ErrForbidden)

		// Filing: others' visible links in and out, own ones as before.
		x.want("an editor puts in", svc.AddToList(ctx, x.ben, x.list.ID, other.ID), nil)
		x.want("another user puts in", svc.AddToList(ctx, x.eve, x.list.ID, put.ID), waymark.ErrForbidden)
		x.want("another user takes out", svc.RemoveFromList(ctx, x.eve, x.list.ID, put.ID), waymark.ErrForbidden)
		x.want("an editor edits what they have put in", edit(x.ben, other, title), waymark.ErrForbidden)
		x.want("an editor takes out", svc.RemoveFromList(ctx, x.ben, x.list.ID, put.ID), nil)
		hidden := x.addLink(x.ada, "https://hidden.example/", waymark.Private, x.list.ID)
		x.want("an editor takes out a link that they do not see", svc.RemoveFromList(ctx, x.ben, x.list.ID, hidden.ID), waymark.ErrForbidden)
		x.want("an editor puts in a link that they do not see", svc.AddToList(ctx, x.ben, x.list.ID, hidden.ID), waymark.ErrForbidden)
		bens := x.addLink(x.ben, "https://ben.example/", waymark.Private, x.list.ID)
		if hidden, err := x.store.HiddenLinks(ctx, x.ada.ID, x.list.ID); err != nil || hidden != 1 {
			t.Errorf("got %d hidden links and %v, want 1", hidden, err)
		}

		// The owner sees the changes of others, without the ids of links that they do not see.
		if got, want := x.changes(x.list.ID), fmt.Sprintf("ben put []/1; ben taken [%d]/1; ben put [%d]/1; ben edited [%d]/1; ", put.ID, other.ID, put.ID); got != want {
			t.Errorf("changes: got %s, want %s", got, want)
		}
		_ = bens
		_, err := svc.ListChanges(ctx, x.ben, x.list.ID)
		x.want("an editor reads the changes", err, waymark.ErrForbidden)
		all, err := svc.ListChanges(ctx, x.ada, x.list.ID)
		x.must(err)
		_, err = svc.UndoChange(ctx, x.eve, all[1].ID)
		x.want("another user undoes", err, waymark.ErrForbidden)
		for _, c := range all[1:] {
			if skipped, err := svc.UndoChange(ctx, x.ada, c.ID); err != nil || skipped != 0 {
				t.Errorf("undo %s: got %d skipped and %v", c.Kind, skipped, err)
			}
		}
		if got := x.listsOf(put.ID); !slices.Equal(got, []waymark.ListID{x.list.ID}) {
			t.Errorf("after the undo the link is in %v", got)
		}
		if l, err := s.Link(ctx, x.ada.ID, put.ID); err != nil || l.Title == "Better" {
			t.Errorf("after the undo the title is %q, %v", l.Title, err)
		}
		x.want("an editor edits what the undo has put back", edit(x.ben, put, title), nil)
		x.must(svc.SetListEditors(ctx, x.ada, x.list.ID, waymark.Editors{Who: waymark.EditedByOwner}))
		x.want("a former editor edits", edit(x.ben, put, title), waymark.ErrForbidden)
		x.want("a former editor takes out", svc.RemoveFromList(ctx, x.ben, x.list.ID, put.ID), waymark.ErrForbidden)
		x.want("a former editor takes out their own", svc.RemoveFromList(ctx, x.ben, x.list.ID, bens.ID), nil)
	})
}
