package web

import (
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

// maxDots is the maximum number of dots of a chip.
const maxDots = 3

// chip returns the chip of a condition.
func (l queryLabels) chip(r *page.Request, c waymark.Condition, remove string) chip {
	found := chip{Text: l.textOf(r, c), Remove: remove}
	for c := range waymark.Leaves(c) {
		if labeled, ok := c.(waymark.Labeled); ok && !labeled.Prefix {
			found.Gone = found.Gone || slices.ContainsFunc(labeled.Refs, func(ref waymark.Ref) bool { return ref.ID != 0 && !l.sees(labeled.Kind, ref) })
		}
	}
	switch c := c.(type) {
	case waymark.Not:
		found.Not, found.Icon = true, "ban"
	case waymark.Dated:
		found.Icon = "clock"
	case waymark.Labeled, waymark.Or:
		for _, ref := range listsOf(c) {
			if text, ok := l.nameOf(r, waymark.Lists, ref); ok && len(found.Hues) < maxDots {
				found.Hues = append(found.Hues, page.Hue(text))
			}
		}
	}
	return found
}

// listsOf returns the lists of a condition that a link is in one of them, or nil for another
// condition.
func listsOf(c waymark.Condition) (all []waymark.Ref) {
	switch c := c.(type) {
	case waymark.Labeled:
		if c.Kind == waymark.Lists && !c.Prefix && !c.All {
			return c.Refs
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

// textOf returns the text of a condition for its chip.
func (l queryLabels) textOf(r *page.Request, c waymark.Condition) string {
	if lists := listsOf(c); lists != nil {
		return r.T("filter.in", "name", l.joined(r, "filter.or", len(lists), func(i int) string { name, _ := l.nameOf(r, waymark.Lists, lists[i]); return name }))
	}
	switch c := c.(type) {
	case waymark.Labeled:
		if !c.Prefix {
			return l.joined(r, "filter.or", len(c.Refs), func(i int) string { name, _ := l.nameOf(r, c.Kind, c.Refs[i]); return name })
		}
	case waymark.Not:
		if lists := listsOf(c.Condition); lists != nil {
			return r.T("filter.not", "name", l.textOf(r, c.Condition))
		}
		return r.T("filter.excluded", "name", l.textOf(r, c.Condition))
	case waymark.Or:
		return l.joined(r, "filter.or", len(c), func(i int) string { return l.part(r, c[i]) })
	case waymark.And:
		return l.joined(r, "filter.and", len(c), func(i int) string { return l.part(r, c[i]) })
	case waymark.Contains:
		if query.IsWord(c) {
			return r.T("filter.word", "word", c.Text)
		}
	case waymark.OnSite:
		return string(c)
	case waymark.OwnedBy:
		if waymark.Fold(c.Name) == waymark.Fold(r.User.Name) {
			return r.T("filter.mine")
		}
		return r.T("filter.by", "name", c.Name)
	case waymark.Dated:
		if text := datedText(r, c); text != "" {
			return text
		}
	case waymark.Is:
		return r.T(stateTexts[c])
	}
	return query.Print(l.withNames(c))
}

// part is textOf in brackets if the condition has several parts.
func (l queryLabels) part(r *page.Request, c waymark.Condition) string {
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
func (l queryLabels) joined(r *page.Request, key string, n int, text func(i int) string) string {
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

// stateTexts are the keys of the sentences for states.
var stateTexts = map[waymark.Is]string{
	waymark.IsBroken: "filter.broken", waymark.IsOK: "filter.ok", waymark.IsMoved: "filter.moved", waymark.IsDead: "filter.dead",
	waymark.IsBlocked: "filter.blocked", waymark.IsUnsure: "filter.unsure", waymark.IsPublic: "visibility.public",
	waymark.IsInternal: "visibility.internal", waymark.IsPrivate: "visibility.private", waymark.IsMine: "filter.mine",
	waymark.IsUnread: "filter.unread", waymark.IsArchived: "filter.archived", waymark.IsFavorite: "filter.favorite",
	waymark.IsUnfiled: "filter.unfiled", waymark.IsUntagged: "filter.untagged",
	waymark.IsDuplicate: "filter.duplicate",
}

// sees reports whether the visitor sees a list or tag.
func (l queryLabels) sees(kind waymark.EntityKind, ref waymark.Ref) bool {
	_, ok := l.of(kind, ref)
	return ok
}

// nameOf returns the name of a list or tag, with its owner if that is another user. ok is false if the
// visitor does not see it.
func (l queryLabels) nameOf(r *page.Request, kind waymark.EntityKind, ref waymark.Ref) (text string, ok bool) {
	label, ok := l.of(kind, ref)
	switch {
	case ok:
		text = label.name
	case ref.Name != "":
		text = ref.Name
	case kind == waymark.Tags:
		return r.T("filter.gone-tag"), false
	default:
		return r.T("filter.gone-list"), false
	}
	if kind == waymark.Tags {
		text = "#" + text
	}
	if other := l.owners[label.owner]; other != "" {
		text += " " + r.T("labels.of", "name", other)
	}
	return text, ok
}
