package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// modelForest is a simple implementation of lists in lists.
type modelForest struct {
	*rand.Rand
	s       *store.Store
	users   []waymark.User
	lists   []waymark.List // with the parents that the rows have
	inLists map[waymark.LinkID][]waymark.ListID
	links   []waymark.Link
}

// TestFilterOfAListIncludesItsSublists compares searches with a simple model while lists are moved and deleted: with the
// search index, and without it.
func TestFilterOfAListIncludesItsSublists(t *testing.T) {
	for _, indexBytes := range []int64{1 << 30, -1} {
		t.Run(fmt.Sprint("index of ", indexBytes), func(t *testing.T) {
			storetest.EachWith(t, store.Options{IndexBytes: indexBytes}, func(t *testing.T, s *store.Store) {
				m := newModelForest(t, s)
				for range 60 {
					m.change(t)
					for range 4 {
						m.compare(t)
					}
				}
			})
		})
	}
}

func newModelForest(t *testing.T, s *store.Store) *modelForest {
	t.Helper()
	m := &modelForest{Rand: rand.New(rand.NewPCG(7, 7)), s: s, inLists: map[waymark.LinkID][]waymark.ListID{}}
	m.users = []waymark.User{storetest.User(t, s, "ada"), storetest.User(t, s, "bob")}
	for i := range 14 {
		m.lists = append(m.lists, createList(t, s, m.users[i%2], fmt.Sprint("list ", i), waymark.Visibility(1+i/2%3)))
	}
	for i := range 30 {
		draft := waymark.LinkDraft{Link: waymark.Link{URL: fmt.Sprintf("https://%d.example/", i), Visibility: waymark.Visibility(1 + i%3), Status: waymark.StatusOK}}
		owner := m.users[m.IntN(2)]
		var ids []waymark.ListID
		for range m.IntN(3) {
			list := m.lists[m.IntN(len(m.lists))]
			if owner.ID.MaySee(list.Owner, list.Visibility) && !slices.Contains(ids, list.ID) {
				ids = append(ids, list.ID)
				draft.Lists = append(draft.Lists, waymark.Ref{ID: int64(list.ID)})
			}
		}
		link := storetest.CreateLinks(t, s, owner, draft)[0]
		m.links, m.inLists[link.ID] = append(m.links, link), ids
	}
	return m
}

func (m *modelForest) list(id waymark.ListID) *waymark.List {
	for i := range m.lists {
		if m.lists[i].ID == id {
			return &m.lists[i]
		}
	}
	return nil
}

// change moves a list, or now and then deletes one.
func (m *modelForest) change(t *testing.T) {
	t.Helper()
	list := &m.lists[m.IntN(len(m.lists))]
	if m.IntN(15) == 0 && len(m.lists) > 8 {
		deleted := *list
		moveToTrash(t, m.s, waymark.User{ID: deleted.Owner}, waymark.Lists, deleted.ID)
		m.lists = slices.DeleteFunc(m.lists, func(l waymark.List) bool { return l.ID == deleted.ID })
		for i := range m.lists {
			if m.lists[i].Parent == deleted.ID {
				m.lists[i].Parent = deleted.Parent
			}
		}
		return
	}
	parent := m.lists[m.IntN(len(m.lists))].ID
	if m.IntN(4) == 0 {
		parent = 0
	}
	valid := true
	for above := parent; above != 0; above = m.list(above).Parent {
		valid = valid && above != list.ID && m.list(above).Owner == list.Owner
	}
	err := m.s.MoveLists(t.Context(), list.Owner, []waymark.ListID{list.ID}, waymark.ListPlace{Parent: parent}, anyOwner)
	if (err == nil) != valid { // seven lists of one user are never too deep
		t.Fatalf("move %d into %d: %v, want success %v", list.ID, parent, err, valid)
	}
	if err == nil {
		list.Parent = parent
	}
}

// within reports whether a list is one of some or stands in one, as far as viewer sees it.
func (m *modelForest) within(viewer waymark.UserID, id waymark.ListID, of []waymark.ListID) bool {
	for list := m.list(id); list != nil && viewer.MaySee(list.Owner, list.Visibility); list = m.list(list.Parent) {
		if slices.Contains(of, list.ID) {
			return true
		}
	}
	return false
}

// compare compares a search with a random condition.
func (m *modelForest) compare(t *testing.T) {
	t.Helper()
	viewer := []waymark.UserID{m.users[0].ID, m.users[1].ID, waymark.Guest}[m.IntN(3)]
	c := waymark.Labeled{Kind: waymark.Lists, All: m.IntN(2) == 0, Direct: m.IntN(4) == 0}
	for range 1 + m.IntN(2) {
		c.Refs = append(c.Refs, waymark.Ref{ID: int64(m.lists[m.IntN(len(m.lists))].ID)})
	}
	has := func(link waymark.Link, ref waymark.Ref) bool {
		return slices.ContainsFunc(m.inLists[link.ID], func(id waymark.ListID) bool {
			if c.Direct && int64(id) != ref.ID {
				return false
			}
			return m.within(viewer, id, []waymark.ListID{waymark.ListID(ref.ID)})
		})
	}
	var filter waymark.Condition = c
	negated := m.IntN(3) == 0
	if negated {
		filter = waymark.Not{Condition: c}
	}
	want := []waymark.LinkID{}
	for _, link := range m.links {
		matching := slices.ContainsFunc(c.Refs, func(ref waymark.Ref) bool { return has(link, ref) })
		if c.All {
			matching = !slices.ContainsFunc(c.Refs, func(ref waymark.Ref) bool { return !has(link, ref) })
		}
		if viewer.MaySee(link.Owner, link.Visibility) && matching != negated {
			want = append(want, link.ID)
		}
	}
	found := readPage(t, m.s.SearchLinks(viewer, waymark.LinkFilter{Where: filter}, waymark.Order{By: waymark.SortByID}, waymark.Pagination{}))
	wantIDs(t, fmt.Sprintf("links for user %d of %#v", viewer, filter), found.Entities, linkID, want...)
	counts, err := m.s.CountLinks(t.Context(), viewer, []waymark.LinkFilter{{Where: filter}})
	check(t, err)
	wantEqual(t, "number of links", counts, []int{len(want)})
}
