package store

import (
	"cmp"
	"fmt"
	"slices"

	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// indexQuery returns the query of the index for a plan, without the ids of snapshots.
func (s *Store) indexQuery(p query.Plan, order waymark.Order, pagination waymark.Pagination) linkindex.Query {
	q := linkindex.Query{Order: order, Pagination: pagination}
	for _, group := range groupsOf(p.Scopes, order.By) {
		var scopes []int64
		for _, scope := range group {
			scopes = append(scopes, int64(scope))
		}
		q.Groups = append(q.Groups, scopes)
	}
	for _, predicate := range p.Predicates {
		labels := &q.Lists
		if predicate.Association == &query.LinkTags {
			labels = &q.Tags
		}
		switch predicate.Kind {
		case query.InAny:
			labels.Any = predicate.IDs
		case query.InAll:
			labels.All = predicate.IDs
		case query.InNone:
			labels.None = predicate.IDs
		case query.InNoneVisible:
			labels.NoneVisible = true
			for _, scope := range query.ScopesOf(predicate.User) {
				labels.VisibleScopes = append(labels.VisibleScopes, int64(scope))
			}
		case query.ContainsText, query.LacksText:
			q.Texts = append(q.Texts, linkindex.Text{
				Text:          predicate.Text.Text,
				InTitle:       slices.Contains(predicate.Text.Columns, "title"),
				InDescription: slices.Contains(predicate.Text.Columns, "description"),
				Not:           predicate.Kind == query.LacksText,
				SnapshotQuery: s.dialect.SnapshotQuery(predicate.Text.SnapshotWords),
			})
		case query.CreatedFrom:
			q.CreatedFrom = predicate.Time
		case query.CreatedBefore:
			q.CreatedBefore = predicate.Time
		case query.OwnedBy:
			q.Owner = int64(predicate.User)
		case query.IsBroken:
			q.BrokenOnly = true
		case query.HasCheckResult:
			q.CheckResult = predicate.CheckResult
		case query.HasFlag:
			q.Flags.Add(predicate.Flag)
		default:
			panic(fmt.Sprintf("store: the index has no predicate %d", predicate.Kind))
		}
	}
	return q
}

// groupsOf returns the scopes in groups that are listed one after the other. Within a scope all
// links have the same visibility, so an order by visibility is an order of scopes.
func groupsOf(scopes []query.Scope, by waymark.SortField) [][]query.Scope {
	switch by {
	case waymark.SortByVisibility:
		sorted := slices.SortedFunc(slices.Values(scopes), func(a, b query.Scope) int { return cmp.Compare(a.Visibility(), b.Visibility()) })
		return slices.Collect(slices.Chunk(sorted, 1))
	case waymark.SortByPrivate:
		shared := slices.DeleteFunc(slices.Clone(scopes), func(s query.Scope) bool { return s.Visibility() == waymark.Private })
		private := slices.DeleteFunc(slices.Clone(scopes), func(s query.Scope) bool { return s.Visibility() != waymark.Private })
		return [][]query.Scope{shared, private}
	}
	return [][]query.Scope{scopes}
}
