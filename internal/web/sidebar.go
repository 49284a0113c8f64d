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

func newSidebar(r *page.Request) (*page.Sidebar, error) {
	read, err := r.Store.Sidebar(r.Context(), r.User.ID)
	if err != nil {
		return nil, err
	}
	s := &page.Sidebar{User: r.User.Name, Counts: read.Counts, Flags: []page.SidebarEntry{
		{Path: searchPath(waymark.IsUnread), Name: r.T("flags.unread"), Icon: "circle-dot", Count: read.Counts.Unread},
		{Path: searchPath(waymark.IsFavorite), Name: r.T("flags.favorites"), Icon: "star", Count: read.Counts.Favorite},
		{Path: searchPath(waymark.IsArchived), Name: r.T("flags.archive"), Icon: "archive", Count: read.Counts.Archived},
	}}
	s.Flags = slices.DeleteFunc(s.Flags, func(entry page.SidebarEntry) bool { return entry.Count <= 0 }) // they lead to no links
	s.Counts.Links -= max(0, s.Counts.Archived)
	if r.Settings.OnlyMine {
		own := waymark.LinkFilter{Where: waymark.And{waymark.IsMine, waymark.NotOf(waymark.IsArchived)}}
		counts, err := r.Store.CountLinks(r.Context(), r.User.ID, []waymark.LinkFilter{own})
		if err != nil {
			return nil, err
		}
		s.Counts.Links = counts[0]
	}
	names, err := sidebarNames(r, read.Lists)
	if err != nil {
		return nil, err
	}
	for i, list := range read.Lists {
		entry := page.SidebarEntry{ID: int64(list.ID), Path: listPath(list.ID), Name: names[i].Name, Hue: names[i].Hue, Count: list.LinkCount, Pinned: list.Pinned}
		s.Lists = append(s.Lists, entry)
	}
	if s.Tree, err = listTree(r, read.Lists, s.Lists); err != nil {
		return nil, err
	}
	for _, tag := range read.Tags {
		s.Tags = append(s.Tags, page.SidebarEntry{Path: tagPath(tag.ID), Name: tag.Name, Icon: "hash", Count: tag.LinkCount})
	}
	smart, searches, err := searchEntries(r, read.Searches, read.Bundles)
	if err != nil {
		return nil, err
	}
	s.Searches = searches
	if len(s.Tree) > 0 {
		s.Smart = smart
	} else {
		s.Lists = append(s.Lists, smart...)
	}
	shown := r.Shown()
	s.Mark(shown.Path, page.QueryOf("q", page.ParseQuery(shown.RawQuery).Get("q")))
	return s, nil
}

func sidebarNames(r *page.Request, labels []waymark.SidebarLabel[waymark.ListID]) ([]nameView, error) {
	return listNames(r, waymark.Map(labels, func(l waymark.SidebarLabel[waymark.ListID]) waymark.List {
		return waymark.List{ID: l.ID, Name: l.Name}
	}))
}

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

func branchesIn(parent waymark.ListID, branches []waymark.ListBranch, counts map[waymark.ListID]int) []page.SidebarEntry {
	var entries []page.SidebarEntry
	for _, b := range branches {
		if b.Parent == parent {
			entries = append(entries, page.SidebarEntry{
				ID: int64(b.ID), Path: listPath(b.ID), Name: b.Name, Hue: page.Hue(b.Name), Count: counts[b.ID], Visibility: b.Visibility.String(),
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
	}
	branch, err := readBranch(r, list.ID, open)
	switch {
	case err != nil:
		return err
	case r.Field("rows") == "tree":
		return r.RenderPart("tree-branch-part", branch)
	}
	return r.RenderPart("side-branches", branch.Sub)
}

// readBranch returns the user's own lists in a list, or those that stand in no list, with some open branches.
func readBranch(r *page.Request, id waymark.ListID, open []waymark.ListID) (page.SidebarEntry, error) {
	branch := page.SidebarEntry{ID: int64(id)}
	branches, err := r.Store.Branches(r.Context(), r.User.ID, append(open, id))
	if err != nil {
		return branch, err
	}
	counts, err := r.Store.CountBranches(r.Context(), r.User.ID, branches)
	branch.Sub = branchesIn(id, branches, counts)
	for _, b := range branches {
		if b.Parent == id {
			branch.Branch = b.Siblings
		}
	}
	return branch, err
}

// findInBranch sends the lists of a branch whose names contain a text, for the sidebar, or its first lists.
func findInBranch(r *page.Request, list waymark.List, name string) error {
	if name == "" {
		branch, err := readBranch(r, list.ID, rememberedLists(r, branchesCookie))
		if err != nil {
			return err
		}
		return r.RenderPart("side-branches", branch.Sub)
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

// The cookies in which a browser remembers lists.
const (
	branchesCookie    = "waymark-branches"    // those whose sublists the sidebar shows
	withoutCookie     = "waymark-no-sublists" // those whose pages do not include the links of their sublists
	placesCookie      = "waymark-places"      // those into which others were moved
	maxRemembered     = 30                    // lists in each
	rememberedSeconds = 365 * 24 * 60 * 60
)

func rememberedLists(r *page.Request, cookie string) []waymark.ListID {
	var ids []waymark.ListID
	for text := range strings.SplitSeq(r.CookieValue(cookie), ".") {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil && len(ids) < maxRemembered {
			ids = append(ids, waymark.ListID(id))
		}
	}
	return ids
}

// rememberList adds a list to a cookie, or removes it, and returns the lists in it.
func rememberList(r *page.Request, cookie string, list waymark.ListID, add bool) []waymark.ListID {
	ids := slices.DeleteFunc(rememberedLists(r, cookie), func(id waymark.ListID) bool { return id == list })
	if add {
		ids = append(ids, list)
	}
	var texts []string
	for _, id := range ids[max(0, len(ids)-maxRemembered):] {
		texts = append(texts, strconv.FormatInt(int64(id), 10))
	}
	r.SetCookie(cookie, strings.Join(texts, "."), rememberedSeconds)
	return ids
}
