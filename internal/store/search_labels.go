package store

import (
	"context"
	"math"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
	"waymark/internal/store/searchindex"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// SearchLists returns the lists that viewer sees and a filter selects, with their LinkCount.
// Besides the orders of Lists there is SortByLinks.
func (s *Store) SearchLists(ctx context.Context, viewer waymark.UserID, filter waymark.LabelFilter, order waymark.Order, pagination waymark.Pagination) (Page[waymark.List], error) {
	return searchLabels(ctx, s, &lists, viewer, filter, order, pagination)
}

// SearchTags returns tags, as SearchLists does.
func (s *Store) SearchTags(ctx context.Context, viewer waymark.UserID, filter waymark.LabelFilter, order waymark.Order, pagination waymark.Pagination) (Page[waymark.Tag], error) {
	return searchLabels(ctx, s, &tags, viewer, filter, order, pagination)
}

func searchLabels[T any](ctx context.Context, s *Store, t *entityTable[T], viewer waymark.UserID, filter waymark.LabelFilter, order waymark.Order, pagination waymark.Pagination) (page Page[T], err error) {
	if filter.Name == "" && !filter.Empty {
		return labelPage(ctx, s, t, viewer, filter, order, pagination)
	}
	err = s.db.Search(ctx, int64(viewer), func() error { // it reads all names, or looks for links of all lists or tags
		page, err = labelPage(ctx, s, t, viewer, filter, order, pagination)
		return err
	})
	return page, err
}

// TagLetters returns the first characters of the folded names of the tags that viewer sees, in the
// order of names, at most limit.
func (s *Store) TagLetters(ctx context.Context, viewer waymark.UserID, limit int) ([]string, error) {
	q := s.db.Querier()
	a := q.Args()
	return database.QueryAll(ctx, q, database.ScanValue[string], `
		SELECT DISTINCT substr(e.name_folded, 1, 1) AS letter
		FROM tags AS e
		WHERE `+query.VisibleTo(a, "e.visible_to", viewer)+`
		ORDER BY letter
		LIMIT `+a.Add(limit), a.Values...)
}

// TagsBefore returns the number of tags that viewer sees before a folded text, in the order of names.
func (s *Store) TagsBefore(ctx context.Context, viewer waymark.UserID, text string) (int, error) {
	if !table.StorableText(text) {
		return 0, nil
	}
	q := s.db.Querier()
	a := q.Args()
	return database.Count(ctx, q, "tags AS e WHERE "+query.VisibleTo(a, "e.visible_to", viewer)+" AND e.name_folded < "+a.Add(text), a.Values...)
}

// labelPage reads a page of lists or tags with their LinkCount.
func labelPage[T any](ctx context.Context, s *Store, t *entityTable[T], viewer waymark.UserID,
	filter waymark.LabelFilter, order waymark.Order, pagination waymark.Pagination,
) (page Page[T], err error) {
	if !table.StorableText(filter.Name) {
		return page, nil
	}
	view, err := s.index.Sync(ctx)
	if err != nil {
		return page, err
	}
	q := s.db.Querier()
	p := labelPlan(t, viewer, filter, order)
	var ids []int64
	if view != nil && p.ByLinks != nil {
		page.Total, ids, err = s.labelsByLinks(ctx, q, view, p, filter, pagination)
	} else {
		page.Total, ids, err = s.findIDs(ctx, q, p, t.counted, pagination)
	}
	if err != nil || len(ids) == 0 {
		return page, err
	}
	counts, err := s.countLinks(ctx, q, view, t.assoc, ids, p.Scopes)
	if err != nil {
		return page, err
	}
	page.Entities, err = readLabels(ctx, q, t, viewer, ids, counts, func(a *database.Args) string { return p.StillSQL(a, s.dialect) })
	return page, err
}

// labelPlan returns the plan of a listing of lists or tags.
func labelPlan[T any](t *entityTable[T], viewer waymark.UserID, filter waymark.LabelFilter, order waymark.Order) query.Plan {
	p := query.Plan{Table: t.Name, Scopes: query.ScopesOf(viewer), Order: t.order[order.By], Desc: order.Desc}
	if order.By == waymark.SortByLinks {
		p.ByLinks = t.assoc
	}
	if filter.Owner != 0 {
		p.Predicates = append(p.Predicates, query.Predicate{Kind: query.OwnedBy, User: filter.Owner})
	}
	if filter.Name != "" {
		p.Predicates = append(p.Predicates, query.Predicate{Kind: query.Named, Text: query.TextPredicate{Text: waymark.Fold(filter.Name)}})
	}
	if filter.Empty {
		p.Predicates = append(p.Predicates, query.Predicate{Kind: query.Empty, Association: t.assoc, User: viewer})
	}
	return p
}

// labelsByLinks returns the total, and the ids of a part, of the lists or tags that a plan selects.
// The plan sorts them by the number of their links. SQL only finds names and empty ones.
func (s *Store) labelsByLinks(ctx context.Context, q database.Querier, view *searchindex.View, p query.Plan, filter waymark.LabelFilter, pagination waymark.Pagination) (total int, ids []int64, err error) {
	lq := linkindex.LabelQuery{Kind: linkindex.KindOf(p.ByLinks), Scopes: plainScopes(p.Scopes), Owner: int64(filter.Owner), Desc: p.Desc, Pagination: pagination}
	if filter.Name != "" || filter.Empty {
		p.ByLinks = nil
		if lq.Among, err = s.idsOf(ctx, q, p, query.Window{Limit: math.MaxInt32, Total: math.MaxInt32}); err != nil {
			return 0, nil, err
		}
	}
	total, found := view.LabelsByLinks(lq)
	for _, label := range found {
		ids = append(ids, label.ID)
	}
	return total, ids, nil
}

// countLinks returns how many links lists or tags have in some scopes, by id.
func (s *Store) countLinks(ctx context.Context, q database.Querier, view *searchindex.View, assoc *query.Association, ids []int64, scopes []query.Scope) (map[int64]int, error) {
	if view != nil {
		return view.CountLinks(linkindex.KindOf(assoc), ids, plainScopes(scopes)), nil
	}
	a := q.Args()
	text := assoc.CountLinksSQL(a, ids, scopes)
	return database.QueryMap[int64, int](ctx, q, text, a.Values...)
}
