package service_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// sharedModel is what lists with editors and the links in them are to be like.
type sharedModel struct {
	lists map[waymark.ListID]*sharedList
	links map[waymark.LinkID]*sharedLink
}

type sharedList struct {
	owner      waymark.UserID
	parent     waymark.ListID
	visibility waymark.Visibility
	editing    waymark.Editing
	named      map[waymark.UserID]bool
}

type sharedLink struct {
	owner      waymark.UserID
	visibility waymark.Visibility
	title      string
	in         map[waymark.ListID]bool // whether the owner of the link has put it there
}

func (m *sharedModel) seesList(u waymark.UserID, id waymark.ListID) bool {
	l := m.lists[id]
	return l != nil && (l.owner == u || l.visibility != waymark.Private)
}

func (m *sharedModel) seesLink(u waymark.UserID, id waymark.LinkID) bool {
	return m.links[id].owner == u || m.links[id].visibility != waymark.Private
}

func (m *sharedModel) isEditor(u waymark.UserID, id waymark.ListID) bool {
	for ; m.seesList(u, id); id = m.lists[id].parent {
		switch l := m.lists[id]; l.editing {
		case waymark.EditedByOwner:
			return false
		case waymark.EditedByNamed:
			return l.owner == u || l.named[u]
		case waymark.EditedByEveryone:
			return true
		}
	}
	return false
}

// mayFile reports whether u may put others' links into a list.
func (m *sharedModel) mayFile(u waymark.UserID, id waymark.ListID) bool {
	return m.seesList(u, id) && (m.lists[id].owner == u || m.isEditor(u, id))
}

func (m *sharedModel) mayEdit(u waymark.UserID, id waymark.LinkID) bool {
	for list, bySaver := range m.links[id].in {
		if bySaver && m.seesLink(u, id) && m.isEditor(u, list) {
			return true
		}
	}
	return m.links[id].owner == u
}

// replace is an edit of the lists of a link that u may edit.
func (m *sharedModel) replace(u waymark.UserID, id waymark.LinkID, wanted []waymark.ListID) {
	link := m.links[id]
	for list := range m.lists {
		isOwn := link.owner == u
		_, has := link.in[list]
		switch want := slices.Contains(wanted, list); {
		case !m.seesList(u, list), !isOwn && !m.mayFile(u, list), want == has:
		case want:
			link.in[list] = isOwn
		default:
			delete(link.in, list)
		}
	}
}

func TestRandomSharingMatchesAModel(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		users := []waymark.User{storetest.User(t, s, "ada"), storetest.User(t, s, "ben"), storetest.User(t, s, "eve")}
		for seed := range uint64(12) {
			r := &sharedRun{
				T: t, Rand: rand.New(rand.NewPCG(seed, 1)), s: s, svc: service.New(s), users: users,
				sharedModel: sharedModel{map[waymark.ListID]*sharedList{}, map[waymark.LinkID]*sharedLink{}},
			}
			r.begin(seed)
			for range 80 {
				r.step()
				r.compare()
			}
			if t.Failed() {
				t.Fatalf("seed %d: %s", seed, strings.Join(r.log, "; "))
			}
		}
	})
}

type sharedRun struct {
	*testing.T
	*rand.Rand
	sharedModel
	s       *store.Store
	svc     *service.Service
	users   []waymark.User
	listIDs []waymark.ListID
	linkIDs []waymark.LinkID
	log     []string
}

func (r *sharedRun) visibility() waymark.Visibility {
	return []waymark.Visibility{waymark.Internal, waymark.Public, waymark.Internal, waymark.Private}[r.IntN(4)]
}

func (r *sharedRun) begin(seed uint64) {
	for i := range 7 {
		owner, v := r.users[r.IntN(2)], r.visibility()
		list, err := r.svc.AddList(r.Context(), owner, waymark.ListInput{Name: fmt.Sprint("list ", i), VisibilityInput: waymark.VisibilityInput{Visibility: &v}})
		check(r, err)
		r.lists[list.ID] = &sharedList{owner: owner.ID, visibility: v}
		r.listIDs = append(r.listIDs, list.ID)
	}
	for i := range 8 {
		owner, v := r.users[r.IntN(3)], r.visibility()
		link, err := r.svc.AddLink(r.Context(), owner, waymark.LinkInput{URL: fmt.Sprintf("https://%d-%d.example/", seed, i), VisibilityInput: waymark.VisibilityInput{Visibility: &v}})
		check(r, err)
		r.links[link.ID] = &sharedLink{owner: owner.ID, visibility: v, title: link.Title, in: map[waymark.ListID]bool{}}
		r.linkIDs = append(r.linkIDs, link.ID)
	}
}

// did compares the error of an action, and calls apply if it succeeded.
func (r *sharedRun) did(what string, err, want error, apply func()) {
	r.Helper()
	r.log = append(r.log, what)
	if _, invalid := errors.AsType[*waymark.ValidationError](err); invalid {
		err = errInvalid
	}
	if !errors.Is(err, want) {
		r.Fatalf("got %v, want %v: %s", err, want, strings.Join(r.log, "; "))
	}
	if want == nil {
		apply()
	}
}

func (r *sharedRun) step() {
	ctx, u := r.Context(), r.users[r.IntN(3)]
	list, link := r.listIDs[r.IntN(len(r.listIDs))], r.linkIDs[r.IntN(len(r.linkIDs))]
	l, k := r.lists[list], r.links[link]
	name := func(what string) string { return fmt.Sprintf("%s %s list %d link %d", u.Name, what, list, link) }
	refuse := func(may bool) error {
		if may {
			return nil
		}
		return waymark.ErrForbidden
	}
	switch r.IntN(11) {
	case 0, 1:
		e := waymark.Editors{Who: waymark.Editing(r.IntN(4))}
		named := map[waymark.UserID]bool{}
		for _, user := range r.users {
			if r.IntN(2) == 0 {
				e.Users = append(e.Users, user.Name)
				named[user.ID] = e.Who == waymark.EditedByNamed && user.ID != l.owner
			}
		}
		want := refuse(l.owner == u.ID)
		if want == nil && (e.Who == waymark.EditedAsParent && l.parent == 0 || e.Who.IsShared() && l.visibility == waymark.Private) {
			want = errInvalid
		}
		r.did(name("sets editors "+e.Who.String()), r.svc.SetListEditors(ctx, u, list, e), want, func() { l.editing, l.named = e.Who, named })
	case 2:
		v := r.visibility()
		_, err := r.svc.EditList(ctx, u, list, waymark.ListInput{Name: "list", VisibilityInput: waymark.VisibilityInput{Visibility: &v}})
		r.did(name("shows "+v.String()), err, refuse(l.owner == u.ID), func() { l.visibility = v })
	case 3:
		parent := r.listIDs[r.IntN(len(r.listIDs))]
		inside := false
		for at := parent; at != 0; at = r.lists[at].parent {
			inside = inside || at == list
		}
		if inside || l.owner != u.ID || r.lists[parent].owner != u.ID {
			return
		}
		r.did(name(fmt.Sprint("moves below ", parent)), r.svc.MoveLists(ctx, u, []waymark.ListID{list}, waymark.ListPlace{Parent: parent}), nil, func() { l.parent = parent })
	case 4, 5:
		want := refuse(r.seesList(u.ID, list) && r.seesLink(u.ID, link) && (k.owner == u.ID || r.mayFile(u.ID, list)))
		r.did(name("puts in"), r.svc.AddToList(ctx, u, list, link, waymark.MaxLinkLists), want, func() {
			if _, has := k.in[list]; !has {
				k.in[list] = k.owner == u.ID
			}
		})
	case 6:
		_, has := k.in[list]
		want := refuse(k.owner == u.ID || l.owner == u.ID || r.seesLink(u.ID, link) && r.mayFile(u.ID, list))
		if want == nil && !has {
			want = waymark.ErrNotFound
		}
		r.did(name("takes out"), r.svc.RemoveFromList(ctx, u, list, link), want, func() { delete(k.in, list) })
	case 7:
		title := fmt.Sprint("title ", len(r.log))
		_, err := r.svc.EditLink(ctx, u, link, waymark.LinkInput{URL: r.urlOf(link), Title: &title})
		r.did(name("edits"), err, refuse(r.mayEdit(u.ID, link)), func() { k.title = title })
	case 8:
		var wanted []waymark.ListID
		var refs []waymark.Ref
		usable := false
		for range r.IntN(4) {
			id := r.listIDs[r.IntN(len(r.listIDs))]
			wanted, refs, usable = append(wanted, id), append(refs, waymark.Ref{ID: int64(id)}), usable || r.seesList(u.ID, id)
		}
		want := refuse(r.mayEdit(u.ID, link))
		if want == nil && len(refs) > 0 && !usable {
			want = errInvalid
		}
		_, err := r.svc.EditLink(ctx, u, link, waymark.LinkInput{URL: r.urlOf(link), Lists: &refs})
		r.did(name(fmt.Sprint("replaces lists with ", wanted)), err, want, func() { r.replace(u.ID, link, wanted) })
	case 9:
		mode := []waymark.RefsMode{waymark.AppendRefs, waymark.RemoveRefs}[r.IntN(2)]
		edit := waymark.BulkEdit{Lists: []waymark.Ref{{ID: int64(list)}}, ListsMode: mode}
		_, err := r.svc.EditLinks(ctx, u, plainIDs(r.linkIDs), edit)
		r.did(name(fmt.Sprint("edits all in mode ", mode)), err, nil, func() {
			for id, link := range r.links {
				isOwn := link.owner == u.ID
				_, has := link.in[list]
				switch {
				case !r.seesList(u.ID, list), !isOwn && (!r.seesLink(u.ID, id) || !r.mayFile(u.ID, list)), has == (mode == waymark.AppendRefs):
				case mode == waymark.AppendRefs:
					link.in[list] = isOwn
				default:
					delete(link.in, list)
				}
			}
		})
	default:
		var want error
		if l.editing != waymark.EditedByNamed || !l.named[u.ID] {
			want = waymark.ErrNotFound
		}
		r.did(name("leaves"), r.svc.LeaveList(ctx, u, list), want, func() { delete(l.named, u.ID) })
	}
}

func (r *sharedRun) urlOf(link waymark.LinkID) string {
	l, err := r.s.Link(r.Context(), r.links[link].owner, link)
	check(r, err)
	return l.URL
}

// compare compares what a user sees with the model.
func (r *sharedRun) compare() {
	r.Helper()
	u := r.users[r.IntN(3)]
	var got, want []string
	for _, id := range r.linkIDs {
		if !r.seesLink(u.ID, id) {
			continue
		}
		link, err := r.s.Link(r.Context(), u.ID, id)
		check(r, err)
		may, err := r.s.MayEditTexts(r.Context(), u, link)
		check(r, err)
		in := map[waymark.ListID]bool{}
		for _, l := range link.Lists {
			in[l.ID] = l.CanEdit
		}
		got = append(got, fmt.Sprint(id, link.Title, may, in))
		in = map[waymark.ListID]bool{}
		for list := range r.links[id].in {
			if r.seesList(u.ID, list) {
				in[list] = r.mayFile(u.ID, list)
			}
		}
		want = append(want, fmt.Sprint(id, r.links[id].title, r.mayEdit(u.ID, id), in))
	}
	tree, err := r.s.ListTree(r.Context(), u.ID)
	check(r, err)
	for _, l := range tree {
		if r.lists[l.ID] != nil {
			one, err := r.s.List(r.Context(), u.ID, l.ID)
			check(r, err)
			got, want = append(got, fmt.Sprint(l.ID, l.CanEdit, one.CanEdit)), append(want, fmt.Sprint(l.ID, r.mayFile(u.ID, l.ID), r.mayFile(u.ID, l.ID)))
		}
	}
	if !slices.Equal(got, want) {
		r.Fatalf("%s sees\n%s, want\n%s, after %s", u.Name, strings.Join(got, "\n"), strings.Join(want, "\n"), strings.Join(r.log, "; "))
	}
}

// An editor who is removed while their bulk edit runs changes nothing after the answer that says so.
func TestNothingIsWrittenAfterARightIsTaken(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		x := newSharing(t, s)
		var links []int64
		for i := range 300 {
			links = append(links, int64(x.addLink(x.ada, fmt.Sprintf("https://%d.example/", i), waymark.Internal).ID))
		}
		inList := func() int {
			found, err := s.LinksOfList(x.ada.ID, x.list.ID, waymark.Order{By: waymark.SortByID}, waymark.Pagination{}).Page(t.Context())
			x.must(err)
			return found.Total
		}
		for round := range 8 {
			x.must(x.service.SetListEditors(t.Context(), x.ada, x.list.ID, waymark.Editors{Who: waymark.EditedByNamed, Users: []string{"ben"}}))
			began, ended := make(chan struct{}), make(chan error, 1)
			go func() {
				var err error
				for i := range 6 {
					if i == round%3 {
						close(began)
					}
					edit := waymark.BulkEdit{Lists: []waymark.Ref{{ID: int64(x.list.ID)}}, ListsMode: []waymark.RefsMode{waymark.AppendRefs, waymark.RemoveRefs}[i%2]}
					if _, editErr := x.service.EditLinks(t.Context(), x.ben, links, edit); editErr != nil {
						err = editErr
					}
				}
				ended <- err
			}()
			<-began
			x.must(x.service.SetListEditors(t.Context(), x.ada, x.list.ID, waymark.Editors{Who: waymark.EditedByOwner}))
			after := inList()
			x.must(<-ended)
			if got := inList(); got != after {
				t.Fatalf("round %d: the list had %d links when the right was taken, and has %d now", round, after, got)
			}
		}
	})
}
