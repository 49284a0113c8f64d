package web

import (
	"strings"

	"waymark/internal/web/page"
)

// shortcutsPage is the data of the page about the keyboard and the search field.
type shortcutsPage struct{ Words []searchWord }

// searchWord is an example of words that the search field understands, with what it means.
type searchWord struct {
	Meaning string
	Word    string
	Path    string // of the search for it, "" if the user has no such list or tag
}

// showShortcuts lists the keys of the pages, and the words of the search field. The script shows
// them in a dialog.
func showShortcuts(r *page.Request) error {
	sidebar, err := newSidebar(r)
	if err != nil {
		return err
	}
	p := shortcutsPage{Words: searchWords(r, sidebar)}
	if r.Partial("keys") {
		return r.RenderPart("dialog", p)
	}
	return r.Render("shortcuts", p)
}

// searchWords returns an example of each kind of word that the search field understands. The
// examples have the list and the tag that come first in the sidebar.
func searchWords(r *page.Request, s *page.Sidebar) []searchWord {
	var words []searchWord
	add := func(meaning, word string) {
		words = append(words, searchWord{meaning, word, "/links?" + page.QueryOf("query", word)})
	}
	addLabel := func(meaning, prefix, example string, entries []page.SidebarEntry) {
		for _, entry := range entries {
			if !strings.Contains(entry.Name, `"`) { // quotation marks cannot be searched for
				add(meaning, prefix+quote(entry.Name))
				return
			}
		}
		words = append(words, searchWord{meaning, prefix + example, ""})
	}
	add(r.T("shortcuts.in-a-row"), `"open source"`)
	add(r.T("shortcuts.without"), "-video")
	addLabel(r.T("shortcuts.with-tag"), "#", r.T("shortcuts.tag"), s.Tags)
	addLabel(r.T("shortcuts.in-list"), "list:", r.T("shortcuts.list"), s.Lists)
	for _, group := range filterChoices {
		for _, choice := range group {
			add(r.T(choice.Text), "is:"+choice.Name)
		}
	}
	add(r.T("filter.ok"), "is:ok")
	add(r.T("filter.content"), "in:snapshot")
	return words
}

// quote returns a name as one word of a search.
func quote(name string) string {
	if len(splitQuoted(name)) == 1 {
		return name
	}
	return `"` + name + `"`
}
