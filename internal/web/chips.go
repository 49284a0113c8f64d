package web

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// chip is a condition of a query as the page shows it.
type chip struct {
	Text   string
	Hues   []int  // of the dots of lists
	Icon   string // "" for none
	Not    bool   // the links that satisfy the condition are left out
	Gone   bool   // one of its lists and tags does not exist any more
	Remove string // the URL of the page without the condition
}

const maxDots = 3

// chipsOf returns a chip for each part of a search that is not searched for as a word.
func chipsOf(r *page.Request, s search) (chips []chip) {
	for i, part := range s.parts() {
		if !isText(part) {
			chips = append(chips, s.labels.chip(r, part, s.without(i).path()))
		}
	}
	for _, place := range otherTexts {
		if wordsIn(s.Where)&place.in != 0 {
			chips = append(chips, chip{Text: r.T(place.text), Remove: s.with(query.NotAlso(s.Where, place.in)).path()})
		}
	}
	return chips
}

// otherTexts are the texts besides those of links in which the words of a search can be searched for.
var otherTexts = []struct {
	in    waymark.TextFields
	query string
	text  string // the key of the sentence
}{{waymark.InSnapshot, "in:snapshot", "filter.content"}, {waymark.InNotes, "in:notes", "filter.notes"}}

// wordsAlsoIn returns the parts of a query that say where else its words are searched for.
func wordsAlsoIn(where waymark.Condition) string {
	var parts []string
	for _, place := range otherTexts {
		if wordsIn(where)&place.in != 0 {
			parts = append(parts, place.query)
		}
	}
	return strings.Join(parts, " ")
}

// isText reports whether a part of a search is searched for as a word. Others are chips.
func isText(part waymark.Condition) bool { return query.IsWord(part) || isUnknown(part) }

// chip returns the chip of a condition.
func (l labels) chip(r *page.Request, c waymark.Condition, remove string) chip {
	found := chip{Text: l.textOf(r, c), Remove: remove}
	mapLabels(c, func(labeled waymark.Labeled) waymark.Condition {
		_, ok := l.of(labeled.Kind, labeled.Refs[0])
		found.Gone = found.Gone || !ok && !labeled.Smart
		return labeled
	})
	switch c := c.(type) {
	case waymark.Not:
		found.Not, found.Icon = true, "ban"
	case waymark.Dated:
		found.Icon = "clock"
	case waymark.Labeled, waymark.Or:
		for _, list := range listsOf(c) {
			if text, ok := l.nameOf(r, list); ok && len(found.Hues) < maxDots {
				found.Hues = append(found.Hues, page.Hue(text))
			}
		}
	}
	return found
}

// listsOf returns the parts of a condition that a link is in one of some lists, or nil for another condition.
func listsOf(c waymark.Condition) (all []waymark.Labeled) {
	switch c := c.(type) {
	case waymark.Labeled:
		if c.Kind == waymark.Lists {
			return []waymark.Labeled{c}
		}
	case waymark.Or:
		for _, part := range c {
			lists := listsOf(part)
			if lists == nil {
				return nil
			}
			all = append(all, lists...)
		}
	}
	return all
}

func (l labels) textOf(r *page.Request, c waymark.Condition) string {
	if lists := listsOf(c); lists != nil {
		return r.T("filter.in", "name", joined(r, "filter.or", len(lists), func(i int) string { name, _ := l.nameOf(r, lists[i]); return name }))
	}
	switch c := c.(type) {
	case waymark.Labeled:
		if !c.Prefix {
			name, _ := l.nameOf(r, c)
			return name
		}
	case waymark.Not:
		if lists := listsOf(c.Condition); lists != nil {
			return r.T("filter.not", "name", l.textOf(r, c.Condition))
		}
		return r.T("filter.excluded", "name", l.textOf(r, c.Condition))
	case waymark.Or:
		return joined(r, "filter.or", len(c), func(i int) string { return l.part(r, c[i]) })
	case waymark.And:
		return joined(r, "filter.and", len(c), func(i int) string { return l.part(r, c[i]) })
	case waymark.Contains:
		if query.IsWord(c) {
			return r.T("filter.word", "word", c.Text)
		}
	case waymark.OnSite:
		return string(c)
	case waymark.OwnedBy:
		return r.T("filter.by", "name", c.Name)
	case waymark.Dated:
		if text := datedText(r, c); text != "" {
			return text
		}
	case waymark.Is:
		return stateText(r, c)
	}
	return query.Print(l.withNames(c))
}

// part is textOf in brackets if the condition has several parts.
func (l labels) part(r *page.Request, c waymark.Condition) string {
	text := l.textOf(r, c)
	switch c := c.(type) {
	case waymark.And:
		return "(" + text + ")"
	case waymark.Or:
		if listsOf(c) == nil {
			return "(" + text + ")"
		}
	}
	return text
}

// joined returns n texts with a word between them, which is in the sentence with a key.
func joined(r *page.Request, key string, n int, text func(i int) string) string {
	texts := make([]string, n)
	for i := range texts {
		if texts[i] = text(i); i > 0 {
			texts[i] = r.T(key, "name", texts[i])
		}
	}
	return strings.Join(texts, " ")
}

// daysOrLonger matches the periods that are no ages.
var daysOrLonger = regexp.MustCompile(`^\d{4}(-\d\d){0,2}$`)

// datedText returns the text of a period, "" if it is an age.
func datedText(r *page.Request, c waymark.Dated) string {
	key, ok := map[waymark.DateField]string{waymark.SavedAfter: "filter.since", waymark.SavedBefore: "filter.before", waymark.SavedOn: "filter.on"}[c.Field]
	if !ok || !daysOrLonger.MatchString(c.Period) {
		return ""
	}
	date := c.Period
	if day, err := time.Parse(time.DateOnly, c.Period); err == nil {
		date = r.Date(day, "short")
	}
	return r.T(key, "date", date)
}

// nameOf returns the name of a list or tag, with its owner if that is another user. ok is false if the
// viewer does not see it.
func (l labels) nameOf(r *page.Request, c waymark.Labeled) (text string, ok bool) {
	found, ok := l.of(c.Kind, c.Refs[0])
	switch {
	case ok:
		text = found.name
	case c.Refs[0].Name != "":
		text = c.Refs[0].Name
	case c.Kind == waymark.Tags:
		return r.T("filter.gone-tag"), false
	default:
		return r.T("filter.gone-list"), false
	}
	switch {
	case c.Kind == waymark.Tags:
		text = "#" + text
	case c.Direct:
		text = r.T("filter.only", "name", text)
	}
	if other := l.owners[found.owner]; other != "" {
		text += " " + r.T("labels.of", "name", other)
	}
	return text, ok
}

// filterChoice is a state that the page offers as a filter.
type filterChoice struct {
	Icon   string
	Text   string
	Path   string // of the page with the state, or without it if it is chosen
	Chosen bool
}

// stateIcons are the icons of states. Others have that of a filter.
var stateIcons = map[waymark.Is]string{
	waymark.IsMine: "user", waymark.IsPublic: "globe", waymark.IsInternal: "users", waymark.IsPrivate: "lock",
	waymark.IsBroken: "unlink", waymark.IsOK: "circle-check", waymark.IsDead: "search-x", waymark.IsMoved: "arrow-up-right",
	waymark.IsBlocked: "eye-off", waymark.IsUnsure: "circle-alert", waymark.IsUnread: "circle-dot", waymark.IsFavorite: "star",
	waymark.IsArchived: "archive", waymark.IsUnfiled: "inbox", waymark.IsUntagged: "hash",
}

// filtersOf returns the states that the page of a search offers, in groups. others says whether the server has other
// users.
func filtersOf(r *page.Request, s search, others bool) (groups [][]filterChoice) {
	for _, states := range waymark.StateGroups {
		var group []filterChoice
		for _, state := range states.States {
			if state == waymark.IsMine && !others {
				continue
			}
			before := s
			if states.One && !s.has(state) { // in place of another one
				before = s.with(waymark.And(slices.DeleteFunc(slices.Clone(s.parts()), func(c waymark.Condition) bool {
					is, ok := c.(waymark.Is)
					return ok && slices.Contains(states.States, is)
				})))
			}
			icon := cmp.Or(stateIcons[state], "list-filter")
			group = append(group, filterChoice{icon, stateText(r, state), before.toggled(state).path(), s.has(state)})
		}
		if len(group) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

// stateText returns the text of a state: a sentence, or the query for it if the pages have none.
func stateText(r *page.Request, state waymark.Is) string {
	for _, file := range []string{"filter.", "visibility."} {
		key := file + string(state)
		if text := r.T(key); text != key {
			return text
		}
	}
	return query.Print(state)
}
