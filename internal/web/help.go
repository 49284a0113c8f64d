package web

import (
	"waymark/docs"
	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type helpIndex struct{ Pages []docs.HelpPage }

type helpPage struct{ docs.HelpPage }

func (p helpPage) PageTitle() string { return p.Title }

func showHelp(r *page.Request) error {
	pages, err := docs.Help(r.Locale.Name)
	if err != nil {
		return err
	}
	return r.Render("help", helpIndex{pages})
}

func showHelpPage(r *page.Request) error {
	pages, err := docs.Help(r.Locale.Name)
	if err != nil {
		return err
	}
	for _, p := range pages {
		if p.Name == r.PathValue("name") {
			return r.Render("help-page", helpPage{p})
		}
	}
	return waymark.ErrNotFound
}

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
		words = append(words, searchWord{meaning, word, "/links?" + page.QueryOf("q", word)})
	}
	addLabel := func(meaning string, word func(name string) string, example string, entries []page.SidebarEntry) {
		if len(entries) > 0 {
			add(meaning, word(entries[0].Name))
			return
		}
		words = append(words, searchWord{meaning, word(example), ""})
	}
	add(r.T("shortcuts.in-a-row"), `"open source"`)
	add(r.T("shortcuts.without"), "-video")
	addLabel(r.T("shortcuts.with-tag"), func(name string) string { return query.Tag(name, false) }, r.T("shortcuts.tag"), s.Tags)
	addLabel(r.T("shortcuts.in-list"), query.List, r.T("shortcuts.list"), s.Lists)
	add(r.T("shortcuts.either"), "docker OR podman")
	add(r.T("shortcuts.in-title"), "title:docker")
	add(r.T("shortcuts.on-site"), "site:github.com")
	add(r.T("shortcuts.recent"), "after:30d")
	add(r.T("shortcuts.unchanged"), "-changed:1y")
	add(r.T("shortcuts.with-note"), "has:note")
	for _, state := range waymark.States {
		add(stateText(r, state), query.Print(state))
	}
	add(r.T("filter.content"), "docker in:snapshot")
	add(r.T("filter.notes"), "docker in:notes")
	return words
}
