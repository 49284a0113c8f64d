package store

import (
	"context"
	"database/sql"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// MaxBranch is the number of lists of a branch that pages show at once. A search finds the others.
const MaxBranch = 40

// SidebarTree returns a user's own lists that stand in no list, and those that stand in the lists with the ids in
// open, in the order of their position and name: the first MaxBranch of each, and those in open. If there are more
// that stand in no list, these are those that contain lists, and those in open or used. It returns nil if no list of
// the user stands in another one.
func (s *Store) SidebarTree(ctx context.Context, user waymark.UserID, open, used []waymark.ListID) ([]waymark.ListBranch, error) {
	q := s.db.Querier()
	nested, err := database.Exists(ctx, q, "lists WHERE user_id = $1 AND parent_id IS NOT NULL AND visible_to IS NOT NULL", user)
	if err != nil || !nested {
		return nil, err
	}
	roots, err := readBranches(ctx, q, user, isRoot, nil)
	if len(roots) > 0 && roots[0].Siblings > MaxBranch {
		roots, err = readBranches(ctx, q, user, func(a *database.Args) string {
			return isRoot(a) + " AND (e.id " + database.In(a, slices.Concat(open, used)) + " OR " + countSublists + " > 0)"
		}, nil)
	}
	if err != nil || len(open) == 0 {
		return roots, err
	}
	below, err := readBranches(ctx, q, user, standsIn(open), open)
	return append(roots, below...), err
}

// Branches returns a user's own lists that stand in no list, and those that stand in the lists with the ids in open,
// in the order of their position and name: the first MaxBranch of each, and those in open.
func (s *Store) Branches(ctx context.Context, user waymark.UserID, open []waymark.ListID) ([]waymark.ListBranch, error) {
	return readBranches(ctx, s.db.Querier(), user, func(a *database.Args) string { return isRoot(a) + " OR " + standsIn(open)(a) }, open)
}

// CountListsOf returns how many lists a user has, and how many others of other users they see.
func (s *Store) CountListsOf(ctx context.Context, user waymark.UserID) (own, others int, err error) {
	q := s.db.Querier()
	a := q.Args(user)
	counts, err := database.QueryOne(ctx, q, func(rows *sql.Rows, counts *[2]int) error { return rows.Scan(&counts[0], &counts[1]) }, `
		SELECT count(CASE WHEN e.user_id = $1 THEN 1 END), count(CASE WHEN e.user_id <> $1 THEN 1 END)
		FROM lists AS e
		WHERE `+query.VisibleTo(a, "e.visible_to", user), a.Values...)
	return counts[0], counts[1], err
}

// maxOpenBranches limits the lists in open branches, which each page shows.
const maxOpenBranches = 300

// isRoot is the condition that the list e stands in no list.
func isRoot(*database.Args) string { return "e.parent_id IS NULL" }

// standsIn is the condition that the list e stands in one of some lists.
func standsIn(ids []waymark.ListID) condition {
	return func(a *database.Args) string { return "e.parent_id " + database.In(a, ids) }
}

// countSublists is the number of lists that stand in the list e.
const countSublists = `(
			SELECT count(*)
			FROM lists AS l
			WHERE l.parent_id = e.id AND l.visible_to IS NOT NULL)`

// readBranches returns lists of a user that satisfy a condition, in order: the first MaxBranch in each list, and those
// with the ids in kept.
func readBranches(ctx context.Context, q database.Querier, user waymark.UserID, where condition, kept []waymark.ListID) ([]waymark.ListBranch, error) {
	a := q.Args(user, MaxBranch, maxOpenBranches)
	return database.QueryAll(ctx, q, func(rows *sql.Rows, b *waymark.ListBranch) error {
		return rows.Scan(&b.ID, &b.Parent, &b.Name, &b.Visibility, &b.Siblings, &b.Sublists)
	}, `
		SELECT e.id, coalesce(e.parent_id, 0), e.name, e.visibility, e.siblings, `+countSublists+`
		FROM (
			SELECT e.*, row_number() OVER branch AS place, count(*) OVER (PARTITION BY e.parent_id) AS siblings
			FROM lists AS e
			WHERE e.user_id = $1 AND e.visible_to IS NOT NULL AND (`+where(a)+`)
			WINDOW branch AS (PARTITION BY e.parent_id ORDER BY e.position, e.name_key, e.name_folded, e.name, e.id)
		) AS e
		WHERE e.place <= $2 OR e.id `+database.In(a, kept)+`
		ORDER BY e.position, e.name_key, e.name_folded, e.name, e.id
		LIMIT $3`, a.Values...)
}

// CountBranches returns how many links that a user sees the lists and those in them have, by id.
func (s *Store) CountBranches(ctx context.Context, user waymark.UserID, branches []waymark.ListBranch) (map[waymark.ListID]int, error) {
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
	branches := make([]waymark.ListBranch, len(sublists))
	for i := range sublists {
		branches[i].ID = sublists[i].ID
	}
	counts, err := s.CountBranches(ctx, viewer, branches)
	for i := range sublists {
		sublists[i].LinkCount = counts[sublists[i].ID]
	}
	return sublists, total, err
}
