package web

import "strings"

// shortcutsPage is the data of the page about the keyboard and the search field.
type shortcutsPage struct{ Words []searchWord }

// searchWord is an example of words that the search field understands, with what it means.
type searchWord struct {
	Meaning string
	Word    string
	Address string // of the search for it, "" if the user has no such list or tag
}

// showShortcuts lists the keys of the pages, and the words of the search field. The script shows
// them in a dialog.
func showShortcuts(v *visit) error {
	sidebar, err := newSidebar(v)
	if err != nil {
		return err
	}
	p := shortcutsPage{Words: searchWords(v, sidebar)}
	if v.partial("keys") {
		return v.renderPart("dialog", p)
	}
	return v.render("shortcuts", p)
}

// searchWords returns an example of each kind of word that the search field understands. The
// examples have the list and the tag that come first in the sidebar.
func searchWords(v *visit, s *sidebar) []searchWord {
	var words []searchWord
	add := func(meaning, word string) {
		words = append(words, searchWord{meaning, word, "/links?" + queryOf("query", word)})
	}
	addLabel := func(meaning, prefix, example string, entries []sidebarEntry) {
		for _, entry := range entries {
			if !strings.Contains(entry.Name, `"`) { // quotation marks cannot be searched for
				add(meaning, prefix+quote(entry.Name))
				return
			}
		}
		words = append(words, searchWord{meaning, prefix + example, ""})
	}
	add(v.t("shortcuts.in-a-row"), `"open source"`)
	add(v.t("shortcuts.without"), "-video")
	addLabel(v.t("shortcuts.with-tag"), "#", v.t("shortcuts.tag"), s.Tags)
	addLabel(v.t("shortcuts.with-tag"), "tag:", v.t("shortcuts.tag"), s.Tags)
	addLabel(v.t("shortcuts.in-list"), "list:", v.t("shortcuts.list"), s.Lists)
	for _, group := range filterChoices {
		for _, choice := range group {
			add(v.t(choice.Text), "is:"+choice.Name)
		}
	}
	add(v.t("filter.ok"), "is:ok")
	add(v.t("filter.content"), "in:snapshot")
	return words
}

// quote returns a name as one word of a search.
func quote(name string) string {
	if len(splitQuoted(name)) == 1 {
		return name
	}
	return `"` + name + `"`
}
