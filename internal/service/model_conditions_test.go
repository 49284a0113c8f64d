package service_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"waymark/internal/waymark"
)

// condition generates a condition with parts in parts, up to a depth.
func (mt *modelTest) condition(depth int) waymark.Condition {
	parts := func() (parts []waymark.Condition) {
		for range rapid.IntRange(0, 3).Draw(mt.T, "number of parts") {
			parts = append(parts, mt.condition(depth-1))
		}
		return parts
	}
	kinds := []string{"text", "text", "word", "lists", "tags", "prefix", "state", "has", "dated", "owner", "site"}
	if depth > 0 {
		kinds = append(kinds, "and", "or", "not", "and", "or", "not")
	}
	switch rapid.SampledFrom(kinds).Draw(mt.T, "kind of condition") {
	case "and":
		return waymark.And(parts())
	case "or":
		return waymark.Or(parts())
	case "not":
		return waymark.Not{Condition: mt.condition(depth - 1)}
	case "lists":
		return waymark.Labeled{Kind: waymark.Lists, Refs: refs(mt.lists).Draw(mt.T, "lists"), All: rapid.Bool().Draw(mt.T, "all")}
	case "tags":
		return waymark.Labeled{Kind: waymark.Tags, Refs: refs(mt.tags).Draw(mt.T, "tags"), All: rapid.Bool().Draw(mt.T, "all")}
	case "prefix":
		return waymark.Labeled{Kind: waymark.Tags, Refs: []waymark.Ref{{Name: rapid.SampledFrom([]string{"", "A", "b", "京"}).Draw(mt.T, "prefix")}}, Prefix: true}
	case "state":
		return rapid.SampledFrom(waymark.States).Draw(mt.T, "state")
	case "has":
		return rapid.SampledFrom([]waymark.Has{waymark.HasNote, waymark.HasDescription}).Draw(mt.T, "thing")
	case "dated":
		period := rapid.SampledFrom([]string{"2020", "1d", "2w", "9999-12"}).Draw(mt.T, "period")
		field := rapid.SampledFrom([]waymark.DateField{waymark.SavedBefore, waymark.SavedAfter, waymark.SavedOn, waymark.EditedOn})
		return waymark.Dated{Field: field.Draw(mt.T, "relation"), Period: period}
	case "owner":
		return waymark.OwnedBy{ID: mt.anyUser().ID}
	case "site":
		return waymark.OnSite(rapid.SampledFrom([]string{"example", "b.example", "EXAMPLE", "xample", "example.org"}).Draw(mt.T, "host"))
	case "word":
		return waymark.Contains{Text: rapid.SampledFrom([]string{"a", "ss", "b", "京"}).Draw(mt.T, "word"), In: waymark.TextFields(rapid.IntRange(1, 31).Draw(mt.T, "fields"))}
	}
	text := rapid.SampledFrom([]string{"a", "ss", "STRASSE", "ärge", "A\u0308RGER", "https://", "EXAMPLE", "京", "東京都", "0%", "_", "\"so\"", "no such text", "\x00"})
	return waymark.Contains{Text: text.Draw(mt.T, "text"), In: waymark.TextFields(rapid.IntRange(1, 7).Draw(mt.T, "fields"))}
}

// matches reports whether a search of viewer finds a link.
func (m *referenceModel) matches(viewer waymark.UserID, link *referenceLink, filter waymark.LinkFilter) bool {
	return seesLink(viewer, link) && m.satisfies(viewer, link, filter.Where)
}

// satisfies reports whether a link satisfies a condition. All links were saved and edited today.
func (m *referenceModel) satisfies(viewer waymark.UserID, link *referenceLink, c waymark.Condition) bool {
	satisfies := func(c waymark.Condition) bool { return m.satisfies(viewer, link, c) }
	switch c := c.(type) {
	case waymark.And:
		return !slices.ContainsFunc(c, func(c waymark.Condition) bool { return !satisfies(c) })
	case waymark.Or:
		return slices.ContainsFunc(c, satisfies)
	case waymark.Not:
		return !satisfies(c.Condition)
	case waymark.Contains:
		return m.contains(viewer, link, c)
	case waymark.Labeled:
		return m.labeled(viewer, link, c)
	case waymark.Dated:
		switch {
		case c.Field == waymark.SavedAfter, c.Field == waymark.EditedOn && c.Period != "2020":
			return c.Period != "9999-12"
		case c.Field == waymark.SavedBefore:
			return c.Period == "9999-12"
		}
		return false
	case waymark.OwnedBy:
		return link.Owner == c.ID
	case waymark.OnSite:
		_, rest, ok := strings.Cut(waymark.Plain(link.URL), "://")
		host, _, _ := strings.Cut(rest, "/")
		return ok && (host == waymark.Plain(string(c)) || strings.HasSuffix(host, "."+waymark.Plain(string(c))))
	case waymark.Is:
		return m.is(viewer, link, c)
	}
	if c == waymark.HasDescription {
		return link.Description != ""
	}
	return m.hasNote(viewer, link, "")
}

// hasNote reports whether the viewer sees a note with a text on a link.
func (m *referenceModel) hasNote(viewer waymark.UserID, link *referenceLink, text string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(m.notes)), func(note *waymark.Note) bool {
		return note.Link == link.ID && m.seesNote(viewer, note) && strings.Contains(waymark.Plain(note.Text), text)
	})
}

// contains reports whether one of the texts of a link contains a text.
func (m *referenceModel) contains(viewer waymark.UserID, link *referenceLink, c waymark.Contains) bool {
	text := waymark.Plain(c.Text)
	var texts []string
	for field, value := range map[waymark.TextFields]string{waymark.InURL: link.URL, waymark.InTitle: link.Title, waymark.InDescription: link.Description} {
		if c.In&field != 0 {
			texts = append(texts, value)
		}
	}
	if c.In&waymark.InNames != 0 {
		for _, list := range m.listsFor(viewer, link) {
			texts = append(texts, list.Name)
		}
		for _, tag := range m.tagsFor(viewer, link) {
			texts = append(texts, tag.Name)
		}
	}
	return slices.ContainsFunc(texts, func(value string) bool { return strings.Contains(waymark.Plain(value), text) }) ||
		c.In&waymark.InNotes != 0 && m.hasNote(viewer, link, text)
}

// labeled reports whether a link has some lists or tags.
func (m *referenceModel) labeled(viewer waymark.UserID, link *referenceLink, c waymark.Labeled) bool {
	if c.Prefix {
		return slices.ContainsFunc(m.tagsFor(viewer, link), func(tag waymark.Tag) bool {
			return strings.HasPrefix(waymark.Plain(tag.Name), waymark.Plain(c.Refs[0].Name))
		})
	}
	has := 0
	for _, ref := range c.Refs {
		tags, lists := m.resolveTags(viewer, []waymark.Ref{ref}), m.resolveLists(viewer, []waymark.Ref{ref})
		if c.Kind == waymark.Tags && slices.ContainsFunc(slices.Collect(maps.Keys(tags)), func(id waymark.TagID) bool { return link.hasTags[id] }) ||
			c.Kind == waymark.Lists && slices.ContainsFunc(slices.Collect(maps.Keys(link.inLists)), func(id waymark.ListID) bool { return m.isInside(viewer, id, lists) }) {
			has++
		}
	}
	return has > 0 && (!c.All || has == len(c.Refs))
}

// is reports whether a link is in a state.
func (m *referenceModel) is(viewer waymark.UserID, link *referenceLink, state waymark.Is) bool {
	switch state {
	case waymark.IsBroken:
		return link.Status != waymark.StatusOK
	case waymark.IsUnread:
		return link.Unread
	case waymark.IsArchived:
		return link.Archived
	case waymark.IsFavorite:
		return link.Favorite
	case waymark.IsMine:
		return link.Owner == viewer
	case waymark.IsUnfiled:
		return len(m.listsFor(viewer, link)) == 0
	case waymark.IsNoted:
		return slices.ContainsFunc(slices.Collect(maps.Values(m.notes)), func(note *waymark.Note) bool {
			return note.Link == link.ID && note.Owner == viewer && m.seesNote(viewer, note)
		})
	case waymark.IsDuplicate:
		return link.Owner == viewer && m.hasDuplicate(link)
	case waymark.IsUntagged:
		return len(m.tagsFor(viewer, link)) == 0
	case waymark.IsPublic, waymark.IsInternal, waymark.IsPrivate:
		return link.Visibility.String() == string(state)
	}
	return cmp.Compare(link.CheckResult.String(), string(state)) == 0
}

// hasDuplicate reports whether the owner of a link has another active one with the same key.
func (m *referenceModel) hasDuplicate(link *referenceLink) bool {
	for id, other := range m.links {
		if id != link.ID && other.Owner == link.Owner && other.DeletedAt == 0 && waymark.URLKey(other.URL) == waymark.URLKey(link.URL) {
			return true
		}
	}
	return false
}
