package store

import (
	"context"
	"math"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
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
	if !readsAll(filter) {
		return labelPage(ctx, s, t, viewer, filter, order, pagination)
	}
	err = s.db.Search(ctx, int64(viewer), func() error { // it reads all names, or looks for links of all lists or tags
		page, err = labelPage(ctx, s, t, viewer, filter, order, pagination)
		return err
	})
	return page, err
}

// readsAll reports whether SQL selects what a filter wants.
func readsAll(filter waymark.LabelFilter) bool {
	return filter.Name != "" || filter.Empty || filter.Not != 0 || filter.In != 0
}

// TagLetters returns the first characters of the names of the tags that viewer sees, see waymark.Plain, in the order of
// names, at most limit.
func (s *Store) TagLetters(ctx context.Context, viewer waymark.UserID, limit int) ([]string, error) {
	q := s.db.Querier()
	a := q.Args()
	letters, err := database.QueryAll(ctx, q, database.ScanValue[string], `
		SELECT DISTINCT substr(e.name_plain, 1, 1)
		FROM tags AS e
		WHERE `+query.VisibleTo(a, "e.visible_to", viewer), a.Values...)
	slices.SortFunc(letters, waymark.CompareNames)
	return letters[:min(len(letters), limit)], err
}

// TagsBefore returns the number of tags that viewer sees before a text, in the order of names.
func (s *Store) TagsBefore(ctx context.Context, viewer waymark.UserID, text string) (int, error) {
	if !table.StorableText(text) {
		return 0, nil
	}
	q := s.db.Querier()
	a := q.Args()
	return database.Count(ctx, q, "tags AS e WHERE "+query.VisibleTo(a, "e.visible_to", viewer)+" AND e.name_key < "+a.Unhex(a.Add(database.NewHex(waymark.SortKey(text)))), a.Values...)
}

// labelPage reads a page of lists or tags with their LinkCount.
func labelPage[T any](ctx context.Context, s *Store, t *entityTable[T], viewer waymark.UserID,
	filter waymark.LabelFilter, order waymark.Order, pagination waymark.Pagination,
) (page Page[T], err error) {
	if !table.StorableText(filter.Name) {
		return page, nil
	}
	if err := s.index.Sync(ctx); err != nil {
		return page, err
	}
	q := s.db.Querier()
	p := labelPlan(s, t, viewer, filter, order)
	var ids []int64
	if order.By == waymark.SortByLinks {
		page.Total, ids, err = s.labelsByLinks(ctx, q, t.assoc, p, filter, pagination)
	} else {
		page.Total, ids, err = s.findIDs(ctx, q, p, pagination)
	}
	if err != nil || len(ids) == 0 {
		return page, err
	}
	counts := s.countLinks(t.assoc, ids, viewer)
	page.Entities, err = readLabels(ctx, q, t, viewer, ids, counts, p.VisibleSQL)
	return page, err
}

// labelPlan returns the plan of a listing of lists or tags.
func labelPlan[T any](s *Store, t *entityTable[T], viewer waymark.UserID, filter waymark.LabelFilter, order waymark.Order) query.Plan {
	p := query.Plan{Table: t.Name, Scopes: query.ScopesOf(viewer), Order: t.order[order.By], Desc: order.Desc}
	if filter.Owner != 0 {
		p.Where = append(p.Where, ownedBy(filter.Owner))
	}
	if filter.Not != 0 {
		p.Where = append(p.Where, func(a *database.Args) string { return "e.user_id <> " + a.Add(filter.Not) })
	}
	if filter.In != 0 && t.assoc == &query.LinkLists {
		p.Where = append(p.Where, standsBelow(filter.In))
	}
	if filter.Name != "" {
		p.Where = append(p.Where, s.named(filter.Name))
	}
	if filter.Empty {
		p.Where = append(p.Where, withoutLinks(t.assoc, viewer))
	}
	return p
}

// ownedBy is the condition that e belongs to a user.
func ownedBy(owner waymark.UserID) condition {
	return func(a *database.Args) string { return "e.user_id = " + a.Add(owner) }
}

// standsBelow is the condition that e stands in a list, or in one in it.
func standsBelow(id waymark.ListID) condition {
	return func(a *database.Args) string {
		return `e.id IN (
			WITH RECURSIVE below (id) AS (
				SELECT s.id
				FROM lists AS s
				WHERE s.parent_id = ` + a.Add(id) + ` AND s.visible_to IS NOT NULL
				UNION
				SELECT s.id
				FROM below` + database.JoinInOrder + `lists AS s
				WHERE s.parent_id = below.id AND s.visible_to IS NOT NULL
			)
			SELECT id
			FROM below)`
	}
}

// named is the condition that the name of the list or tag e contains a text, ignoring case.
func (s *Store) named(text string) condition {
	return func(a *database.Args) string { return s.dialect.Contains("e.name_plain", a.Add(waymark.Plain(text))) }
}

// withoutLinks is the condition that viewer sees no link in the list e and its sublists, or with the tag e.
func withoutLinks(assoc *query.Association, viewer waymark.UserID) condition {
	labels := "VALUES (e.id)"
	if assoc == &query.LinkLists {
		labels = "SELECT e.id UNION SELECT s.id FROM below" + database.JoinInOrder + "lists AS s WHERE s.parent_id = below.id AND s.visible_to IS NOT NULL"
	}
	return func(a *database.Args) string {
		return "NOT EXISTS (WITH RECURSIVE below (id) AS (" + labels + ") SELECT 1 FROM below" + database.JoinInOrder + assoc.Table + " AS m" + database.JoinInOrder +
			"links AS l WHERE m." + assoc.Column + " = below.id AND l.id = m.link_id AND " + query.VisibleTo(a, database.Unindexed("l.visible_to"), viewer) + ")"
	}
}

// labelsByLinks returns the total, and the ids of a part, of the lists or tags that a plan selects.
// The index sorts them by the number of their links. SQL only finds names and empty ones.
func (s *Store) labelsByLinks(ctx context.Context, q database.Querier, assoc *query.Association, p query.Plan, filter waymark.LabelFilter, pagination waymark.Pagination) (total int, ids []int64, err error) {
	lq := linkindex.LabelQuery{Kind: linkindex.KindOf(assoc), Scopes: p.Scopes, Owner: filter.Owner, Desc: p.Desc, Pagination: pagination}
	if readsAll(filter) {
		if lq.Among, err = s.idsOf(ctx, q, p, query.Window{Limit: math.MaxInt32, Total: math.MaxInt32}); err != nil || len(lq.Among) == 0 {
			return 0, nil, err
		}
	}
	s.index.Read(func(x *linkindex.Links) {
		var found []linkindex.LabelCount
		total, found = x.LabelsByLinks(lq)
		ids = waymark.Map(found, func(c linkindex.LabelCount) int64 { return c.ID })
	})
	return total, ids, nil
}

// countLinks returns how many links that viewer sees lists or tags have, by id. Call Sync before it.
func (s *Store) countLinks(assoc *query.Association, ids []int64, viewer waymark.UserID) (counts map[int64]int) {
	s.index.Read(func(x *linkindex.Links) { counts = x.CountLinks(linkindex.KindOf(assoc), ids, query.ScopesOf(viewer)) })
	return counts
}
