package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

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
