package web

import (
	"slices"
	"strings"

	"waymark/internal/query"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// selection is what a query selects.
type selection struct {
	filter waymark.LinkFilter
	text   waymark.Condition // that of the text: lists and tags have ids, and names only if they are not known
	typed  string            // the text as the page shows it: with names where it has ids
	words  []string          // that are searched for
	chips  []chip
	asText []string // the parts of the text that have no meaning, and are searched for as text
	gone   bool     // the query has the id of a list or tag that the visitor does not see
}

// newSelection returns what a query selects. A name of a list or tag that the visitor does not see is
// text.
func newSelection(r *page.Request, q linksQuery) (selection, error) {
	labels, err := labelsOf(r, q)
	if err != nil {
		return selection{}, err
	}
	return selectionWith(r, q, labels), nil
}

// selectionWith is newSelection with the lists and tags of the query, which labelsOf returns.
func selectionWith(r *page.Request, q linksQuery, labels queryLabels) selection {
	s := selection{filter: waymark.LinkFilter{Zone: r.Zone}, typed: q.Text}
	typed, problems := q.condition()
	for _, problem := range problems {
		s.asText = append(s.asText, problem.Part)
	}
	s.text = labels.withIDs(typed)
	shown := labels.withNames(typed)
	hasIDs := false
	searched := mapLabels(s.text, func(labeled waymark.Labeled) waymark.Condition {
		_, ok := labels.of(labeled.Kind, labeled.Refs[0])
		hasIDs = hasIDs || labeled.Refs[0].ID != 0
		switch {
		case ok || labeled.Refs[0].ID != 0:
			s.gone = s.gone || !ok
			return labeled
		default:
			s.asText = append(s.asText, query.Print(labeled))
			return query.Also(query.Word(query.Print(labeled)), q.also())
		}
	})
	if strings.Contains(q.Text, ":#") && hasIDs {
		s.typed = query.Print(query.NotAlso(shown, q.also()))
	}
	s.filter.Where = waymark.AndOf(s.parameters(r, q, labels), searched) // the chips of the parameters come first
	s.addChips(r, q, query.Parts(searched), query.Parts(shown), labels)
	return s
}

// also returns where a parameter, not the text, says that words are searched for, too.
func (q linksQuery) also() waymark.TextFields {
	if q.Content {
		return waymark.InSnapshot
	}
	return 0
}

// searches reports whether a word is searched for, in some texts, too.
func (s selection) searches(in waymark.TextFields) bool {
	return slices.ContainsFunc(waymark.Wanted(s.filter.Where), func(c waymark.Contains) bool { return query.IsWord(c) && c.In&in == in })
}

// parameters returns the condition of the parameters of a query, and adds their chips.
func (s *selection) parameters(r *page.Request, q linksQuery, labels queryLabels) waymark.Condition {
	var all waymark.And
	add := func(c waymark.Condition, without linksQuery) {
		found := labels.chip(r, c, without.path())
		s.gone = s.gone || found.Gone
		s.chips = append(s.chips, found)
		if c == waymark.IsUnread || c == waymark.IsFavorite { // other people have marked theirs for themselves
			c = waymark.AndOf(c, waymark.IsMine)
		}
		all = append(all, c)
	}
	without := q
	if without.Lists, without.Direct = nil, false; len(q.Lists) > 0 {
		add(waymark.Labeled{Kind: waymark.Lists, Refs: refsOf(q.Lists), Direct: q.Direct}, without)
	}
	without = q
	if without.Tags = nil; len(q.Tags) > 0 {
		add(waymark.Labeled{Kind: waymark.Tags, Refs: refsOf(q.Tags)}, without)
	}
	if q.Visibility != "" {
		add(waymark.Is(q.Visibility), q.toggled(q.Visibility, ""))
	}
	for _, name := range q.States {
		add(waymark.Is(name), q.withState(name, false))
	}
	if q.showsAll(r.User.Name) {
		all = append(all, waymark.NotOf(waymark.IsArchived))
	}
	if q.CheckResult != "" {
		add(waymark.Is(q.CheckResult), q.toggled(q.CheckResult, ""))
	}
	without = q
	if without.Since = ""; q.Since != "" {
		add(waymark.Dated{Field: waymark.SavedAfter, Period: q.Since}, without)
	}
	without = q
	if without.Before = ""; q.Before != "" {
		add(waymark.Dated{Field: waymark.SavedBefore, Period: q.Before}, without)
	}
	without = q
	if without.By = ""; q.By != "" {
		add(waymark.OwnedBy{Name: q.By}, without)
	}
	return all
}

// addChips adds chips for the parts of the query that are not words. shown are the same parts with the
// names of lists and tags.
func (s *selection) addChips(r *page.Request, q linksQuery, parts, shown []waymark.Condition, labels queryLabels) {
	for i, part := range parts {
		if query.IsWord(part) {
			s.words = append(s.words, query.Print(query.NotAlso(part, waymark.InSnapshot|waymark.InNotes)))
			continue
		}
		without := q
		without.Text = query.Print(query.NotAlso(waymark.And(slices.Delete(slices.Clone(shown), i, i+1)), q.also()))
		s.chips = append(s.chips, labels.chip(r, part, without.path()))
	}
	for _, place := range []struct {
		in   waymark.TextFields
		text string
	}{{waymark.InSnapshot, "filter.content"}, {waymark.InNotes, "filter.notes"}} {
		if !slices.ContainsFunc(waymark.Wanted(waymark.And(parts)), func(c waymark.Contains) bool { return query.IsWord(c) && c.In&place.in != 0 }) {
			continue
		}
		without := q
		without.Text = query.Print(query.NotAlso(waymark.And(shown), place.in|q.also()))
		if place.in == waymark.InSnapshot {
			without.Content = false
		}
		s.chips = append(s.chips, chip{Text: r.T(place.text), Remove: without.path()})
	}
}
