package store

import (
	"cmp"
	"slices"

	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// indexQuery returns the query of the index for a plan, without the ids of addLinkIDs.
func indexQuery(p query.Plan, order waymark.Order, pagination waymark.Pagination) linkindex.Query {
	q := linkindex.Query{Where: p.Predicates, Order: order, Pagination: pagination}
	for _, group := range groupsOf(p.Scopes, order.By) {
		q.Groups = append(q.Groups, plainScopes(group))
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

func plainScopes(scopes []query.Scope) []int64 {
	return waymark.Map(scopes, func(s query.Scope) int64 { return int64(s) })
}
