package linkindex

import (
	"cmp"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"time"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// model is the plain version of Links: it tests every link and sorts the result.
type model struct {
	links  map[int64]Link
	labels [2]map[int64]Label // lists and tags
}

func (m *model) find(q Query) Result {
	var all []Link
	for _, link := range m.links {
		if slices.Contains(query.ScopesOf(q.Viewer), link.Scope) && m.satisfies(&link, q.Where, &q) {
			all = append(all, link)
		}
	}
	slices.SortFunc(all, func(a, b Link) int {
		c := cmp.Or(compareLinks(&a, &b, q.Order), cmp.Compare(a.ID, b.ID))
		if q.Order.Desc {
			return -c
		}
		return c
	})
	r := Result{Total: len(all)}
	from := min(q.Pagination.Offset, len(all))
	to := len(all)
	if q.Pagination.Limit != waymark.NoLimit {
		to = min(to, from+q.Pagination.Limit)
	}
	for _, link := range all[from:to] {
		r.IDs = append(r.IDs, link.ID)
	}
	return r
}

// satisfies reports whether a link satisfies a condition.
func (m *model) satisfies(l *Link, c waymark.Condition, q *Query) bool {
	satisfies := func(part waymark.Condition) bool { return m.satisfies(l, part, q) }
	visible := func(k Kind, id int64) bool {
		label, ok := m.labels[k][id]
		return ok && slices.Contains(query.ScopesOf(q.As), label.Scope)
	}
	// has reports whether the link has a list or tag whose name satisfies a condition.
	has := func(k Kind, named func(name string) bool) bool {
		ids := [2][]int64{List: l.Lists, Tag: l.Tags}[k]
		return slices.ContainsFunc(ids, func(id int64) bool { return visible(k, id) && named(m.labels[k][id].Name) })
	}
	switch c := c.(type) {
	case nil:
		return true
	case waymark.And:
		return !slices.ContainsFunc(c, func(part waymark.Condition) bool { return !satisfies(part) })
	case waymark.Or:
		return slices.ContainsFunc(c, satisfies)
	case waymark.Not:
		return !satisfies(c.Condition)
	case waymark.Contains:
		contains := func(text string) bool { return strings.Contains(waymark.Plain(text), c.Text) }
		return c.In&waymark.InURL != 0 && contains(l.URL) || c.In&waymark.InTitle != 0 && contains(l.Title) ||
			c.In&waymark.InDescription != 0 && contains(l.Description) || c.In&waymark.InNames != 0 && (has(List, contains) || has(Tag, contains))
	case waymark.Labeled:
		if c.Prefix {
			return has(kindOf(c.Kind), func(name string) bool { return strings.HasPrefix(name, c.Refs[0].Name) })
		}
		labeled := func(ref waymark.Ref) bool {
			if c.Kind == waymark.Tags {
				return slices.Contains(l.Tags, ref.ID)
			}
			return slices.ContainsFunc(l.Lists, func(id int64) bool { return id == ref.ID || !c.Direct && m.below(id, ref.ID, visible) })
		}
		if c.All {
			return !slices.ContainsFunc(c.Refs, func(ref waymark.Ref) bool { return !labeled(ref) })
		}
		return slices.ContainsFunc(c.Refs, labeled)
	case waymark.Dated:
		from, before := c.Bounds(q.Now)
		at := l.CreatedAt
		switch c.Field {
		case waymark.EditedOn:
			at = l.UpdatedAt
		case waymark.SeenOn:
			if at = l.SeenAt; at == 0 || l.Owner != q.As || q.As == waymark.Guest {
				return false
			}
		}
		return at >= from && at < before
	case waymark.Since:
		if c.Edited {
			return l.UpdatedAt > c.After
		}
		return l.CreatedAt > c.After
	case waymark.Following:
		order := waymark.Order{By: waymark.SortByRandom, Seed: c.Seed}
		return cmp.Or(compareLinks(l, &Link{ID: int64(c.Link)}, order), cmp.Compare(l.ID, int64(c.Link))) > 0
	case waymark.OwnedBy:
		return l.Owner == c.ID
	case waymark.OnSite:
		parsed, err := url.Parse(waymark.Plain(l.URL))
		return err == nil && strings.HasSuffix("."+parsed.Hostname(), "."+string(c))
	case waymark.Among:
		return c[waymark.LinkID(l.ID)]
	case waymark.Is:
		return m.is(l, c, q, has)
	case waymark.Has:
		return l.Description != ""
	}
	panic(c)
}

func (m *model) is(l *Link, state waymark.Is, q *Query, has func(k Kind, named func(name string) bool) bool) bool {
	any := func(string) bool { return true }
	return map[waymark.Is]bool{
		waymark.IsUnread: l.Unread, waymark.IsArchived: l.Archived, waymark.IsFavorite: l.Favorite,
		waymark.IsBroken: l.Status != waymark.StatusOK, waymark.IsMine: q.As != 0 && l.Owner == q.As,
		waymark.IsUnfiled: !has(List, any), waymark.IsUntagged: !has(Tag, any),
		waymark.IsOK: l.CheckResult == waymark.CheckOK, waymark.IsMoved: l.CheckResult == waymark.CheckMoved, waymark.IsDead: l.CheckResult == waymark.CheckDead,
		waymark.IsBlocked: l.CheckResult == waymark.CheckBlocked, waymark.IsUnsure: l.CheckResult == waymark.CheckUnsure,
		waymark.IsPublic: l.Scope == 0, waymark.IsInternal: l.Scope == -1, waymark.IsPrivate: l.Scope > 0,
	}[state]
}

// below reports whether a list stands in another one, through lists that are visible.
func (m *model) below(id, top int64, visible func(k Kind, id int64) bool) bool {
	for range 10 {
		if !visible(List, id) {
			return false
		}
		if id = m.labels[List][id].Parent; id == top {
			return true
		}
	}
	return false
}

func (m *model) labelsByLinks(q LabelQuery) (total int, page []LabelCount) {
	var all []LabelCount
	for id, label := range m.labels[q.Kind] {
		if !slices.Contains(q.Scopes, label.Scope) || q.Owner != 0 && q.Owner != label.Owner || q.Among != nil && !slices.Contains(q.Among, id) {
			continue
		}
		n := 0
		for _, link := range m.links {
			if ids := [2][]int64{List: link.Lists, Tag: link.Tags}[q.Kind]; slices.Contains(q.Scopes, link.Scope) && slices.Contains(ids, id) {
				n++
			}
		}
		all = append(all, LabelCount{id, n})
	}
	slices.SortFunc(all, func(a, b LabelCount) int {
		if q.Desc {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(a.Links, b.Links), cmp.Compare(a.ID, b.ID))
	})
	from := min(q.Pagination.Offset, len(all))
	to := len(all)
	if q.Pagination.Limit != waymark.NoLimit {
		to = min(to, from+q.Pagination.Limit)
	}
	return len(all), all[from:to]
}

func randomLabelQuery(r *rand.Rand) LabelQuery {
	q := LabelQuery{
		Kind:       Kind(r.IntN(2)),
		Scopes:     query.ScopesOf(waymark.UserID(r.IntN(4))),
		Owner:      waymark.UserID(r.IntN(3)),
		Desc:       r.IntN(2) == 0,
		Pagination: waymark.Pagination{Offset: r.IntN(3), Limit: r.IntN(4)},
	}
	if r.IntN(3) == 0 {
		q.Among = []int64{1, 3, 5, 9}
	}
	return q
}

func compareLinks(a, b *Link, order waymark.Order) int {
	text := func(a, b string) int {
		return cmp.Or(strings.Compare(waymark.Plain(a), waymark.Plain(b)), strings.Compare(waymark.Fold(a), waymark.Fold(b)), strings.Compare(a, b))
	}
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	switch order.By {
	case waymark.SortByURL:
		return text(a.URL, b.URL)
	case waymark.SortByTitle:
		return waymark.CompareNames(a.Title, b.Title)
	case waymark.SortByDescription:
		return text(a.Description, b.Description)
	case waymark.SortByVisibility:
		return cmp.Compare(a.Scope.Visibility(), b.Scope.Visibility())
	case waymark.SortByPrivate:
		return cmp.Compare(number(a.Scope > 0), number(b.Scope > 0))
	case waymark.SortByStatus:
		return cmp.Compare(a.Status, b.Status)
	case waymark.SortByCheckDisabled:
		return cmp.Compare(number(a.CheckDisabled), number(b.CheckDisabled))
	case waymark.SortByCreatedAt:
		return cmp.Compare(a.CreatedAt, b.CreatedAt)
	case waymark.SortByUpdatedAt:
		return cmp.Compare(a.UpdatedAt, b.UpdatedAt)
	case waymark.SortByMinutes:
		return cmp.Or(cmp.Compare(number(a.Minutes == 0), number(b.Minutes == 0)), cmp.Compare(a.Minutes, b.Minutes))
	case waymark.SortByRandom:
		return cmp.Compare(mixed(mixed(order.Seed)^a.ID), mixed(mixed(order.Seed)^b.ID))
	}
	return 0
}

func randomText(r *rand.Rand) string {
	var parts []string
	for range r.IntN(4) {
		parts = append(parts, words[r.IntN(len(words))])
	}
	return strings.Join(parts, "")
}

func randomLink(r *rand.Rand, id int64) Link {
	l := Link{
		ID:            id,
		Owner:         waymark.UserID(1 + r.IntN(3)),
		Scope:         query.Scope(r.IntN(4) - 1),
		Status:        waymark.Status(1 + r.IntN(3)),
		CheckResult:   waymark.CheckResult(r.IntN(6)),
		Minutes:       r.IntN(4),
		CheckDisabled: r.IntN(3) == 0,
		LinkFlags:     waymark.LinkFlags{Unread: r.IntN(2) == 0, Archived: r.IntN(3) == 0, Favorite: r.IntN(4) == 0},
		CreatedAt:     waymark.FromTime(now.AddDate(0, 0, -r.IntN(50))),
		UpdatedAt:     waymark.FromTime(now.AddDate(0, -r.IntN(50), 0)),
		URL:           randomURL(r),
		Title:         randomText(r),
		Description:   randomText(r),
	}
	l.TitleKey = string(waymark.SortKey(l.Title))
	if l.Scope > 0 {
		l.Owner = waymark.UserID(l.Scope) // only its owner sees a private link
	}
	if r.IntN(2) == 0 {
		l.SeenAt = waymark.FromTime(now.AddDate(0, 0, -r.IntN(500)))
	}
	for id := range int64(5) {
		if r.IntN(6) == 0 {
			l.Lists = append(l.Lists, id+1)
		}
		if r.IntN(6) == 0 {
			l.Tags = append(l.Tags, id+1)
		}
	}
	return l
}

// now is the time from which conditions count.
var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func randomURL(r *rand.Rand) string {
	host := []string{"github.com", "GitHub.com:8080", "ann@gist.github.com", "www.example.org", "", "[::1]", "github.com.example.org"}[r.IntN(7)]
	return []string{"https://", "http://", "mailto:"}[r.IntN(3)] + host + []string{"/", "?", "#"}[r.IntN(3)] + url.PathEscape(randomText(r))
}

// randomCondition returns a condition with parts up to a depth.
func randomCondition(r *rand.Rand, depth int) waymark.Condition {
	var refs []waymark.Ref
	for range 1 + r.IntN(2) {
		refs = append(refs, waymark.Ref{ID: 1 + r.Int64N(6)})
	}
	text := waymark.Plain(words[r.IntN(len(words))])
	if text == "" {
		text = "o"
	}
	if depth > 0 && r.IntN(2) == 0 {
		var parts []waymark.Condition
		for range r.IntN(4) {
			parts = append(parts, randomCondition(r, depth-1))
		}
		switch r.IntN(3) {
		case 0:
			return waymark.And(parts)
		case 1:
			return waymark.Or(parts)
		}
		return waymark.Not{Condition: randomCondition(r, depth-1)}
	}
	kind := []waymark.EntityKind{waymark.Lists, waymark.Tags}[r.IntN(2)]
	fields := []waymark.DateField{waymark.SavedBefore, waymark.SavedAfter, waymark.SavedOn, waymark.EditedOn, waymark.SeenOn}
	periods := []string{"2026", "2026-02", "2026-02-14", "20d", "1y", "9m"}
	states := slices.DeleteFunc(slices.Clone(waymark.States), func(s waymark.Is) bool { return s == waymark.IsDuplicate || s == waymark.IsNoted })
	return []waymark.Condition{
		waymark.Labeled{Kind: kind, Refs: refs, All: r.IntN(2) == 0, Direct: r.IntN(2) == 0},
		waymark.Labeled{Kind: kind, Refs: []waymark.Ref{{Name: text}}, Prefix: true},
		waymark.OnSite([]string{"github.com", "example.org", "www.example.org", "com"}[r.IntN(4)]),
		waymark.Dated{Field: fields[r.IntN(len(fields))], Period: periods[r.IntN(len(periods))]},
		waymark.Since{Edited: r.IntN(2) == 0, After: waymark.FromTime(now.AddDate(0, 0, -25))},
		waymark.OwnedBy{ID: waymark.UserID(r.IntN(4))},
		waymark.Following{Seed: r.Int64N(3), Link: waymark.LinkID(r.IntN(200))},
		waymark.Among{waymark.LinkID(r.IntN(100)): true, waymark.LinkID(r.IntN(200)): true},
		waymark.HasDescription,
		states[r.IntN(len(states))], states[r.IntN(len(states))],
		waymark.Contains{Text: text, In: waymark.TextFields(r.IntN(16))},
		waymark.Contains{Text: text, In: waymark.InTexts | waymark.InNames},
	}[r.IntN(13)]
}

func randomQuery(r *rand.Rand) Query {
	fields := slices.Concat(waymark.LinkSortFields, []waymark.SortField{waymark.SortByMinutes})
	q := Query{
		Viewer: waymark.UserID(r.IntN(4)), As: waymark.UserID(r.IntN(4)), Now: now,
		Order: waymark.Order{By: fields[r.IntN(len(fields))], Desc: r.IntN(2) == 0, Seed: r.Int64N(3)},
	}
	if r.IntN(4) > 0 {
		q.Where = randomCondition(r, r.IntN(5))
	}
	if r.IntN(3) > 0 {
		q.Pagination = waymark.Pagination{Offset: r.IntN(300), Limit: r.IntN(40)}
	}
	return q
}
