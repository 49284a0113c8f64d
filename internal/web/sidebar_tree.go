package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/store"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// listTree returns the user's lists as a tree, entries are those of labels: pinned lists, then lists that stand in no list, with the open
// branches and the way to the list that is shown. If there are many, it has only lists with sublists and the most
// used ones. It is empty if no list stands in another one.
func listTree(r *page.Request, labels []waymark.SidebarLabel[waymark.ListID], entries []page.SidebarEntry) ([]page.SidebarEntry, error) {
	open := rememberedLists(r, branchesCookie)
	if id, ok := shownList(r); ok {
		list, err := r.Store.List(r.Context(), r.User.ID, id)
		if err == nil {
			open = append(open, id)
			for _, above := range list.Path {
				open = append(open, above.ID)
			}
		}
	}
	used := waymark.Map(labels, func(l waymark.SidebarLabel[waymark.ListID]) waymark.ListID { return l.ID })
	branches, err := r.Store.SidebarTree(r.Context(), r.User.ID, open, used)
	if err != nil || len(branches) == 0 {
		return nil, err
	}
	counts, err := r.Store.CountBranches(r.Context(), r.User.ID, branches)
	if err != nil {
		return nil, err
	}
	var tree []page.SidebarEntry
	for _, entry := range entries {
		if entry.Pinned {
			tree = append(tree, entry)
		}
	}
	return append(tree, branchesIn(0, branches, counts)...), nil
}

// branchesIn returns the branches that stand in a list, with theirs.
func branchesIn(parent waymark.ListID, branches []waymark.ListBranch, counts map[waymark.ListID]int) []page.SidebarEntry {
	var entries []page.SidebarEntry
	for _, b := range branches {
		if b.Parent == parent {
			entries = append(entries, page.SidebarEntry{
				ID: int64(b.ID), Path: listPath(b.ID), Name: b.Name, Hue: page.Hue(b.Name), Count: counts[b.ID],
				Branch: b.Sublists, Seek: b.Sublists > store.MaxBranch, Sub: branchesIn(b.ID, branches, counts),
			})
		}
	}
	return entries
}

// shownList returns the list to which the page belongs.
func shownList(r *page.Request) (waymark.ListID, bool) {
	rest, ok := strings.CutPrefix(r.Shown().Path, "/lists/")
	text, _, _ := strings.Cut(rest, "/")
	id, err := strconv.ParseInt(text, 10, 64)
	return waymark.ListID(id), ok && err == nil
}

// openBranch remembers that the user has opened or closed a branch in the sidebar, or on the page with all lists, and
// sends what is in it.
func openBranch(r *page.Request, list waymark.List) error {
	open := rememberList(r, branchesCookie, list.ID, r.Field("open") == "1")
	switch {
	case r.Field("open") != "1":
		r.W.WriteHeader(http.StatusNoContent)
		return nil
	case r.Field("rows") == "tree":
		tree, err := readTree(r, open)
		if err != nil {
			return err
		}
		return r.RenderPart("tree-branch-part", tree.find(list.ID))
	}
	return sendBranch(r, list.ID, open)
}

// sendBranch sends the lists in a list, for the sidebar.
func sendBranch(r *page.Request, id waymark.ListID, open []waymark.ListID) error {
	branches, err := r.Store.Branches(r.Context(), r.User.ID, append(open, id))
	if err != nil {
		return err
	}
	counts, err := r.Store.CountBranches(r.Context(), r.User.ID, branches)
	if err != nil {
		return err
	}
	return r.RenderPart("side-branches", branchesIn(id, branches, counts))
}

// findInBranch sends the lists of a branch whose names contain a text, for the sidebar, or its first lists.
func findInBranch(r *page.Request, list waymark.List, name string) error {
	if name == "" {
		return sendBranch(r, list.ID, rememberedLists(r, branchesCookie))
	}
	filter := waymark.LabelFilter{Name: name, In: list.ID, Owner: r.User.ID}
	found, err := r.Store.SearchLists(r.Context(), r.User.ID, filter, mostLinks, waymark.Pagination{Limit: store.MaxBranch})
	if err != nil {
		return err
	}
	entries := waymark.Map(found.Entities, func(l waymark.List) page.SidebarEntry {
		names := append(l.Path[slices.IndexFunc(l.Path, func(above waymark.ListName) bool { return above.ID == list.ID })+1:], waymark.ListName{Name: l.Name})
		return page.SidebarEntry{Path: listPath(l.ID), Name: joinNames(names), Hue: page.Hue(l.Name), Count: l.LinkCount}
	})
	return r.RenderPart("side-branches", entries)
}
