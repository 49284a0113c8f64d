package web

import (
	"fmt"

	"waymark/internal/waymark"
)

// newSidebar returns what the sidebar of the page shows.
func newSidebar(v *visit) (*sidebar, error) {
	read, err := v.Store.Sidebar(v.ctx(), v.user.ID)
	if err != nil {
		return nil, err
	}
	s := &sidebar{User: v.user.Name, Counts: read.Counts}
	for _, entry := range []sidebarEntry{
		{Path: "/links?unfiled=1&untagged=1", Name: v.t("shell.unfiled"), Icon: "inbox", Count: read.Counts.Unfiled},
		{Path: "/links?broken=1", Name: v.t("shell.broken"), Icon: "unlink", Count: read.Counts.Broken},
		{Path: gonePath, Name: v.t("shell.gone"), Icon: "search-x", Count: read.Counts.Gone},
		{Path: "/links/moved", Name: v.t("shell.moved"), Icon: "arrow-up-right", Count: read.Counts.Moved},
	} {
		if entry.Count > 0 {
			s.LookAfter = append(s.LookAfter, entry)
		}
	}
	for _, list := range read.Lists {
		s.Lists = append(s.Lists, sidebarEntry{Path: listPath(list.ID), Name: list.Name, Hue: hue(list.Name), Count: list.LinkCount})
	}
	for _, tag := range read.Tags {
		s.Tags = append(s.Tags, sidebarEntry{Path: tagPath(tag.ID), Name: tag.Name, Icon: "hash", Count: tag.LinkCount})
	}
	if len(read.Searches) > 0 {
		counts, err := searchCounts(v, read.Searches)
		if err != nil {
			return nil, err
		}
		for i, search := range read.Searches {
			s.Searches = append(s.Searches, sidebarEntry{Path: savedQuery(search).address(), Name: search.Name, Icon: "search", Count: counts[i]})
		}
	}
	s.mark(v.r.URL.Path, linksQueryOf(v.parameters).saved())
	return s, nil
}

// listPath returns the path of the page of a list.
func listPath(id waymark.ListID) string { return fmt.Sprintf("/lists/%d", id) }

// tagPath returns the path of the page of a tag.
func tagPath(id waymark.TagID) string { return fmt.Sprintf("/tags/%d", id) }
