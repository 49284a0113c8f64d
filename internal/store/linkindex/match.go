package linkindex

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// test reports whether a link satisfies a condition.
type test func(l *link) bool

// tester makes tests of the conditions of a query.
type tester struct {
	links  *Links
	viewer waymark.UserID
	as     waymark.UserID
	scopes []query.Scope // those that as sees
	now    time.Time
}

func (x *Links) tester(q Query) *tester {
	return &tester{x, q.Viewer, q.As, query.ScopesOf(q.As), q.Now}
}

// query returns the test that the viewer sees a link and that it satisfies a condition.
func (t *tester) query(where waymark.Condition) test {
	satisfies := t.of(where)
	return func(l *link) bool { return t.sees(l) && satisfies(l) }
}

// sees reports whether the viewer sees a link.
func (t *tester) sees(l *link) bool {
	switch waymark.Visibility(l.visibility) {
	case waymark.Public:
		return true
	case waymark.Internal:
		return t.viewer != waymark.Guest
	case waymark.Private:
		return t.viewer != waymark.Guest && l.owner == t.viewer
	}
	return false // it was removed
}

// of returns the test of a condition.
func (t *tester) of(c waymark.Condition) test {
	switch c := c.(type) {
	case nil:
		return func(*link) bool { return true }
	case waymark.And:
		tests := t.all(c)
		return func(l *link) bool {
			for _, test := range tests {
				if !test(l) {
					return false
				}
			}
			return true
		}
	case waymark.Or:
		tests := t.all(c)
		return func(l *link) bool {
			for _, test := range tests {
				if test(l) {
					return true
				}
			}
			return false
		}
	case waymark.Not:
		test := t.of(c.Condition)
		return func(l *link) bool { return !test(l) }
	case waymark.Contains:
		return t.contains(c)
	case waymark.Labeled:
		return t.labeled(c)
	case waymark.Dated:
		from, before := c.Bounds(t.now)
		switch c.Field {
		case waymark.SeenOn: // it is the owner's alone
			return func(l *link) bool {
				return l.seen != 0 && l.seen >= from && l.seen < before && l.owner == t.as && t.as != waymark.Guest
			}
		case waymark.EditedOn:
			return func(l *link) bool { return l.updated >= from && l.updated < before }
		}
		return func(l *link) bool { return l.created >= from && l.created < before }
	case waymark.Since:
		if c.Edited {
			return func(l *link) bool { return l.updated > c.After }
		}
		return func(l *link) bool { return l.created > c.After }
	case waymark.Following:
		seed := mixed(c.Seed)
		before := mixed(seed ^ int64(c.Link))
		return func(l *link) bool { return mixed(seed^l.id) > before }
	case waymark.OwnedBy:
		return func(l *link) bool { return c.ID != 0 && l.owner == c.ID }
	case waymark.OnSite:
		site, below := string(c), "."+string(c)
		return func(l *link) bool { return l.host() == site || strings.HasSuffix(l.host(), below) }
	case waymark.Among:
		return func(l *link) bool { return c[waymark.LinkID(l.id)] }
	case waymark.Is:
		return t.is(c)
	case waymark.Has:
		if c == waymark.HasDescription {
			return func(l *link) bool { return l.description() != "" }
		}
	}
	panic(fmt.Sprintf("linkindex: no test for the condition %#v", c))
}

// all returns the tests of conditions. Those that read no texts come first.
func (t *tester) all(conditions []waymark.Condition) []test {
	var tests, ofTexts []test
	for _, c := range conditions {
		if readsTexts(c) {
			ofTexts = append(ofTexts, t.of(c))
		} else {
			tests = append(tests, t.of(c))
		}
	}
	return append(tests, ofTexts...)
}

func readsTexts(c waymark.Condition) bool {
	for leaf := range waymark.Leaves(c) {
		switch leaf.(type) {
		case waymark.Contains, waymark.OnSite:
			return true
		}
	}
	return false
}

func (t *tester) contains(c waymark.Contains) test {
	var named labelSet
	if c.In&waymark.InNames != 0 {
		named = t.named(func(name string) bool { return strings.Contains(name, c.Text) })
	}
	var inTexts test
	switch c.In & waymark.InTexts {
	case 0:
		inTexts = func(*link) bool { return false }
	case waymark.InTexts:
		inTexts = func(l *link) bool { return strings.Contains(l.texts(), c.Text) }
	case waymark.InTitle | waymark.InDescription:
		inTexts = func(l *link) bool { return strings.Contains(l.text[l.urlEnd+1:l.descriptionEnd], c.Text) }
	default:
		inTexts = func(l *link) bool {
			return c.In&waymark.InURL != 0 && strings.Contains(l.url(), c.Text) ||
				c.In&waymark.InTitle != 0 && strings.Contains(l.title(), c.Text) ||
				c.In&waymark.InDescription != 0 && strings.Contains(l.description(), c.Text)
		}
	}
	if !slices.Contains(named, true) {
		return inTexts
	}
	return func(l *link) bool { return named.any(l) || inTexts(l) }
}

// named returns the lists and tags that the user sees whose names satisfy a condition.
func (t *tester) named(satisfies func(name string) bool) labelSet {
	set := make(labelSet, len(t.links.labels.all))
	for n := range t.links.labels.all {
		l := &t.links.labels.all[n]
		set[n] = slices.Contains(t.scopes, l.Scope) && satisfies(l.Name)
	}
	return set
}

func (t *tester) labeled(c waymark.Labeled) test {
	x, kind := &t.links.labels, kindOf(c.Kind)
	if c.Prefix {
		return x.set(kind, func(l *label) bool {
			return slices.Contains(t.scopes, l.Scope) && strings.HasPrefix(l.Name, c.Refs[0].Name)
		}).any
	}
	if c.All {
		var all waymark.And
		for _, ref := range c.Refs {
			all = append(all, waymark.Labeled{Kind: c.Kind, Refs: []waymark.Ref{ref}, Direct: c.Direct})
		}
		return t.of(all)
	}
	set := make(labelSet, len(x.all))
	for _, ref := range c.Refs {
		x.add(set, kind, ref.ID)
		if ref.ID == 0 {
			for n := range x.all {
				l := &x.all[n]
				set[n] = set[n] || l.kind == kind && l.Name == ref.Name && slices.Contains(t.scopes, l.Scope)
			}
		}
	}
	if kind == List && !c.Direct {
		x.addBelow(set, t.scopes)
	}
	return set.any
}

func (t *tester) is(state waymark.Is) test {
	if visibility, err := waymark.ParseVisibility(string(state)); err == nil {
		return func(l *link) bool { return waymark.Visibility(l.visibility) == visibility }
	}
	if result, ok := waymark.ParseCheckResult(string(state)); ok {
		return func(l *link) bool { return l.result == uint8(result) }
	}
	flag := func(f flags) test { return func(l *link) bool { return l.has(f) } }
	without := func(k Kind) test {
		set := t.links.labels.set(k, func(l *label) bool { return slices.Contains(t.scopes, l.Scope) })
		return func(l *link) bool { return !set.any(l) }
	}
	switch state {
	case waymark.IsUnread:
		return flag(unread)
	case waymark.IsArchived:
		return flag(archived)
	case waymark.IsFavorite:
		return flag(favorite)
	case waymark.IsBroken:
		return func(l *link) bool { return l.status > uint8(waymark.StatusOK) }
	case waymark.IsMine: // a guest has no links
		return func(l *link) bool { return l.owner == t.as && t.as != waymark.Guest }
	case waymark.IsUnfiled:
		return without(List)
	case waymark.IsUntagged:
		return without(Tag)
	}
	panic("linkindex: no test for the state " + string(state))
}
