package web

import (
	"fmt"
	"html/template"
	"strings"

	"waymark/internal/waymark"
)

// sidebar is what the sidebar of each page shows.
type sidebar struct {
	User     string
	Counts   waymark.Counts
	Searches []sidebarEntry
	Lists    []sidebarEntry
	Tags     []sidebarEntry
}

// sidebarEntry is a list, a tag or a saved search in the sidebar.
type sidebarEntry struct {
	Path  string
	Name  string
	Hue   int // -1 for none
	Count int // -1 if it is not known
}

// sidebar returns what the sidebar of the page shows.
func (v *visit) sidebar() (*sidebar, error) {
	read, err := v.Store.Sidebar(v.ctx(), v.user.ID)
	if err != nil {
		return nil, err
	}
	s := &sidebar{User: v.user.Name, Counts: read.Counts}
	for _, list := range read.Lists {
		s.Lists = append(s.Lists, sidebarEntry{listPath(list.ID), list.Name, hue(list.Name), list.LinkCount})
	}
	for _, tag := range read.Tags {
		s.Tags = append(s.Tags, sidebarEntry{tagPath(tag.ID), tag.Name, -1, tag.LinkCount})
	}
	if len(read.Searches) == 0 {
		return s, nil
	}
	counts, err := v.searchCounts(read.Searches)
	if err != nil {
		return nil, err
	}
	for i, search := range read.Searches {
		s.Searches = append(s.Searches, sidebarEntry{savedQuery(search).address(), search.Name, -1, counts[i]})
	}
	return s, nil
}

// Entries returns lists, tags or saved searches in the sidebar. An entry without a colour has the
// icon with this name.
func (s *shell) Entries(name string, entries []sidebarEntry) template.HTML {
	var w htmlWriter
	for _, entry := range entries {
		w.add(`<li><a href="`, escaped(s.url(entry.Path)), `"`)
		if s.Current(entry) {
			w.add(` aria-current="page"`)
		}
		if entry.Hue >= 0 {
			w.add(`><span class="dot h`, number(entry.Hue), `"></span>`)
		} else {
			w.add(`>`, icon(name))
		}
		w.add(`<span><bdi>`, escaped(entry.Name), `</bdi></span>`)
		if entry.Count >= 0 {
			w.add(` <span class="n">`, escaped(s.locale.number(entry.Count)), `</span>`)
		}
		w.add(`</a></li>`)
	}
	return w.written()
}

// Current reports whether an entry is the page that is shown.
func (s *shell) Current(entry sidebarEntry) bool {
	path, query, _ := strings.Cut(entry.Path, "?")
	return s.r.URL.Path == path && (query == "" || s.query.saved() == query)
}

// CurrentPath reports whether the page that is shown has this path and query.
func (s *shell) CurrentPath(path string) bool { return s.Current(sidebarEntry{Path: path}) }

// listPath returns the path of the page of a list.
func listPath(id waymark.ListID) string { return fmt.Sprintf("/lists/%d", id) }

// tagPath returns the path of the page of a tag.
func tagPath(id waymark.TagID) string { return fmt.Sprintf("/tags/%d", id) }
