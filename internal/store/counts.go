package store

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
	"waymark/internal/store/searchindex"
	"waymark/internal/waymark"
)

// counts returns the numbers of entities that viewer sees or has in the trash.
func (s *Store) counts(ctx context.Context, q database.Querier, view *searchindex.View, viewer waymark.UserID) (counts waymark.Counts, err error) {
	a := q.Args(viewer)
	numbers, err := database.QueryMap[string, int](ctx, q, `
		SELECT entity, CAST(sum(count) AS BIGINT)
		FROM counters
		WHERE entity IN ('links', 'lists', 'tags') AND `+query.VisibleTo(a, "visible_to", viewer)+`
		GROUP BY entity
		UNION ALL
		SELECT '', (SELECT count(*) FROM links WHERE user_id = $1 AND visible_to IS NULL)
			+ (SELECT count(*) FROM lists WHERE user_id = $1 AND visible_to IS NULL)
			+ (SELECT count(*) FROM tags WHERE user_id = $1 AND visible_to IS NULL)
			+ (SELECT count(*) FROM notes WHERE user_id = $1 AND visible_to IS NULL)`, a.Values...)
	if err != nil {
		return counts, err
	}
	counts.Links, counts.Lists, counts.Tags, counts.Trash = numbers["links"], numbers["lists"], numbers["tags"], numbers[""]
	return counts, s.countUnusual(ctx, q, view, viewer, &counts)
}

// countUnusual counts the viewer's unfiled, broken and moved links, and those with flags.
func (s *Store) countUnusual(ctx context.Context, q database.Querier, view *searchindex.View, viewer waymark.UserID, counts *waymark.Counts) (err error) {
	if viewer == waymark.Guest {
		return nil
	}
	fields := []*int{&counts.Unfiled, &counts.Moved, &counts.Broken, &counts.Unread, &counts.Favorite, &counts.Archived}
	if view == nil && counts.Links > maxCountedBySQL {
		for _, field := range fields {
			*field = -1
		}
	} else {
		numbers, err := s.countMatches(ctx, q, view, viewer, math.MaxInt, []waymark.LinkFilter{
			{Where: waymark.And{waymark.IsMine, waymark.IsUnfiled, waymark.IsUntagged}},
			{Where: waymark.And{waymark.IsMine, waymark.IsMoved}},
			{Where: waymark.And{waymark.IsMine, waymark.IsBroken}},
			{Where: waymark.And{waymark.IsMine, waymark.IsUnread}},
			{Where: waymark.And{waymark.IsMine, waymark.IsFavorite}},
			{Where: waymark.IsArchived},
		})
		if err != nil {
			return err
		}
		for i, field := range fields {
			*field = numbers[i]
		}
	}
	if counts.Broken <= 0 { // none, or not known
		counts.NewlyBroken = counts.Broken
		return nil
	}
	counts.NewlyBroken, err = countBroken(ctx, q, viewer)
	return err
}

// maxCountedBySQL is the number of links up to which SQL counts for the sidebar while there is no index.
// Testing one link takes about 2 µs.
const maxCountedBySQL = 20_000

// CountLinks returns for each filter how many of the links that viewer sees satisfy it, or -1 if
// that is not known, as in waymark.Counts. The filters differ only in their conditions.
func (s *Store) CountLinks(ctx context.Context, viewer waymark.UserID, filters []waymark.LinkFilter) ([]int, error) {
	return s.countFiltered(ctx, viewer, math.MaxInt, filters)
}

// maxTested is how many links CountSearches tests, which takes about 3 ms with an index.
const maxTested = 100_000

// CountSearches is CountLinks for many searches that every page shows. It counts only some of those anew
// that have changed: the numbers of the others are -1 until the next calls.
func (s *Store) CountSearches(ctx context.Context, viewer waymark.UserID, filters []waymark.LinkFilter) ([]int, error) {
	return s.countFiltered(ctx, viewer, maxTested, filters)
}

func (s *Store) countFiltered(ctx context.Context, viewer waymark.UserID, tested int, filters []waymark.LinkFilter) (counts []int, err error) {
	if len(filters) == 0 {
		return nil, nil
	}
	err = s.db.Search(ctx, int64(viewer), func() error {
		view, err := s.index.Sync(ctx)
		if err != nil {
			return err
		}
		q := s.db.Querier()
		if view == nil {
			all, err := s.countMatches(ctx, q, view, viewer, math.MaxInt, []waymark.LinkFilter{{}})
			if err != nil {
				return err
			}
			if all[0] > maxCountedBySQL {
				counts = slices.Repeat([]int{-1}, len(filters))
				return nil
			}
		}
		counts, err = s.countMatches(ctx, q, view, viewer, tested, filters)
		return err
	})
	return counts, err
}

// errUncounted means that enough links were tested.
var errUncounted = errors.New("not counted")

// countMatches returns how many of the links that viewer sees satisfy filters that differ only in their
// conditions. The index tests only about so many links: after that, what it has not counted before is -1.
// Those come last that have to be counted each time.
func (s *Store) countMatches(ctx context.Context, q database.Querier, view *searchindex.View, viewer waymark.UserID, tested int, filters []waymark.LinkFilter) ([]int, error) {
	f, err := s.filteringOf(ctx, q, viewer, filters...)
	if err != nil {
		return nil, err
	}
	counts := make([]int, len(filters))
	var others []int
	plans := make([]query.Plan, len(filters))
	for i, filter := range filters {
		p := &plans[i]
		*p = query.Plan{Table: links.Name, Order: links.order[waymark.Order{}.By]}
		p.Scopes, p.Predicates = query.Within(query.ScopesOf(viewer), f.predicates(filter.Where))
		if slices.ContainsFunc(p.Predicates, query.Predicate.DependsOnOthers) {
			others = append(others, i)
		} else if counts[i], err = s.countPlan(ctx, q, view, &tested, *p); err != nil {
			return nil, err
		}
	}
	for _, i := range others {
		if counts[i], err = s.countPlan(ctx, q, view, &tested, plans[i]); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// countPlan returns the number of links of a plan, or -1. It subtracts from tested how many it has tested.
func (s *Store) countPlan(ctx context.Context, q database.Querier, view *searchindex.View, tested *int, p query.Plan) (int, error) {
	switch {
	case len(p.Scopes) == 0:
		return 0, nil
	case view == nil || len(p.Predicates) == 0:
		return s.count(ctx, q, p, links.counted)
	}
	n, err := view.Count(indexQuery(p, waymark.Order{}, waymark.Pagination{}), func(iq *linkindex.Query) (err error) {
		if *tested <= 0 {
			return errUncounted
		}
		*tested -= view.Links()
		iq.Where, err = s.addLinkIDs(ctx, q, iq.Where)
		return err
	})
	if errors.Is(err, errUncounted) {
		return -1, nil
	}
	return n, err
}

// TrashCounts returns the number of entities of each kind that are in a user's trash.
func (s *Store) TrashCounts(ctx context.Context, owner waymark.UserID) (map[waymark.EntityKind]int, error) {
	return database.QueryMap[waymark.EntityKind, int](ctx, s.db.Querier(), `
		SELECT 1, count(*) FROM links WHERE user_id = $1 AND visible_to IS NULL
		UNION ALL
		SELECT 2, count(*) FROM lists WHERE user_id = $1 AND visible_to IS NULL
		UNION ALL
		SELECT 3, count(*) FROM tags WHERE user_id = $1 AND visible_to IS NULL
		UNION ALL
		SELECT 4, count(*) FROM notes WHERE user_id = $1 AND visible_to IS NULL`, owner)
}

// Summary describes the database for administrators.
type Summary struct {
	Database     string // such as "SQLite 3.54.1"
	Size         int64  // in bytes
	Users, Links int    // links without the trash
}

// Summary returns the summary of the database.
func (s *Store) Summary(ctx context.Context) (Summary, error) {
	version, size, name := "sqlite_version()", "(SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size())", "SQLite "
	if s.db.Kind() == database.PostgreSQL {
		version, size, name = "current_setting('server_version')", "pg_database_size(current_database())", "PostgreSQL "
	}
	scan := func(rows *sql.Rows, into *Summary) error {
		return rows.Scan(&into.Database, &into.Size, &into.Users, &into.Links)
	}
	summary, err := database.QueryOne(ctx, s.db.Querier(), scan, `
		SELECT `+version+`, `+size+`, (SELECT COUNT(*) FROM users), (
			SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT)
			FROM counters
			WHERE entity = 'links')`)
	summary.Database = name + summary.Database
	return summary, err
}
