package service_test

import (
	"cmp"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"waymark/internal/waymark"
)

// referenceTree says in which lists lists stand.
type referenceTree struct {
	parents   map[waymark.ListID]waymark.ListID
	deletions map[waymark.ListID]int // which deletion has moved a list to the trash
	last      int                    // deletion
}

// siblings returns the active lists of a user in a parent.
func (m *referenceModel) siblings(owner waymark.UserID, parent waymark.ListID) (ids []waymark.ListID) {
	for _, id := range slices.Sorted(maps.Keys(m.lists)) {
		if l := m.lists[id]; l.Owner == owner && l.DeletedAt == 0 && m.parents[id] == parent {
			ids = append(ids, id)
		}
	}
	return ids
}

func (m *referenceModel) height(id waymark.ListID) int {
	height := 0
	for _, sublist := range m.siblings(m.lists[id].Owner, id) {
		height = max(height, m.height(sublist))
	}
	return height + 1
}

// above returns the active lists in which a list stands, the innermost first.
func (m *referenceModel) above(id waymark.ListID) (ids []waymark.ListID) {
	for id = m.parents[id]; id != 0 && m.lists[id].DeletedAt == 0; id = m.parents[id] {
		ids = append(ids, id)
	}
	return ids
}

// canStandIn reports whether an active list can stand in a parent.
func (m *referenceModel) canStandIn(id, parent waymark.ListID) bool {
	p := m.lists[parent]
	if parent == 0 || p == nil || p.DeletedAt != 0 || p.Owner != m.lists[id].Owner {
		return parent == 0
	}
	above := append([]waymark.ListID{parent}, m.above(parent)...)
	return !slices.Contains(above, id) && len(above)+m.height(id) <= waymark.MaxListDepth
}

// trashLists follows lists that one change has moved to the trash: their sublists take their places.
func (m *referenceModel) trashLists(ids ...waymark.ListID) {
	m.last++
	for _, id := range ids {
		m.lists[id].DeletedAt, m.deletions[id] = trashed, m.last
	}
	for id, l := range m.lists {
		for p := m.parents[id]; l.DeletedAt == 0 && p != 0 && m.lists[p].DeletedAt != 0; p = m.parents[p] {
			m.parents[id] = m.parents[p]
		}
	}
}

// restoreLists restores lists in the trash and the sublists that were deleted with them, and returns all.
func (m *referenceModel) restoreLists(ids ...waymark.ListID) []waymark.ListID {
	restored := slices.Clone(ids)
	for i := 0; i < len(restored); i++ {
		for id, l := range m.lists {
			if l.DeletedAt != 0 && m.parents[id] == restored[i] && m.deletions[id] == m.deletions[restored[i]] && !slices.Contains(restored, id) {
				restored = append(restored, id)
			}
		}
	}
	for _, id := range restored {
		m.lists[id].DeletedAt = 0
	}
	depths := map[waymark.ListID]int{}
	for _, id := range restored {
		depths[id] = len(m.above(id))
	}
	slices.SortFunc(restored, func(a, b waymark.ListID) int { return cmp.Or(cmp.Compare(depths[a], depths[b]), cmp.Compare(a, b)) })
	for _, id := range restored {
		if !m.canStandIn(id, m.parents[id]) {
			m.parents[id] = 0
		}
	}
	return restored
}

// trashedOf returns the user's own lists in the trash among ids, each once.
func (m *referenceModel) trashedOf(user waymark.UserID, ids []int64) (lists []waymark.ListID) {
	for _, id := range ids {
		if l := m.lists[waymark.ListID(id)]; l != nil && l.Owner == user && l.DeletedAt != 0 && !slices.Contains(lists, l.ID) {
			lists = append(lists, l.ID)
		}
	}
	return lists
}

// isInside reports whether a list is one of some lists, or stands in one, as viewer sees it.
func (m *referenceModel) isInside(viewer waymark.UserID, id waymark.ListID, lists map[waymark.ListID]bool) bool {
	for id != 0 && seesList(viewer, m.lists[id]) {
		if lists[id] {
			return true
		}
		id = m.parents[id]
	}
	return false
}

// anyList generates the id of a list, mostly of an active one of the user.
func (mt *modelTest) anyList(user waymark.User) *rapid.Generator[waymark.ListID] {
	own := []waymark.ListID{0}
	for _, id := range slices.Sorted(maps.Keys(mt.lists)) {
		if l := mt.lists[id]; l.Owner == user.ID && l.DeletedAt == 0 {
			own = append(own, id)
		}
	}
	return rapid.OneOf(rapid.SampledFrom(own), rapid.SampledFrom(own), rapid.SampledFrom(own), anyIDOf(mt.lists))
}

func (mt *modelTest) anyPlace(user waymark.User) waymark.ListPlace {
	place := waymark.ListPlace{Parent: mt.anyList(user).Draw(mt.T, "parent")}
	place.Before = rapid.SampledFrom(append(mt.siblings(user.ID, place.Parent), 0)).Draw(mt.T, "before")
	return place
}

func (mt *modelTest) moveLists() {
	user := mt.anyUser()
	ids := rapid.SliceOfN(mt.anyList(user), 1, 3).Draw(mt.T, "lists")
	place := mt.anyPlace(user)
	var want error
	for _, id := range ids {
		switch l := mt.lists[id]; {
		case want != nil:
		case l == nil || l.DeletedAt != 0:
			want = waymark.ErrNotFound
		case l.Owner != user.ID:
			want = waymark.ErrForbidden
		}
	}
	before := maps.Clone(mt.parents)
	if want == nil {
		isBelow := func(id waymark.ListID) bool {
			return slices.ContainsFunc(mt.above(id), func(above waymark.ListID) bool { return slices.Contains(ids, above) })
		}
		top := slices.DeleteFunc(slices.Clone(ids), isBelow)
		for _, id := range top {
			if !mt.canStandIn(id, place.Parent) {
				want = errInvalid
				break
			}
			mt.parents[id] = place.Parent
		}
		ids = top
	}
	mt.wantError("move lists", mt.service.MoveLists(mt.ctx, user, ids, place), want)
	switch {
	case want != nil:
		mt.parents = before
	case place.Before != 0 && !slices.Contains(ids, place.Before):
		all, err := mt.store.ListTree(mt.ctx, user.ID)
		mt.wantError("tree", err, nil)
		all = slices.DeleteFunc(all, func(l waymark.List) bool { return l.Owner != user.ID || l.Parent != place.Parent })
		at := slices.IndexFunc(all, func(l waymark.List) bool { return l.ID == place.Before })
		if at < 1 || all[at-1].ID != ids[len(ids)-1] {
			mt.Fatalf("moved %v before %d: got %v", ids, place.Before, all)
		}
	}
}

// checkTree compares in which lists lists stand.
func (mt *modelTest) checkTree(viewer waymark.UserID) {
	all, err := mt.store.ListTree(mt.ctx, viewer)
	mt.wantError("tree", err, nil)
	got, want := map[waymark.ListID]waymark.ListID{}, map[waymark.ListID]waymark.ListID{}
	for _, list := range all {
		got[list.ID] = list.Parent
	}
	for id, list := range mt.lists {
		if seesList(viewer, list) {
			want[id] = 0
			if parent := mt.lists[mt.parents[id]]; parent != nil && seesList(viewer, parent) {
				want[id] = parent.ID
			}
		}
	}
	mt.wantEqual("tree", got, want)
}
