package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// SidebarTree returns a user's own lists that stand in no list, at most limit of them, and those that stand in
// the lists with some ids. They are in the order of their position and name. Those with the ids are always among
// them. It returns nil if no list of the user stands in another one.
func (s *Store) SidebarTree(ctx context.Context, user waymark.UserID, open []waymark.ListID, limit int) ([]waymark.SidebarBranch, error) {
	q := s.db.Querier()
	nested, err := database.QueryAll(ctx, q, database.ScanValue[int], `
		SELECT 1
		FROM lists
		WHERE user_id = $1 AND parent_id IS NOT NULL AND visible_to IS NOT NULL
		LIMIT 1`, user)
	if err != nil || len(nested) == 0 {
		return nil, err
	}
	branches := func(where string, a *database.Args) ([]waymark.SidebarBranch, error) {
		return database.QueryAll(ctx, q, func(rows *sql.Rows, b *waymark.SidebarBranch) error {
			return rows.Scan(&b.ID, &b.Parent, &b.Name, &b.Sublists)
		}, `
		SELECT e.id, coalesce(e.parent_id, 0), e.name, EXISTS (
			SELECT 1
			FROM lists AS l
			WHERE l.parent_id = e.id AND l.visible_to IS NOT NULL)
		FROM lists AS e
		WHERE e.user_id = $1 AND e.visible_to IS NOT NULL AND `+where, a.Values...)
	}
	const sorted = `
		ORDER BY e.position, e.name_folded, e.name, e.id`
	a := q.Args(user, limit)
	all, err := branches("e.parent_id IS NULL"+sorted+`
		LIMIT $2`, a)
	if err != nil || len(open) == 0 {
		return all, err
	}
	a = q.Args(user)
	ids := database.In(a, open)
	below, err := branches("(e.parent_id "+ids+" OR e.parent_id IS NULL AND e.id "+ids+")"+sorted, a)
	if err != nil {
		return nil, err
	}
	known := map[waymark.ListID]bool{}
	for _, b := range all {
		known[b.ID] = true
	}
	for _, b := range below {
		if !known[b.ID] {
			all = append(all, b)
		}
	}
	return all, nil
}

// CountBranches returns how many links that a user sees the lists and those in them have, by id; -1 if that is not
// known.
func (s *Store) CountBranches(ctx context.Context, user waymark.UserID, branches []waymark.SidebarBranch) (map[waymark.ListID]int, error) {
	filters := make([]waymark.LinkFilter, len(branches))
	for i, b := range branches {
		filters[i].Where = waymark.Labeled{Kind: waymark.Lists, Refs: []waymark.Ref{{ID: int64(b.ID)}}}
	}
	counted, err := s.CountLinks(ctx, user, filters)
	if err != nil {
		return nil, err
	}
	counts := make(map[waymark.ListID]int, len(branches))
	for i, b := range branches {
		counts[b.ID] = counted[i]
	}
	return counts, nil
}

// Sublists returns the lists in a list that viewer sees, in their order. Their number of links is that of CountBranches.
func (s *Store) Sublists(ctx context.Context, viewer waymark.UserID, id waymark.ListID) ([]waymark.List, error) {
	q := s.db.Querier()
	a := q.Args(id)
	sublists, err := database.QueryAll(ctx, q, lists.Scan, `
		SELECT `+lists.Selected+`
		FROM lists AS e
		WHERE e.parent_id = $1 AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), viewer)+`
		ORDER BY e.position, e.name_folded, e.name, e.id`, a.Values...)
	if err != nil || len(sublists) == 0 {
		return nil, err
	}
	branches := make([]waymark.SidebarBranch, len(sublists))
	for i := range sublists {
		branches[i].ID = sublists[i].ID
	}
	counts, err := s.CountBranches(ctx, viewer, branches)
	for i := range sublists {
		sublists[i].LinkCount = counts[sublists[i].ID]
	}
	return sublists, err
}
