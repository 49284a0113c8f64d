package query

import (
	"math"
	"net/url"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// Gone is the id of a list or tag that does not exist, in saved searches whose list or tag was not
// copied with them. It is the largest number that JSON can hold exactly.
const Gone = 1<<53 - 1

// MapSaved replaces the lists, tags and users in the query of a saved search: in its text, and in the
// parameters lists, tags and by. replace gets a waymark.Labeled with one list or tag, or a
// waymark.OwnedBy. A list or tag without an id and a name becomes Gone, and a user who becomes something
// else the user with the name "". The rest stays as it is, also what the pages do not understand.
func MapSaved(saved string, replace func(waymark.Condition) waymark.Condition) string {
	parameters := strings.Split(saved, "&")
	for i, parameter := range parameters {
		name, value, ok := strings.Cut(parameter, "=")
		if !ok {
			continue
		}
		switch name {
		case "lists":
			parameters[i] = name + "=" + mapIDs(value, waymark.Lists, replace)
		case "tags":
			parameters[i] = name + "=" + mapIDs(value, waymark.Tags, replace)
		case "by", "query":
			decoded, err := url.QueryUnescape(value)
			if err != nil {
				continue
			}
			mapped := mapText(decoded, replace)
			if name == "by" {
				owner, _ := replace(waymark.OwnedBy{Name: decoded}).(waymark.OwnedBy)
				mapped = owner.Name
			}
			if mapped != decoded {
				parameters[i] = name + "=" + url.QueryEscape(mapped)
			}
		}
	}
	return strings.Join(parameters, "&")
}

// mapText maps the conditions of a text. The text stays as it is if nothing changes.
func mapText(text string, replace func(waymark.Condition) waymark.Condition) string {
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
	if !ok || len(replaced.Refs) != 1 || replaced.Refs[0] == (waymark.Ref{}) {
		c.Refs = []waymark.Ref{{ID: Gone}}
		return c
	}
	return replaced
}

// mapIDs maps the ids in the value of a parameter, which commas separate.
func mapIDs(value string, kind waymark.EntityKind, replace func(waymark.Condition) waymark.Condition) string {
	ids := strings.Split(strings.NewReplacer("%2C", ",", "%2c", ",").Replace(value), ",")
	for i, text := range ids {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil && id > 0 && id < math.MaxInt64 {
			mapped := replaceLabel(waymark.Labeled{Kind: kind, Refs: []waymark.Ref{{ID: id}}}, replace)
			ids[i] = strconv.FormatInt(mapped.Refs[0].ID, 10)
		}
	}
	return strings.Join(ids, ",")
}

// SavedRefs returns the lists and tags that the text of the query of a saved search names, by kind.
func SavedRefs(saved string) map[waymark.EntityKind][]waymark.Ref {
	refs := map[waymark.EntityKind][]waymark.Ref{}
	MapSaved(saved, func(c waymark.Condition) waymark.Condition {
		if named, ok := c.(waymark.Labeled); ok && named.Refs[0].Name != "" {
			refs[named.Kind] = append(refs[named.Kind], named.Refs...)
		}
		return c
	})
	return refs
}
