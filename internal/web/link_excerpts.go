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

// addExcerpts adds excerpts of snapshots to the rows, or of the user's own notes. An excerpt shows words of a search
// that the link itself does not contain.
func addExcerpts(r *page.Request, days []day, links []waymark.Link, where waymark.Condition) error {
	inSnapshots := missingWords(where, waymark.InSnapshot, links)
	texts, err := r.Store.Snapshots.Texts(r.Context(), r.Viewer(), slices.Collect(maps.Keys(inSnapshots)), maxExcerptSnapshot)
	if err != nil {
		return err
	}
	own := slices.DeleteFunc(slices.Clone(links), func(l waymark.Link) bool { return l.Owner != r.User.ID })
	inNotes := missingWords(where, waymark.InNotes, own)
	notes, err := r.Store.FirstNotes(r.Context(), r.User.ID, slices.Collect(maps.Keys(inNotes)))
	if err != nil {
		return err
	}
	for _, d := range days {
		for i := range d.Links {
			l := &d.Links[i]
			if l.Excerpt = excerpt(texts[l.ID], inSnapshots[l.ID]); l.Excerpt == nil {
				l.Excerpt = excerpt(page.PlainText(notes[l.ID].Text), inNotes[l.ID])
				l.InNote = l.Excerpt != nil
			}
		}
	}
	return nil
}

// missingWords returns the words that a search wants in a place, among others, and that the texts of a link do not have.
func missingWords(where waymark.Condition, in waymark.TextFields, links []waymark.Link) map[waymark.LinkID][]string {
	missing := map[waymark.LinkID][]string{}
	for _, text := range waymark.Wanted(where) {
		if text.In&in == 0 {
			continue
		}
		word := waymark.Plain(text.Text)
		for _, l := range links {
			if text.In&waymark.InTexts == 0 || !strings.Contains(waymark.Plain(l.URL+"\n"+l.Title+"\n"+l.Description), word) {
				missing[l.ID] = append(missing[l.ID], waymark.QueryWords(word)...)
			}
		}
	}
	return missing
}
