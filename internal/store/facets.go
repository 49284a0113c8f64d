package store

import (
	"context"
	"database/sql"
	"time"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// yearsOfFacets is how many years Facets counts, up to this one, and older links together.
const yearsOfFacets = 11

// Facets returns what the links have in common that viewer sees and a filter selects: at most limit
// lists, tags and hosts. It is empty if there are more than 100,000 links.
func (s *Store) Facets(ctx context.Context, viewer waymark.UserID, filter waymark.LinkFilter, limit int) (f waymark.Facets, err error) {
	err = s.db.Search(ctx, int64(viewer), func() error {
		if err := s.index.Sync(ctx); err != nil {
			return err
		}
		f, err = s.facets(ctx, s.db.Querier(), viewer, filter, limit)
		return err
	})
	return f, err
}

func (s *Store) facets(ctx context.Context, q database.Querier, viewer waymark.UserID, filter waymark.LinkFilter, limit int) (f waymark.Facets, err error) {
	iq, conditions, err := s.indexQuery(ctx, q, viewer, filter)
	if err != nil {
		return f, err
	}
	if iq.Where, err = s.addOutside(ctx, q, iq.As, conditions[0]); err != nil {
		return f, err
	}
	first := iq.Now.Year() - yearsOfFacets + 1
	fq := linkindex.FacetQuery{Query: iq, Limit: limit}
	for year := range yearsOfFacets {
		fq.Saved = append(fq.Saved, waymark.FromTime(time.Date(first+year, 1, 1, 0, 0, 0, 0, iq.Now.Location())))
	}
	var found linkindex.Facets
	s.index.Read(func(x *linkindex.Links) { found = x.Facets(fq) })
	f.Total, f.Hosts = found.Total, found.Hosts
	for i, n := range found.Saved {
		switch {
		case n == 0:
		case i == 0:
			f.Older = waymark.YearCount{Year: first, Links: n}
		default:
			f.Years = append(f.Years, waymark.YearCount{Year: first + i - 1, Links: n})
		}
	}
	if f.Lists, err = readCounted(ctx, q, &lists, viewer, found.Lists); err != nil {
		return f, err
	}
	f.Tags, err = readCounted(ctx, q, &tags, viewer, found.Tags)
	return f, err
}

// readCounted reads lists or tags with the numbers of their links.
func readCounted[T any](ctx context.Context, q database.Querier, t *entityTable[T], viewer waymark.UserID, counts []linkindex.LabelCount) ([]T, error) {
	if len(counts) == 0 {
		return nil, nil
	}
	links := map[int64]int{}
	ids := make([]int64, len(counts))
	for i, c := range counts {
		ids[i], links[c.ID] = c.ID, c.Links
	}
	return readLabels(ctx, q, t, viewer, ids, links, nil)
}

// readLabels reads the lists or tags with some ids that satisfy visible, with the numbers of their links by id.
func readLabels[T any](ctx context.Context, q database.Querier, t *entityTable[T], viewer waymark.UserID, ids []int64, links map[int64]int, visible condition) ([]T, error) {
	found, err := readAll(ctx, q, viewer, ids, t.byID(visible))
	for i := range found {
		*t.linkCount(&found[i]) = links[t.idOf(&found[i])]
	}
	return found, err
}

// ListsOfLinks returns at most limit lists that contain some of the viewer's own links. Lists with the most of these
// links come first. LinkCount is the number of these links.
func (s *Store) ListsOfLinks(ctx context.Context, viewer waymark.UserID, ids []int64, limit int) ([]waymark.List, error) {
	return labelsOfLinks(ctx, s.db.Querier(), &lists, viewer, ids, limit)
}

// TagsOfLinks is ListsOfLinks for tags.
func (s *Store) TagsOfLinks(ctx context.Context, viewer waymark.UserID, ids []int64, limit int) ([]waymark.Tag, error) {
	return labelsOfLinks(ctx, s.db.Querier(), &tags, viewer, ids, limit)
}

func labelsOfLinks[T any](ctx context.Context, q database.Querier, t *entityTable[T], viewer waymark.UserID, ids []int64, limit int) ([]T, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	scan := func(rows *sql.Rows, count *linkindex.LabelCount) error { return rows.Scan(&count.ID, &count.Links) }
	a := q.Args()
	counts, err := database.QueryAll(ctx, q, scan, `
		SELECT l.id, count(*) AS links
		FROM `+t.assoc.Table+` AS m
		JOIN links AS e ON e.id = m.link_id
		JOIN `+t.Name+` AS l ON l.id = m.`+t.assoc.Column+`
		WHERE m.link_id `+database.In(a, ids)+` AND e.user_id = `+a.Add(viewer)+` AND `+query.VisibleTo(a, database.Unindexed("l.visible_to"), viewer)+`
		GROUP BY l.id
		ORDER BY links DESC, l.id
		LIMIT `+a.Add(limit), a.Values...)
	if err != nil {
		return nil, err
	}
	return readCounted(ctx, q, t, viewer, counts)
}
