package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/searchindex"
	"waymark/internal/waymark"
)

// Counts returns the numbers of entities that viewer sees or has in the trash.
func (s *Store) Counts(ctx context.Context, viewer waymark.UserID) (counts waymark.Counts, err error) {
	err = s.withIndex(ctx, viewer, func(q database.Querier, at *searchindex.Snapshot) error {
		a := q.Args()
		rows, err := database.QueryAll(ctx, q, scanSidebarRow, countsSQL(a, viewer, "links", "lists", "tags", "notes"), a.Values...)
		if err != nil {
			return err
		}
		counts = countsOf(rows)
		return s.countUnusual(ctx, q, at, viewer, &counts)
	})
	return counts, err
}

// countsSQL returns the query for the numbers of active entities, and of those in the trash of
// some tables, as rows of sidebarRow.
func countsSQL(a *database.Args, viewer waymark.UserID, trash ...string) string {
	text := `
		SELECT '` + sidebarCount + `' AS what, 0 AS id, entity AS name, '' AS query, CAST(sum(count) AS BIGINT) AS n
		FROM counters
		WHERE entity IN ('links', 'lists', 'tags') AND ` + query.VisibleTo(a, "visible_to", viewer) + `
		GROUP BY entity`
	owner := a.Add(viewer)
	for _, table := range trash {
		text += `
		UNION ALL
		SELECT '` + sidebarTrash + `', 0, '` + table + `', '', count(*)
		FROM ` + table + `
		WHERE user_id = ` + owner + ` AND visible_to IS NULL`
	}
	return text
}

// countsOf returns the numbers among the rows of countsSQL.
func countsOf(rows []sidebarRow) (counts waymark.Counts) {
	fields := map[string]*int{"links": &counts.Links, "lists": &counts.Lists, "tags": &counts.Tags}
	for _, r := range rows {
		switch r.what {
		case sidebarCount:
			*fields[r.name] = int(r.n)
		case sidebarTrash:
			counts.Trash += int(r.n)
		}
	}
	return counts
}

// countUnusual counts the viewer's unfiled, broken and moved links.
func (s *Store) countUnusual(ctx context.Context, q database.Querier, at *searchindex.Snapshot, viewer waymark.UserID, counts *waymark.Counts) (err error) {
	if viewer == waymark.Guest {
		return nil
	}
	if at == nil && counts.Links > maxCountedBySQL {
		counts.Unfiled, counts.Broken, counts.Gone, counts.Moved = -1, -1, -1, -1
		return nil
	}
	if counts.Unfiled, err = s.countMatches(ctx, q, at, viewer, waymark.LinkFilter{Owner: viewer, WithoutLists: true, WithoutTags: true}); err != nil {
		return err
	}
	if counts.Moved, err = s.countMatches(ctx, q, at, viewer, waymark.LinkFilter{Owner: viewer, CheckResult: waymark.CheckMoved}); err != nil {
		return err
	}
	if counts.Broken, err = s.countMatches(ctx, q, at, viewer, waymark.LinkFilter{Owner: viewer, BrokenOnly: true}); err != nil || counts.Broken == 0 {
		return err
	}
	counts.Gone, err = countBroken(ctx, q, viewer)
	return err
}

// maxCountedBySQL is the number of links up to which SQL counts some of them for the sidebar of each
// page if there is no index: it tests each of them, which takes about 2 µs.
const maxCountedBySQL = 20_000

// CountLinks returns, for each of the filters, the number of links that viewer sees and that satisfy
// it, or -1 if that is not known, as in waymark.Counts.
func (s *Store) CountLinks(ctx context.Context, viewer waymark.UserID, filters []waymark.LinkFilter) (counts []int, err error) {
	read := func() error {
		return s.withIndex(ctx, viewer, func(q database.Querier, at *searchindex.Snapshot) error {
			counts = make([]int, len(filters))
			known := true
			if at == nil {
				all, err := s.countMatches(ctx, q, at, viewer, waymark.LinkFilter{})
				if err != nil {
					return err
				}
				known = all <= maxCountedBySQL
			}
			for i, filter := range filters {
				if counts[i] = -1; known {
					if counts[i], err = s.countMatches(ctx, q, at, viewer, filter); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	err = s.db.Search(ctx, int64(viewer), read)
	return counts, err
}

// countMatches returns the number of links that viewer sees and that satisfy a filter.
func (s *Store) countMatches(ctx context.Context, q database.Querier, at *searchindex.Snapshot, viewer waymark.UserID, filter waymark.LinkFilter) (int, error) {
	l := s.SearchLinks(viewer, filter, waymark.Order{}, waymark.Pagination{})
	p, ok, err := l.plan(ctx, q)
	switch {
	case err != nil || !ok:
		return 0, err
	case at == nil || len(p.Predicates) == 0:
		return s.count(ctx, q, p, links.counted)
	}
	iq := s.indexQuery(p, l.order, l.pagination)
	if n, ok, err := s.index.CachedCount(*at, iq); ok || err != nil {
		return n, err
	}
	if err := s.findSnapshots(ctx, q, &iq); err != nil {
		return 0, err
	}
	return s.index.Count(*at, iq)
}

// TrashCounts returns the number of entities of each kind that are in a user's trash.
func (s *Store) TrashCounts(ctx context.Context, owner waymark.UserID) (map[waymark.EntityKind]int, error) {
	type row struct {
		kind  waymark.EntityKind
		count int
	}
	counts := map[waymark.EntityKind]int{}
	for r, err := range database.QueryEach(ctx, s.db.Querier(), func(rows *sql.Rows, r *row) error { return rows.Scan(&r.kind, &r.count) }, `
		SELECT 1, count(*) FROM links WHERE user_id = $1 AND visible_to IS NULL
		UNION ALL
		SELECT 2, count(*) FROM lists WHERE user_id = $1 AND visible_to IS NULL
		UNION ALL
		SELECT 3, count(*) FROM tags WHERE user_id = $1 AND visible_to IS NULL
		UNION ALL
		SELECT 4, count(*) FROM notes WHERE user_id = $1 AND visible_to IS NULL`, owner) {
		if err != nil {
			return nil, err
		}
		counts[r.kind] = r.count
	}
	return counts, nil
}
