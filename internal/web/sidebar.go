package web

import (
	"slices"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

func newSidebar(r *page.Request) (*page.Sidebar, error) {
	read, err := r.Store.Sidebar(r.Context(), r.User.ID)
	if err != nil {
		return nil, err
	}
	s := &page.Sidebar{User: r.User.Name, Counts: read.Counts, Flags: flagEntries(r, read.Counts)}
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

// sidebarNames is listNames for lists of the sidebar.
func sidebarNames(r *page.Request, labels []waymark.SidebarLabel[waymark.ListID]) ([]nameView, error) {
	return listNames(r, waymark.Map(labels, func(l waymark.SidebarLabel[waymark.ListID]) waymark.List {
		return waymark.List{ID: l.ID, Name: l.Name}
	}))
}

// flagEntries returns the entries of the sidebar for the flags that links have.
func flagEntries(r *page.Request, counts waymark.Counts) []page.SidebarEntry {
	return counted([]page.SidebarEntry{
		{Path: searchPath(waymark.IsUnread), Name: r.T("flags.unread"), Icon: "circle-dot", Count: counts.Unread},
		{Path: searchPath(waymark.IsFavorite), Name: r.T("flags.favorites"), Icon: "star", Count: counts.Favorite},
		{Path: searchPath(waymark.IsArchived), Name: r.T("flags.archive"), Icon: "archive", Count: counts.Archived},
	})
}

// counted returns the entries that lead to links.
func counted(entries []page.SidebarEntry) []page.SidebarEntry {
	return slices.DeleteFunc(entries, func(entry page.SidebarEntry) bool { return entry.Count <= 0 })
}
