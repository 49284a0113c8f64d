package store

import (
	"context"
	"database/sql"
	"math"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// counts returns the numbers of entities that viewer sees or has in the trash.
func (s *Store) counts(ctx context.Context, q database.Querier, viewer waymark.UserID) (counts waymark.Counts, err error) {
	a := q.Args(viewer)
	numbers, err := database.QueryMap[string, int](ctx, q, `
		SELECT 'lists', count(*)
		FROM lists
		WHERE `+query.VisibleTo(a, "visible_to", viewer)+`
		UNION ALL
		SELECT 'tags', count(*)
		FROM tags
		WHERE `+query.VisibleTo(a, "visible_to", viewer)+`
		UNION ALL
		SELECT 'trash', (SELECT count(*) FROM links WHERE user_id = $1 AND visible_to IS NULL)
			+ (SELECT count(*) FROM lists WHERE user_id = $1 AND visible_to IS NULL)
			+ (SELECT count(*) FROM tags WHERE user_id = $1 AND visible_to IS NULL)
			+ (SELECT count(*) FROM notes WHERE user_id = $1 AND visible_to IS NULL)`, a.Values...)
	if err != nil {
		return counts, err
	}
	counts.Lists, counts.Tags, counts.Trash = numbers["lists"], numbers["tags"], numbers["trash"]
	filters := []waymark.LinkFilter{{}}
	if viewer != waymark.Guest {
		filters = append(filters,
			waymark.LinkFilter{Where: waymark.And{waymark.IsMine, waymark.IsUnread}},
			waymark.LinkFilter{Where: waymark.And{waymark.IsMine, waymark.IsFavorite}},
			waymark.LinkFilter{Where: waymark.IsArchived})
	}
	ofLinks, err := s.countMatches(ctx, q, viewer, math.MaxInt, filters)
	for i, n := range ofLinks {
		*[]*int{&counts.Links, &counts.Unread, &counts.Favorite, &counts.Archived}[i] = n
	}
	return counts, err
}

// CountLinks returns for each filter how many of the links that viewer sees satisfy it. The filters differ only in
// their conditions.
func (s *Store) CountLinks(ctx context.Context, viewer waymark.UserID, filters []waymark.LinkFilter) ([]int, error) {
	return s.countFiltered(ctx, viewer, math.MaxInt, filters)
}

// maxTested is how many links CountSearches tests, which takes about 10 ms.
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
		if err := s.index.Sync(ctx); err != nil {
			return err
		}
		counts, err = s.countMatches(ctx, s.db.Querier(), viewer, tested, filters)
		return err
	})
	return counts, err
}

// countMatches returns how many of the links that viewer sees satisfy filters that differ only in their
// conditions. It tests only about so many links: after that, what was not counted before is -1. Those come last that
// have to be counted each time.
func (s *Store) countMatches(ctx context.Context, q database.Querier, viewer waymark.UserID, tested int, filters []waymark.LinkFilter) (counts []int, err error) {
	iq, conditions, err := s.indexQuery(ctx, q, viewer, filters...)
	if err != nil {
		return nil, err
	}
	var known, outside []int // positions in counts
	s.index.Read(func(x *linkindex.Links) {
		counts = x.Cached(iq, conditions)
		most := max(1, tested/max(1, x.Len()))
		for i, c := range conditions {
			switch {
			case counts[i] >= 0:
			case isOutside(c):
				outside = append(outside, i)
			case len(known) < most:
				known = append(known, i)
			}
		}
		outside = outside[:min(len(outside), most-len(known))]
		for i, n := range x.CountCached(iq, conditionsAt(conditions, known)) {
			counts[known[i]] = n
		}
	})
	if len(outside) == 0 {
		return counts, nil
	}
	for _, i := range outside {
		if conditions[i], err = s.addOutside(ctx, q, iq.As, conditions[i]); err != nil {
			return nil, err
		}
	}
	s.index.Read(func(x *linkindex.Links) {
		for i, n := range x.Count(iq, conditionsAt(conditions, outside)) {
			counts[outside[i]] = n
		}
	})
	return counts, nil
}

func conditionsAt(conditions []waymark.Condition, positions []int) []waymark.Condition {
	return waymark.Map(positions, func(i int) waymark.Condition { return conditions[i] })
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
		SELECT `+version+`, `+size+`, (SELECT COUNT(*) FROM users), (SELECT COUNT(*) FROM links WHERE visible_to IS NOT NULL)`)
	summary.Database = name + summary.Database
	return summary, err
}
