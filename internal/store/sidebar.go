package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/searchindex"
	"waymark/internal/waymark"
)

// maxSidebarLabels is the number of lists, and of tags, in the sidebar, unless more are
// pinned.
const maxSidebarLabels = 7

// Sidebar returns what the pages show a user in their sidebar. Every page reads it, so it takes one
// statement if no link, list or tag was changed since the last time.
func (s *Store) Sidebar(ctx context.Context, user waymark.UserID) (sidebar waymark.Sidebar, err error) {
	if at, ok := s.index.Current(); ok {
		sidebar, unchanged, err := s.readSidebar(ctx, s.db.Querier(), &at, user)
		if unchanged || err != nil && !errors.Is(err, searchindex.ErrMoved) {
			return sidebar, err
		}
	}
	err = s.withIndex(ctx, user, func(q database.Querier, at *searchindex.Snapshot) (err error) {
		sidebar, _, err = s.readSidebar(ctx, q, at, user)
		return err
	})
	return sidebar, err
}

// sidebarNumbers returns the numbers of a user: from the cache if they are those of the snapshot.
func (s *Store) sidebarNumbers(ctx context.Context, q database.Querier, at *searchindex.Snapshot, user waymark.UserID) (n sidebarNumbers, err error) {
	if at != nil {
		if cached, ok := s.sidebarCache.get(user); ok && cached.version == at.Version() {
			return cached, nil
		}
		n.version = at.Version()
	}
	a := q.Args()
	rows, err := database.QueryAll(ctx, q, scanSidebarRow, countsSQL(a, user, "links", "lists", "tags"), a.Values...)
	if err != nil {
		return n, err
	}
	n.counts = countsOf(rows)
	if err := s.countUnusual(ctx, q, at, user, &n.counts); err != nil {
		return n, err
	}
	if n.counted = at != nil || n.counts.Links <= maxCountedBySQL; !n.counted {
		return n, nil
	}
	if n.lists, err = mostUsedIDs(ctx, s, q, at, &lists, user); err != nil {
		return n, err
	}
	n.tags, err = mostUsedIDs(ctx, s, q, at, &tags, user)
	return n, err
}

// mostUsedIDs returns the ids of the user's own lists or tags that have the most links.
func mostUsedIDs[T any](ctx context.Context, s *Store, q database.Querier, at *searchindex.Snapshot, t *entityTable[T], user waymark.UserID) (ids []int64, err error) {
	filter := waymark.LabelFilter{Owner: user}
	pagination := waymark.Pagination{Limit: maxSidebarLabels}
	p := labelPlan(t, user, filter, waymark.Order{By: waymark.SortByLinks, Desc: true})
	if at != nil {
		_, ids, err = s.labelsByLinks(ctx, q, *at, p, filter, pagination)
	} else {
		_, ids, err = s.findIDs(ctx, q, p, t.counted, pagination)
	}
	return ids, err
}

// readSidebar returns the sidebar, and whether the database is at the snapshot of the index, which a
// statement without a transaction has to ask.
func (s *Store) readSidebar(ctx context.Context, q database.Querier, at *searchindex.Snapshot, user waymark.UserID) (sidebar waymark.Sidebar, unchanged bool, err error) {
	n, err := s.sidebarNumbers(ctx, q, at, user)
	if err != nil {
		return sidebar, false, err
	}
	a := q.Args()
	text := `
		SELECT '` + sidebarTrash + `' AS what, 0 AS id, 'notes' AS name, '' AS query, count(*) AS n
		FROM notes
		WHERE user_id = ` + a.Add(user) + ` AND visible_to IS NULL
		UNION ALL
		SELECT '` + sidebarSearch + `', id, name, query, created_at
		FROM saved_searches
		WHERE user_id = ` + a.Add(user) +
		sidebarLabelsSQL(a, &lists, user, n.lists) + sidebarLabelsSQL(a, &tags, user, n.tags)
	if at != nil {
		text += `
		UNION ALL
		SELECT '` + sidebarUnchanged + `', 0, '', '', CASE WHEN ` + at.UnchangedSQL(a, s.db.Kind()) + ` THEN 1 ELSE 0 END`
	}
	rows, err := database.QueryAll(ctx, q, scanSidebarRow, text, a.Values...)
	if err != nil {
		return sidebar, false, err
	}
	sidebar.Counts, sidebar.Searches = n.counts, []waymark.SavedSearch{}
	for _, r := range rows {
		switch r.what {
		case sidebarTrash:
			sidebar.Counts.Trash += int(r.n)
		case sidebarSearch:
			sidebar.Searches = append(sidebar.Searches, waymark.SavedSearch{ID: waymark.SavedSearchID(r.id), Owner: user, Name: r.name, Query: r.query, CreatedAt: waymark.Time(r.n)})
		case sidebarUnchanged:
			unchanged = r.n == 1
		}
	}
	sortSearches(sidebar.Searches)
	if sidebar.Lists, err = sidebarLabels[waymark.ListID](ctx, s, q, at, &lists, user, rows, n.lists, n.counted); err != nil {
		return sidebar, false, err
	}
	if sidebar.Tags, err = sidebarLabels[waymark.TagID](ctx, s, q, at, &tags, user, rows, n.tags, n.counted); err != nil {
		return sidebar, false, err
	}
	if unchanged {
		s.sidebarCache.put(user, n)
	}
	return sidebar, unchanged, nil
}

// sidebarLabelsSQL returns branches of a UNION ALL, which select the pinned lists, or tags, and those
// with some ids.
func sidebarLabelsSQL[T any](a *database.Args, t *entityTable[T], user waymark.UserID, ids []int64) string {
	text := `
		UNION ALL
		SELECT '` + t.name + `', e.id, e.name, '', 1
		FROM ` + pinsOf(t.assoc) + ` AS p` + database.JoinInOrder + t.name + ` AS e
		WHERE p.user_id = ` + a.Add(user) + ` AND e.id = p.` + t.assoc.Column + ` AND ` + query.VisibleTo(a, database.Unindexed("e.visible_to"), user)
	if len(ids) == 0 {
		return text
	}
	parameters := make([]string, len(ids)) // SQLite reads them in half of the time that a list in JSON takes
	for i, id := range ids {
		parameters[i] = a.Add(id)
	}
	return text + `
		UNION ALL
		SELECT '` + t.name + `', e.id, e.name, '', 0
		FROM ` + t.name + ` AS e
		WHERE e.id IN (` + strings.Join(parameters, ", ") + `) AND ` + query.VisibleTo(a, database.Unindexed("e.visible_to"), user)
}

// sidebarLabels returns the lists or tags in the sidebar: the pinned ones among rows, and as many of the
// most used ones as there is space for. Their links are not counted if counted is false.
func sidebarLabels[I waymark.ListID | waymark.TagID, T any](ctx context.Context, s *Store, q database.Querier, at *searchindex.Snapshot, t *entityTable[T], user waymark.UserID,
	rows []sidebarRow, mostUsed []int64, counted bool,
) ([]waymark.SidebarLabel[I], error) {
	var shown []sidebarRow
	others := make(map[int64]sidebarRow, len(mostUsed))
	for _, r := range rows {
		switch {
		case r.what != t.name:
		case r.n == 1:
			shown = append(shown, r)
		default:
			others[r.id] = r
		}
	}
	slices.SortFunc(shown, func(a, b sidebarRow) int {
		return cmp.Or(strings.Compare(waymark.Fold(a.name), waymark.Fold(b.name)), strings.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	for _, r := range shown {
		delete(others, r.id)
	}
	for _, id := range mostUsed {
		if r, ok := others[id]; ok && len(shown) < maxSidebarLabels {
			shown = append(shown, r)
		}
	}
	if len(shown) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(shown))
	for i, r := range shown {
		ids[i] = r.id
	}
	var counts map[int64]int
	if counted {
		var err error
		if counts, err = s.countLinks(ctx, q, at, t.assoc, ids, query.ScopesOf(user)); err != nil {
			return nil, err
		}
	}
	labels := make([]waymark.SidebarLabel[I], len(shown))
	for i, r := range shown {
		labels[i] = waymark.SidebarLabel[I]{ID: I(r.id), Name: r.name, LinkCount: -1}
		if counted {
			labels[i].LinkCount = counts[r.id]
		}
	}
	return labels, nil
}
