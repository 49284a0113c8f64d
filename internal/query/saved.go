package query

import (
	"net/url"
	"strings"

	"waymark/internal/waymark"
)

// Gone is the id of a list or tag that does not exist, in saved searches whose list or tag was not
// copied with them. It is the largest number that JSON can hold exactly.
const Gone = 1<<53 - 1

// SavedText returns the text of a search. Programs may send it as the query string of a page, as in q=%23club.
func SavedText(text string) string {
	name, value, _ := strings.Cut(text, "=")
	if unescaped, err := url.QueryUnescape(value); err == nil && (name == "q" || name == "query") {
		return unescaped
	}
	return text
}

// MapSaved replaces the lists, tags and users in the text of a saved search. replace gets a
// waymark.Labeled with one list or tag, or a waymark.OwnedBy. A list or tag without an id and a name
// becomes Gone. The text stays as it is if nothing changes.
func MapSaved(text string, replace func(waymark.Condition) waymark.Condition) string {
	condition, _ := Parse(text)
	mapped := waymark.MapLeaves(condition, func(c waymark.Condition) waymark.Condition {
		switch c := c.(type) {
		case waymark.Labeled:
			if !c.Prefix {
				return replaceLabel(c, replace)
			}
		case waymark.OwnedBy:
			return replace(c)
		}
		return c
	})
	if printed := Print(mapped); printed != Print(condition) {
		return printed
	}
	return text
}

// replaceLabel is replace for a list or tag.
func replaceLabel(c waymark.Labeled, replace func(waymark.Condition) waymark.Condition) waymark.Labeled {
	replaced, ok := replace(c).(waymark.Labeled)
	if !ok || len(replaced.Refs) == 0 || replaced.Refs[0] == (waymark.Ref{}) {
		c.Refs = []waymark.Ref{{ID: Gone}}
		return c
	}
	return replaced
}

// SavedRefs returns the lists and tags that the text of a saved search names, by kind.
func SavedRefs(text string) map[waymark.EntityKind][]waymark.Ref {
	refs := map[waymark.EntityKind][]waymark.Ref{}
	MapSaved(text, func(c waymark.Condition) waymark.Condition {
		if named, ok := c.(waymark.Labeled); ok && named.Refs[0].Name != "" {
			refs[named.Kind] = append(refs[named.Kind], named.Refs...)
		}
		return c
	})
	return refs
}
