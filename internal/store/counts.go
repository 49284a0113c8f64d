package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
	"waymark/internal/store/searchindex"
	"waymark/internal/waymark"
)

// Counts returns the numbers of entities that viewer sees or has in the trash.
func (s *Store) Counts(ctx context.Context, viewer waymark.UserID) (waymark.Counts, error) {
	view, err := s.index.Sync(ctx)
	if err != nil {
		return waymark.Counts{}, err
	}
	return s.counts(ctx, s.db.Querier(), view, viewer)
}

func (s *Store) counts(ctx context.Context, q database.Querier, view *searchindex.View, viewer waymark.UserID) (counts waymark.Counts, err error) {
	type row struct {
		table string // "" for the number of entities in the trash
		n     int
	}
	a := q.Args(viewer)
	fields := map[string]*int{"links": &counts.Links, "lists": &counts.Lists, "tags": &counts.Tags, "": &counts.Trash}
	for r, err := range database.QueryEach(ctx, q, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.table, &r.n) }, `
		SELECT entity, CAST(sum(count) AS BIGINT)
		FROM counters
		WHERE entity IN ('links', 'lists', 'tags') AND `+query.VisibleTo(a, "visible_to", viewer)+`
		GROUP BY entity
		UNION ALL
		SELECT '', (SELECT count(*) FROM links WHERE user_id = $1 AND visible_to IS NULL)
			+ (SELECT count(*) FROM lists WHERE user_id = $1 AND visible_to IS NULL)
			+ (SELECT count(*) FROM tags WHERE user_id = $1 AND visible_to IS NULL)
			+ (SELECT count(*) FROM notes WHERE user_id = $1 AND visible_to IS NULL)`, a.Values...) {
		if err != nil {
			return counts, err
		}
		*fields[r.table] = r.n
	}
	return counts, s.countUnusual(ctx, q, view, viewer, &counts)
}

// countUnusual counts the viewer's unfiled, broken and moved links, and those with flags.
func (s *Store) countUnusual(ctx context.Context, q database.Querier, view *searchindex.View, viewer waymark.UserID, counts *waymark.Counts) (err error) {
	if viewer == waymark.Guest {
		return nil
	}
	known := view != nil || counts.Links <= maxCountedBySQL
	for _, c := range []struct {
		into  *int
		where waymark.Condition
	}{
		{&counts.Unfiled, waymark.And{waymark.IsMine, waymark.IsUnfiled, waymark.IsUntagged}},
		{&counts.Moved, waymark.And{waymark.IsMine, waymark.IsMoved}},
		{&counts.Broken, waymark.And{waymark.IsMine, waymark.IsBroken}},
		{&counts.Unread, waymark.And{waymark.IsMine, waymark.IsUnread}},
		{&counts.Favorite, waymark.And{waymark.IsMine, waymark.IsFavorite}},
		{&counts.Archived, waymark.IsArchived},
	} {
		if *c.into = -1; !known {
			continue
		}
		if *c.into, err = s.countMatches(ctx, q, view, viewer, waymark.LinkFilter{Where: c.where}); err != nil {
			return err
		}
	}
	if counts.Broken <= 0 { // none, or not known
		counts.NewlyBroken = counts.Broken
		return nil
	}
	counts.NewlyBroken, err = countBroken(ctx, q, viewer)
	return err
}

// maxCountedBySQL is the number of links up to which SQL counts some of them for the sidebar of each
// page if there is no index: it tests each of them, which takes about 2 µs.
const maxCountedBySQL = 20_000

// CountLinks returns for each filter how many of the links that viewer sees satisfy it, or -1 if
// that is not known, as in waymark.Counts.
func (s *Store) CountLinks(ctx context.Context, viewer waymark.UserID, filters []waymark.LinkFilter) (counts []int, err error) {
	err = s.db.Search(ctx, int64(viewer), func() error {
		counts, err = s.countFiltered(ctx, viewer, filters)
		return err
	})
	return counts, err
}

func (s *Store) countFiltered(ctx context.Context, viewer waymark.UserID, filters []waymark.LinkFilter) ([]int, error) {
	view, err := s.index.Sync(ctx)
	if err != nil {
		return nil, err
	}
	q := s.db.Querier()
	known := true
	if view == nil {
		all, err := s.countMatches(ctx, q, view, viewer, waymark.LinkFilter{})
		if err != nil {
			return nil, err
		}
		known = all <= maxCountedBySQL
	}
	counts := make([]int, len(filters))
	for i, filter := range filters {
		if counts[i] = -1; known {
			if counts[i], err = s.countMatches(ctx, q, view, viewer, filter); err != nil {
				return nil, err
			}
		}
	}
	return counts, nil
}

// countMatches returns how many of the links that viewer sees satisfy a filter.
func (s *Store) countMatches(ctx context.Context, q database.Querier, view *searchindex.View, viewer waymark.UserID, filter waymark.LinkFilter) (int, error) {
	l := s.SearchLinks(viewer, filter, waymark.Order{}, waymark.Pagination{})
	p, ok, err := l.plan(ctx, q)
	switch {
	case err != nil || !ok:
		return 0, err
	case view == nil || len(p.Predicates) == 0:
		return s.count(ctx, q, p, links.counted)
	}
	return view.Count(indexQuery(p, l.order, l.pagination), func(iq *linkindex.Query) (err error) {
		iq.Where, err = s.addLinkIDs(ctx, q, iq.Where)
		return err
	})
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
