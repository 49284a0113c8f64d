package web

import (
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// treeList is a list in the tree of the page with all lists. The tree itself is one without a name.
type treeList struct {
	nameView
	Count      int // of links, -1 if it is not known
	Sublists   int
	Visibility string
	Sub        []treeList // the first sublists, if the branch is open
}

// readTree returns the tree of the user's own lists with some open branches.
func readTree(r *page.Request, open []waymark.ListID) (treeList, error) {
	branches, err := r.Store.Branches(r.Context(), r.User.ID, open)
	if err != nil || len(branches) == 0 {
		return treeList{}, err
	}
	counts, err := r.Store.CountBranches(r.Context(), r.User.ID, branches)
	below := map[waymark.ListID][]waymark.ListBranch{}
	for _, b := range branches {
		below[b.Parent] = append(below[b.Parent], b)
	}
	var sublists func(parent waymark.ListID) []treeList
	sublists = func(parent waymark.ListID) []treeList {
		return waymark.Map(below[parent], func(b waymark.ListBranch) treeList {
			return treeList{
				nameView{ID: int64(b.ID), Name: b.Name, Hue: page.Hue(b.Name)}, counts[b.ID], b.Sublists, b.Visibility.String(), sublists(b.ID),
			}
		})
	}
	tree := treeList{Sub: sublists(0)}
	if roots := below[0]; len(roots) > 0 {
		tree.Sublists = roots[0].Siblings
	}
	return tree, err
}

// find returns a list in the tree, or one without sublists if it is not shown.
func (t treeList) find(id waymark.ListID) treeList {
	if t.ID == int64(id) {
		return t
	}
	for _, sub := range t.Sub {
		if found := sub.find(id); found.ID != 0 {
			return found
		}
	}
	return treeList{}
}

// More is the number of sublists that an open branch does not show.
func (t treeList) More() int {
	if len(t.Sub) == 0 {
		return 0
	}
	return t.Sublists - len(t.Sub)
}
