package linkindex

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// model is the plain version of an index: it tests every link and sorts the result.
type model struct {
	links  map[int64]Link
	labels [2]map[int64]Label // lists and tags
}

func (m *model) find(q Query) Result {
	var all []Link
	groups := slices.Clone(q.Groups)
	if q.Order.Desc {
		slices.Reverse(groups)
	}
	for _, scopes := range groups {
		var group []Link
		for _, link := range m.links {
			if slices.Contains(scopes, link.Scope) && m.matches(&link, &q) {
				group = append(group, link)
			}
		}
		slices.SortFunc(group, func(a, b Link) int {
			c := cmp.Or(compareLinks(&a, &b, q.Order.By), cmp.Compare(a.ID, b.ID))
			if q.Order.Desc {
				return -c
			}
			return c
		})
		all = append(all, group...)
	}
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

func (m *model) matches(l *Link, q *Query) bool {
	return m.satisfies(l, query.Predicate{Kind: query.And, Parts: q.Where})
}

// satisfies reports whether a link satisfies a predicate.
func (m *model) satisfies(l *Link, p query.Predicate) bool {
	satisfies := func(part query.Predicate) bool { return m.satisfies(l, part) }
	ids, labels := l.Lists, m.labels[List]
	if p.Association == &query.LinkTags {
		ids, labels = l.Tags, m.labels[Tag]
	}
	wanted := func(id int64) bool { return slices.Contains(p.IDs, id) }
	visible := func(id int64) bool {
		label, ok := labels[id]
		return ok && slices.Contains(query.ScopesOf(p.User), query.Scope(label.Scope))
	}
	switch p.Kind {
	case query.And:
		return !slices.ContainsFunc(p.Parts, func(part query.Predicate) bool { return !satisfies(part) })
	case query.Or:
		return slices.ContainsFunc(p.Parts, satisfies)
	case query.Not:
		return !satisfies(p.Parts[0])
	case query.InAny:
		return slices.ContainsFunc(ids, wanted)
	case query.InAll:
		return !slices.ContainsFunc(p.IDs, func(id int64) bool { return !slices.Contains(ids, id) })
	case query.InNoneVisible:
		return !slices.ContainsFunc(ids, visible)
	case query.InNamed:
		return slices.ContainsFunc(ids, func(id int64) bool {
			name := labels[id].Name
			return visible(id) && (strings.HasPrefix(name, p.Text.Text) || !p.Text.Prefix && strings.Contains(name, p.Text.Text))
		})
	case query.ContainsText:
		return slices.ContainsFunc(p.Text.Columns, func(column string) bool {
			return strings.Contains(waymark.Fold(map[string]string{"url": l.URL, "title": l.Title, "description": l.Description}[column]), p.Text.Text)
		})
	case query.OnSite:
		return query.HostMatches([]byte(waymark.Fold(l.URL)), p.Text.Text)
	case query.SavedBetween:
		return l.CreatedAt >= p.From && l.CreatedAt < p.Before
	case query.EditedBetween:
		return l.UpdatedAt >= p.From && l.UpdatedAt < p.Before
	case query.OwnedBy:
		return l.Owner == int64(p.User)
	case query.VisibleAs:
		return query.Scope(l.Scope).Visibility() == p.Visibility
	case query.IsBroken:
		return l.Status != waymark.StatusOK
	case query.HasCheckResult:
		return l.CheckResult == p.CheckResult
	case query.HasFlag:
		return l.Has(p.Flag.Flag) == p.Flag.On
	case query.HasDescription:
		return l.Description != ""
	}
	return slices.Contains(p.LinkIDs, l.ID)
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
		Scopes:     [][]int64{{0, -1, 1}, {0}, {0, -1, 2}, {0, 7}}[r.IntN(4)],
		Owner:      int64(r.IntN(3)),
		Desc:       r.IntN(2) == 0,
		Pagination: waymark.Pagination{Offset: r.IntN(3), Limit: r.IntN(4)},
	}
	if r.IntN(3) == 0 {
		q.Among = []int64{1, 3, 5, 9}
	}
	return q
}

func compareLinks(a, b *Link, by waymark.SortField) int {
	text := func(a, b string) int {
		return cmp.Or(strings.Compare(waymark.Fold(a), waymark.Fold(b)), strings.Compare(a, b))
	}
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	switch by {
	case waymark.SortByURL:
		return text(a.URL, b.URL)
	case waymark.SortByTitle:
		return text(a.Title, b.Title)
	case waymark.SortByDescription:
		return text(a.Description, b.Description)
	case waymark.SortByStatus:
		return cmp.Compare(a.Status, b.Status)
	case waymark.SortByCheckDisabled:
		return cmp.Compare(number(a.CheckDisabled), number(b.CheckDisabled))
	case waymark.SortByCreatedAt:
		return cmp.Compare(a.CreatedAt, b.CreatedAt)
	case waymark.SortByUpdatedAt:
		return cmp.Compare(a.UpdatedAt, b.UpdatedAt)
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
		Owner:         int64(1 + r.IntN(3)),
		Scope:         int64(r.IntN(4) - 1),
		Status:        waymark.Status(1 + r.IntN(3)),
		CheckResult:   waymark.CheckResult(r.IntN(6)),
		CheckDisabled: r.IntN(3) == 0,
		LinkFlags:     waymark.LinkFlags{Unread: r.IntN(2) == 0, Archived: r.IntN(3) == 0, Favorite: r.IntN(4) == 0},
		CreatedAt:     waymark.Time(r.IntN(50) - 10),
		UpdatedAt:     waymark.Time(r.IntN(1000)),
		URL:           "https://" + randomText(r),
		Title:         randomText(r),
		Description:   randomText(r),
	}
	if l.Scope > 0 {
		l.Owner = l.Scope // only its owner sees a private link
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

// randomPredicate returns a predicate with parts up to a depth.
func randomPredicate(r *rand.Rand, depth int) query.Predicate {
	ids := func(max int64) (ids []int64) {
		for range 1 + r.IntN(2) {
			ids = append(ids, 1+r.Int64N(max))
		}
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	assoc := []*query.Association{&query.LinkLists, &query.LinkTags}[r.IntN(2)]
	text := waymark.Fold(words[r.IntN(len(words))])
	if text == "" {
		text = "o"
	}
	if depth > 0 && r.IntN(2) == 0 {
		p := query.Predicate{Kind: []query.Kind{query.And, query.Or, query.Not}[r.IntN(3)]}
		for range 1 + r.IntN(3) {
			if p.Kind != query.Not || len(p.Parts) == 0 {
				p.Parts = append(p.Parts, randomPredicate(r, depth-1))
			}
		}
		return p
	}
	switch r.IntN(18) {
	case 0:
		return query.Predicate{Kind: query.InAny, Association: assoc, IDs: ids(6)}
	case 1:
		return query.Predicate{Kind: query.InAll, Association: assoc, IDs: ids(6)}
	case 2:
		return query.Predicate{Kind: query.InNoneVisible, Association: assoc, User: 1}
	case 3:
		return query.Predicate{Kind: query.InNamed, Association: assoc, User: 1, Text: query.TextPredicate{Text: text, Prefix: r.IntN(2) == 0}}
	case 4:
		return query.Predicate{Kind: query.OnSite, Text: query.TextPredicate{Text: text}}
	case 5:
		return query.Predicate{Kind: query.SavedBetween, From: waymark.Time(r.IntN(40)), Before: []waymark.Time{20, waymark.MaxTime}[r.IntN(2)]}
	case 6:
		return query.Predicate{Kind: query.EditedBetween, From: waymark.MinTime, Before: waymark.Time(r.IntN(1000))}
	case 7:
		return query.Predicate{Kind: query.OwnedBy, User: waymark.UserID(1 + r.IntN(3))}
	case 8:
		return query.Predicate{Kind: query.VisibleAs, Visibility: waymark.Visibility(1 + r.IntN(3))}
	case 9:
		return query.Predicate{Kind: query.IsBroken}
	case 10:
		return query.Predicate{Kind: query.HasCheckResult, CheckResult: waymark.CheckResult(1 + r.IntN(5))}
	case 11:
		return query.Predicate{Kind: query.HasDescription}
	case 12:
		return query.Predicate{Kind: query.HasFlag, Flag: waymark.FlagValue{Flag: waymark.LinkFlag(r.IntN(3)), On: r.IntN(2) == 0}}
	case 13:
		return query.Predicate{Kind: query.HasNote, LinkIDs: ids(200)}
	}
	columns := [][]string{{"url"}, {"title"}, {"url", "title"}, {"description"}, {"url", "title", "description"}}
	return query.Predicate{Kind: query.ContainsText, Text: query.TextPredicate{Text: text, Columns: columns[r.IntN(len(columns))]}}
}

func randomQuery(r *rand.Rand) Query {
	q := Query{
		Groups: [][][]int64{{{0, -1, 1}}, {{0}}, {{0}, {-1}, {2}}, {{0, -1}, {1}}, {{0, 7}}}[r.IntN(5)],
		Order:  waymark.Order{By: waymark.LinkSortFields[r.IntN(len(waymark.LinkSortFields))], Desc: r.IntN(2) == 0},
	}
	for range r.IntN(4) {
		q.Where = append(q.Where, randomPredicate(r, r.IntN(4)))
	}
	if r.IntN(3) > 0 {
		q.Pagination = waymark.Pagination{Offset: r.IntN(300), Limit: r.IntN(40)}
	}
	return q
}
