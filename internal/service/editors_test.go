package service_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
		x.must(svc.AddToList(ctx, x.eve, own.ID, other.ID, waymark.MaxLinkLists))
		x.must(edit(x.ada, other, waymark.LinkInput{Lists: &[]waymark.Ref{{ID: int64(own.ID)}}}))
		x.want("the owner of such a list edits", edit(x.eve, other, title), waymark.ErrForbidden)

		// Filing: others' visible links in and out, own ones as before.
		x.want("an editor puts in", svc.AddToList(ctx, x.ben, x.list.ID, other.ID, waymark.MaxLinkLists), nil)
		x.want("another user puts in", svc.AddToList(ctx, x.eve, x.list.ID, put.ID, waymark.MaxLinkLists), waymark.ErrForbidden)
		x.want("another user takes out", svc.RemoveFromList(ctx, x.eve, x.list.ID, put.ID), waymark.ErrForbidden)
		x.want("an editor edits what they have put in", edit(x.ben, other, title), waymark.ErrForbidden)
		x.want("an editor takes out", svc.RemoveFromList(ctx, x.ben, x.list.ID, put.ID), nil)
		hidden := x.addLink(x.ada, "https://hidden.example/", waymark.Private, x.list.ID)
		x.want("an editor takes out a link that they do not see", svc.RemoveFromList(ctx, x.ben, x.list.ID, hidden.ID), waymark.ErrForbidden)
		x.want("an editor puts in a link that they do not see", svc.AddToList(ctx, x.ben, x.list.ID, hidden.ID, waymark.MaxLinkLists), waymark.ErrForbidden)
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

func TestNewLinksAreAsVisibleAsTheirSharedLists(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		x := newSharing(t, s)
		for _, test := range []struct {
			who  waymark.User
			sent waymark.Visibility
			want waymark.Visibility
		}{{x.ada, 0, waymark.Internal}, {x.ben, 0, waymark.Internal}, {x.eve, 0, waymark.Private}, {x.ben, waymark.Private, waymark.Private}, {x.ben, waymark.Public, waymark.Public}} {
			link := x.addLink(test.who, fmt.Sprintf("https://%s%d.example/", test.who.Name, test.sent), test.sent, x.list.ID)
			if link.Visibility != test.want {
				t.Errorf("%s sends %d: got %s, want %s", test.who.Name, test.sent, link.Visibility, test.want)
			}
		}
		sublist := x.addList(x.ben, "Cakes", x.list.ID)
		if sublist.Owner != x.ada.ID || !sublist.CanEdit {
			t.Errorf("got the sublist %+v, want one of ada's that ben edits", sublist)
		}
	})
}

func TestEditorsUndoTheirOwnChanges(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		x := newSharing(t, s)
		link := x.addLink(x.ada, "https://a.example/", waymark.Internal, x.list.ID)
		session := service.UndoOptions{User: x.ben, Session: 1}
		change := func() string {
			undo, err := x.service.WithUndo(t.Context(), session, func(ctx context.Context, svc *service.Service) error {
				_, err := svc.EditLink(ctx, x.ben, link.ID, waymark.LinkInput{URL: "https://b.example/", Title: new("Ben's")})
				return errors.Join(err, svc.RemoveFromList(ctx, x.ben, x.list.ID, link.ID), svc.AddToList(ctx, x.ben, x.list.ID, link.ID, waymark.MaxLinkLists))
			})
			x.must(err)
			return undo.Token
		}
		token := change()
		if _, err := x.service.Undo(t.Context(), service.UndoOptions{User: x.ada, Session: 1}, token); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("another user: got %v", err)
		}
		if result, err := x.service.Undo(t.Context(), session, token); err != nil || result.Skipped != 0 {
			t.Errorf("undo: got %+v, %v", result, err)
		}
		if got, err := s.Link(t.Context(), x.ada.ID, link.ID); err != nil || got.URL != link.URL || got.Title != link.Title || len(got.Lists) != 1 {
			t.Errorf("after the undo: got %+v, %v", got, err)
		}
		token = change() // that ben may still edit shows that the undo has not forgotten who put the link there
		x.must(x.service.SetListEditors(t.Context(), x.ada, x.list.ID, waymark.Editors{Who: waymark.EditedByOwner}))
		if result, err := x.service.Undo(t.Context(), session, token); err != nil || result.Done != 0 {
			t.Errorf("undo without the right: got %+v, %v", result, err)
		}
		if got, err := s.Link(t.Context(), x.ada.ID, link.ID); err != nil || got.URL != "https://b.example/" {
			t.Errorf("after an undo without the right: got %+v, %v", got, err)
		}
	})
}

func TestEachRequestIsOneChangeThatItsOwnerUndoes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		x := newSharing(t, s)
		var ids []int64
		for i := range 1200 {
			ids = append(ids, int64(x.addLink(x.ada, fmt.Sprintf("https://%d.example/", i), waymark.Internal, x.list.ID).ID))
		}
		edit := waymark.BulkEdit{Lists: []waymark.Ref{{ID: int64(x.list.ID)}}, ListsMode: waymark.RemoveRefs}
		changed, err := x.service.EditLinks(t.Context(), x.ben, ids, edit)
		x.must(err)
		changes, err := x.service.ListChanges(t.Context(), x.ada, x.list.ID)
		x.must(err)
		if changed.Len() != len(ids) || len(changes) != 1 || changes[0].Total != len(ids) || len(changes[0].Links) != waymark.MaxChangeLinks {
			t.Fatalf("got %d links and the changes %+v", changed.Len(), changes)
		}
		ofLink, err := x.service.LinkChanges(t.Context(), x.ada, waymark.LinkID(ids[7]))
		if err != nil || len(ofLink) != 1 || ofLink[0].ID != changes[0].ID || !slices.Equal(ofLink[0].Links, []waymark.LinkID{waymark.LinkID(ids[7])}) {
			t.Errorf("got the changes %+v of a link, %v", ofLink, err)
		}
		x.must(x.service.AddToList(t.Context(), x.ada, x.list.ID, waymark.LinkID(ids[0]), waymark.MaxLinkLists))
		if skipped, err := x.service.UndoChange(t.Context(), x.ada, changes[0].ID); err != nil || skipped != 1 {
			t.Errorf("undo: got %d skipped, %v", skipped, err)
		}
		if found, err := s.LinksOfList(x.ada.ID, x.list.ID, waymark.Order{By: waymark.SortByID}, waymark.Pagination{}).Page(t.Context()); err != nil || found.Total != len(ids) {
			t.Errorf("after the undo the list has %d links, %v", found.Total, err)
		}
	})
}

func TestAChangeOfALinkThatIsGoneIsNotForOthers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		x := newSharing(t, s)
		link, title := x.addLink(x.ada, "https://a.example/", waymark.Internal, x.list.ID), "By ben"
		_, err := x.service.EditLink(t.Context(), x.ben, link.ID, waymark.LinkInput{URL: link.URL, Title: &title})
		x.must(err)
		changes, err := x.service.ListChanges(t.Context(), x.ada, x.list.ID)
		x.must(err)
		x.must(x.service.Delete(t.Context(), x.ada, waymark.Links, int64(link.ID)))
		x.must(s.ClearTrash(t.Context(), x.ada.ID, waymark.Links))
		_, err = x.service.UndoChange(t.Context(), x.eve, changes[0].ID)
		x.want("another user undoes", err, waymark.ErrForbidden)
		if skipped, err := x.service.UndoChange(t.Context(), x.ada, changes[0].ID); err != nil || skipped != 1 {
			t.Errorf("undo: got %d skipped, %v", skipped, err)
		}
	})
}

func TestNobodyFillsUpTheListsOfALinkForItsOwner(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		x := newSharing(t, s)
		link := x.addLink(x.ada, "https://a.example/", waymark.Public)
		for i := range waymark.MaxLinkLists {
			x.must(x.service.AddToList(t.Context(), x.eve, x.addList(x.eve, fmt.Sprint("list ", i), 0).ID, link.ID, waymark.MaxLinkLists))
		}
		invalid := &waymark.ValidationError{}
		if err := x.service.AddToList(t.Context(), x.eve, x.addList(x.eve, "one more", 0).ID, link.ID, waymark.MaxLinkLists); !errors.As(err, &invalid) {
			t.Errorf("one more: got %v, want a validation error", err)
		}
		x.want("the owner", x.service.AddToList(t.Context(), x.ada, x.list.ID, link.ID, waymark.MaxLinkLists), nil)
	})
}

func TestEditorsOfListsThatGetAnotherOwner(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		x := newSharing(t, s)
		x.must(x.service.SetListEditors(t.Context(), x.ada, x.list.ID, waymark.Editors{Who: waymark.EditedByNamed, Users: []string{"ben", "eve"}}))
		x.must(s.RemoveUser(t.Context(), x.ada.ID, x.eve.ID, func(waymark.User, int) error { return nil }))
		got, err := x.service.ListEditors(t.Context(), x.eve, x.list.ID)
		if want := (waymark.Editors{Who: waymark.EditedByNamed, Users: []string{"ben"}, From: x.list.ID}); err != nil || !slices.Equal(got.Users, want.Users) || got.Who != want.Who || got.From != want.From {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	})
}

func TestChangesOfEditorsAreUndone(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		x := newSharing(t, s)
		do := func(user waymark.User, change func(*service.Service, context.Context) error) string {
			undo, err := x.service.WithUndo(t.Context(), service.UndoOptions{User: user, Session: 1}, func(ctx context.Context, svc *service.Service) error {
				return change(svc, ctx)
			})
			x.must(err)
			return undo.Token
		}
		leave := func() string {
			return do(x.ben, func(svc *service.Service, ctx context.Context) error { return svc.LeaveList(ctx, x.ben, x.list.ID) })
		}
		name := func(who waymark.Editing, users ...string) string {
			return do(x.ada, func(svc *service.Service, ctx context.Context) error {
				return svc.SetListEditors(ctx, x.ada, x.list.ID, waymark.Editors{Who: who, Users: users})
			})
		}
		undo := func(user waymark.User, token string, wantSkipped int, want ...string) {
			t.Helper()
			result, err := x.service.Undo(t.Context(), service.UndoOptions{User: user, Session: 1}, token)
			got, _ := x.service.ListEditors(t.Context(), x.ada, x.list.ID)
			if err != nil || result.Skipped != wantSkipped || !slices.Equal(got.Users, want) {
				t.Errorf("got %+v, %v and the editors %q, want %d skipped and %q", result, err, got.Users, wantSkipped, want)
			}
		}
		undo(x.ben, leave(), 0, "ben")
		undo(x.ada, name(waymark.EditedByNamed, "eve"), 0, "ben")
		undo(x.ada, name(waymark.EditedByOwner), 0, "ben")

		left := leave()
		name(waymark.EditedByNamed, "eve") // since
		undo(x.ben, left, 1, "eve")
		name(waymark.EditedByNamed, "ben")
		left = leave()
		name(waymark.EditedByOwner)
		undo(x.ben, left, 1)
	})
}

func TestChangesOfRightsAreAuditEvents(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		x := newSharing(t, s)
		other := x.addList(x.ada, "Other", 0)
		_, err := x.service.EditList(t.Context(), x.ada, x.list.ID, waymark.ListInput{Name: "Recipes", VisibilityInput: waymark.VisibilityInput{Visibility: new(waymark.Private)}})
		x.must(err)
		x.must(x.service.MoveLists(t.Context(), x.ada, []waymark.ListID{other.ID}, waymark.ListPlace{Parent: x.list.ID}))
		x.must(x.service.LeaveList(t.Context(), x.ben, x.list.ID))
		var got []string
		x.must(s.Accounts.TakeAuditEvents(t.Context(), func(e waymark.AuditEvent) {
			if !strings.HasPrefix(e.Event, "user") {
				got = append(got, fmt.Sprintf("%s|%s|%s", e.Event, e.User, e.Detail))
			}
		}))
		want := []string{
			fmt.Sprintf("list editors changed|ada|list %d: named ben", x.list.ID), fmt.Sprintf("visibility of a shared list changed|ada|list %d: visibility 3", x.list.ID),
			fmt.Sprintf("shared list moved|ada|list %d", other.ID), fmt.Sprintf("list left by an editor|ben|list %d", x.list.ID),
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
