package store

import (
	"context"
	"database/sql"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// SidebarTree returns a user's own lists that stand in no list, and those that stand in the lists with the ids in
// open, in the order of their position and name. It returns at most limit that stand in no list: if there are more,
// those that contain lists, and those in open or used. It returns at most maxOpenBranches of those in open. It returns
// nil if no list of the user stands in another one.
func (s *Store) SidebarTree(ctx context.Context, user waymark.UserID, open, used []waymark.ListID, limit int) ([]waymark.SidebarBranch, error) {
	q := s.db.Querier()
	nested, err := database.Exists(ctx, q, "lists WHERE user_id = $1 AND parent_id IS NOT NULL AND visible_to IS NOT NULL", user)
	if err != nil || !nested {
		return nil, err
	}
	a := q.Args(user, limit+1)
	roots, err := readBranches(ctx, q, a, "e.parent_id IS NULL")
	if err != nil {
		return nil, err
	}
	if len(roots) > limit {
		a = q.Args(user, limit)
		roots, err = readBranches(ctx, q, a, "e.parent_id IS NULL AND (e.id "+database.In(a, slices.Concat(open, used))+" OR "+hasSublists+")")
	}
	if err != nil || len(open) == 0 {
		return roots, err
	}
	a = q.Args(user, maxOpenBranches)
	below, err := readBranches(ctx, q, a, "e.parent_id "+database.In(a, open))
	return append(roots, below...), err
}

// maxOpenBranches limits the lists in open branches, which each page shows.
const maxOpenBranches = 300

// hasSublists is the condition that lists stand in the list e.
const hasSublists = `EXISTS (
			SELECT 1
			FROM lists AS l
			WHERE l.parent_id = e.id AND l.visible_to IS NOT NULL)`

// readBranches returns at most $2 lists of the user $1 that satisfy a condition, in order.
func readBranches(ctx context.Context, q database.Querier, a *database.Args, where string) ([]waymark.SidebarBranch, error) {
	return database.QueryAll(ctx, q, func(rows *sql.Rows, b *waymark.SidebarBranch) error {
		return rows.Scan(&b.ID, &b.Parent, &b.Name, &b.Sublists)
	}, `
		SELECT e.id, coalesce(e.parent_id, 0), e.name, `+hasSublists+`
		FROM lists AS e
		WHERE e.user_id = $1 AND e.visible_to IS NOT NULL AND `+where+`
		ORDER BY e.position, e.name_key, e.name_folded, e.name, e.id
		LIMIT $2`, a.Values...)
}

// CountBranches returns how many links that a user sees the lists and those in them have, by id.
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

// Sublists returns the first lists in a list that viewer sees, in their order, and how many there are. Their number of
// links is that of CountBranches.
func (s *Store) Sublists(ctx context.Context, viewer waymark.UserID, id waymark.ListID, limit int) (sublists []waymark.List, total int, err error) {
	q := s.db.Querier()
	a := q.Args(id)
	sublists, err = lists.All(ctx, q, "e.parent_id = $1 AND "+query.VisibleTo(a, database.Unindexed("e.visible_to"), viewer)+`
		ORDER BY e.position, e.name_key, e.name_folded, e.name, e.id`, a.Values...)
	if err != nil || len(sublists) == 0 {
		return nil, 0, err
	}
	total = len(sublists)
	sublists = sublists[:min(total, limit)]
	branches := make([]waymark.SidebarBranch, len(sublists))
	for i := range sublists {
		branches[i].ID = sublists[i].ID
	}
	counts, err := s.CountBranches(ctx, viewer, branches)
	for i := range sublists {
		sublists[i].LinkCount = counts[sublists[i].ID]
	}
	return sublists, total, err
}
