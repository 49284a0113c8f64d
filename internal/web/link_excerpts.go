package web

import (
	"maps"
	"slices"
	"strings"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// maxExcerptSnapshot is the maximum size of the HTML of a snapshot that is read for an excerpt, in bytes.
const maxExcerptSnapshot = 256 << 10

// addExcerpts adds excerpts of snapshots to the rows. An excerpt shows words of a search that the
// link itself does not contain. The words are folded.
func addExcerpts(r *page.Request, days []day, links []waymark.Link, words []string) error {
	missing := map[waymark.LinkID][]string{}
	for _, l := range links {
		texts := waymark.Fold(l.URL) + "\n" + waymark.Fold(l.Title) + "\n" + waymark.Fold(l.Description)
		for _, word := range words {
			if !strings.Contains(texts, word) {
				missing[l.ID] = append(missing[l.ID], waymark.QueryWords(word)...)
			}
		}
	}
	texts, err := r.Store.Snapshots.Texts(r.Context(), r.Viewer(), slices.Collect(maps.Keys(missing)), maxExcerptSnapshot)
	if err != nil {
		return err
	}
	for _, d := range days {
		for i := range d.Links {
			l := &d.Links[i]
			l.Excerpt = excerpt(texts[l.ID], missing[l.ID])
		}
	}
	return nil
}

// addNotes adds excerpts of the user's own notes to the rows without another excerpt. An excerpt shows
// words in notes that the link itself does not contain.
func addNotes(r *page.Request, days []day, links []waymark.Link, where waymark.Condition) error {
	missing := map[waymark.LinkID][]string{}
	for _, text := range waymark.Wanted(where) {
		if text.In&waymark.InNotes == 0 {
			continue
		}
		word := waymark.Fold(text.Text)
		for _, l := range links {
			if l.Owner == r.User.ID && (text.In&waymark.InTexts == 0 || !strings.Contains(waymark.Fold(l.URL+"\n"+l.Title+"\n"+l.Description), word)) {
				missing[l.ID] = append(missing[l.ID], waymark.QueryWords(word)...)
			}
		}
	}
	notes, err := r.Store.FirstNotes(r.Context(), r.User.ID, slices.Collect(maps.Keys(missing)))
	if err != nil {
		return err
	}
	for _, d := range days {
		for i := range d.Links {
			if l := &d.Links[i]; l.Excerpt == nil {
				l.Excerpt = excerpt(page.PlainText(notes[l.ID].Text), missing[l.ID])
				l.InNote = l.Excerpt != nil
			}
		}
	}
	return nil
}
