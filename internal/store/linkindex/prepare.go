package linkindex

import (
	"fmt"
	"slices"
	"strings"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// preparing makes conditions of the predicates of one query.
type preparing struct {
	index *Index
	named map[string]bitmap // the lists and tags of predicates InNamed: names are read once, not for each scope
}

// The conditions that all links satisfy, and that none does.
var (
	everyLink = allOf{}
	noLink    = anyOf{}
)

// isEvery and isNone report whether a condition is everyLink or noLink.
func isEvery(c condition) bool { all, ok := c.(allOf); return ok && len(all) == 0 }
func isNone(c condition) bool  { any, ok := c.(anyOf); return ok && len(any) == 0 }

// all returns the condition that the links of a scope satisfy all predicates.
func (p *preparing) all(s *scope, predicates []query.Predicate) condition {
	all := everyLink
	for _, predicate := range needed(predicates) {
		switch c := p.one(s, predicate).(type) {
		case allOf:
			all = append(all, c...)
		default:
			if isNone(c) {
				return c
			}
			all = append(all, c)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

// any returns the condition that the links of a scope satisfy one of some predicates.
func (p *preparing) any(s *scope, predicates []query.Predicate) condition {
	any := noLink
	for _, predicate := range predicates {
		switch c := p.one(s, predicate).(type) {
		case anyOf:
			any = append(any, c...)
		default:
			if isEvery(c) {
				return c
			}
			any = append(any, c)
		}
	}
	if len(any) == 1 {
		return any[0]
	}
	return any
}

// not returns the condition that the links of a scope do not satisfy a predicate.
func (p *preparing) not(s *scope, predicate query.Predicate) condition {
	c := p.one(s, predicate)
	switch not, negated := c.(negation); {
	case isEvery(c):
		return noLink
	case isNone(c):
		return everyLink
	case negated:
		return not.condition
	}
	return negation{c}
}

// one returns the condition of a predicate.
func (p *preparing) one(s *scope, q query.Predicate) condition {
	switch {
	case q.AllIn(query.Scope(s.key)):
		return everyLink
	case q.NoneIn(query.Scope(s.key)):
		return noLink
	case q.SelectsLinks():
		return p.index.located(s, q.LinkIDs)
	}
	switch q.Kind {
	case query.And:
		return p.all(s, q.Parts)
	case query.Or:
		return p.any(s, q.Parts)
	case query.Not:
		return p.not(s, q.Parts[0])
	case query.InAny, query.InAll, query.InNoneVisible, query.InNamed:
		return p.labeling(q)
	case query.ContainsText:
		return textTest{[]byte(q.Text.Text), fieldsOf(q.Text.Columns)}
	case query.OnSite:
		return newSiteTest(q.Text.Text)
	}
	if test := testOf(q); test != nil {
		return test
	}
	panic(fmt.Sprintf("linkindex: no condition for the predicate %d", q.Kind))
}

// testOf returns the condition of a predicate on the data of a link without its texts, lists and tags,
// or nil for another predicate.
func testOf(q query.Predicate) linkTest {
	between := func(times *integers) func(int) bool {
		return func(i int) bool { at := times.at(i); return at >= int64(q.From) && at < int64(q.Before) }
	}
	switch q.Kind {
	case query.SavedBetween:
		return func(s *segment) func(int) bool { return between(&s.created) }
	case query.EditedBetween:
		return func(s *segment) func(int) bool { return between(&s.updated) }
	case query.OwnedBy:
		return func(s *segment) func(int) bool { return func(i int) bool { return s.owners.at(i) == int64(q.User) } }
	case query.IsBroken:
		return func(s *segment) func(int) bool { return func(i int) bool { return s.status(i) != waymark.StatusOK } }
	case query.HasCheckResult:
		return func(s *segment) func(int) bool { return func(i int) bool { return s.result(i) == q.CheckResult } }
	case query.HasFlag:
		flag := ownerFlag(q.Flag.Flag)
		return func(s *segment) func(int) bool { return func(i int) bool { return s.flags[i]&flag != 0 == q.Flag.On } }
	case query.HasDescription:
		return func(s *segment) func(int) bool {
			return func(i int) bool { return len(s.folded(descriptionText, i)) > 0 }
		}
	}
	return nil
}

// labeling returns the condition of a predicate on lists or tags.
func (p *preparing) labeling(q query.Predicate) condition {
	l, kind := &p.index.labels, KindOf(q.Association)
	switch q.Kind {
	case query.InAll:
		// The first condition leaves few links, on which the other is tested.
		return allOf{labeling{l.numbered(kind, q.IDs[:1]), 1}, labeling{l.numbered(kind, q.IDs), len(q.IDs)}}
	case query.InNoneVisible:
		return negation{labeling{l.visible(kind, query.ScopesOf(q.User), func(string) bool { return true }), 1}}
	case query.InNamed:
		key := fmt.Sprint(kind, q.User, q.Text.Prefix, q.Text.Text)
		labels, ok := p.named[key]
		if !ok {
			has := strings.Contains
			if q.Text.Prefix {
				has = strings.HasPrefix
			}
			labels = l.visible(kind, query.ScopesOf(q.User), func(name string) bool { return has(name, q.Text.Text) })
			if p.named == nil {
				p.named = map[string]bitmap{}
			}
			p.named[key] = labels
		}
		if labels.empty() {
			return noLink
		}
		return labeling{labels, 1}
	}
	return labeling{l.numbered(kind, q.IDs), 1}
}

// KindOf returns the kind of the lists or tags of an association.
func KindOf(assoc *query.Association) Kind {
	if assoc == &query.LinkTags {
		return Tag
	}
	return List
}

// needed returns predicates without redundant ones on texts: a link that contains a text contains each
// part of it, and a link that lacks a part of a text lacks the text.
func needed(predicates []query.Predicate) []query.Predicate {
	redundant := func(i int) bool {
		t, not, ok := textOfPredicate(predicates[i])
		return ok && slices.ContainsFunc(predicates, func(p query.Predicate) bool {
			other, otherNot, ok := textOfPredicate(p)
			if !ok || not != otherNot || !slices.Equal(t.Columns, other.Columns) || t.Text == other.Text {
				return false
			}
			if not {
				return strings.Contains(t.Text, other.Text)
			}
			return strings.Contains(other.Text, t.Text)
		})
	}
	left := make([]query.Predicate, 0, len(predicates))
	for i, p := range predicates {
		if !redundant(i) {
			left = append(left, p)
		}
	}
	return left
}

// textOfPredicate returns the text of a predicate that a link contains it, or does not.
func textOfPredicate(p query.Predicate) (t query.TextPredicate, not, ok bool) {
	if p.Kind == query.Not && p.Parts[0].Kind == query.ContainsText {
		return p.Parts[0].Text, true, true
	}
	return p.Text, false, p.Kind == query.ContainsText
}

// fieldsOf returns the texts of a link in some columns.
func fieldsOf(columns []string) []int {
	fields := make([]int, len(columns))
	for i, column := range columns {
		fields[i] = map[string]int{"url": urlText, "title": titleText, "description": descriptionText}[column]
	}
	return fields
}
