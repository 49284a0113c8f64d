package store

import (
	"context"
	"database/sql"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// addPaths sets the paths of lists as viewer sees them: a list whose parent the viewer does not see, or which is
// in the trash, has none. It runs no statement if no list has a parent.
func addPaths(ctx context.Context, q database.Querier, viewer waymark.UserID, all []*waymark.List) error {
	parents := make([]int64, 0, len(all))
	for _, list := range all {
		if list.Parent != 0 {
			parents = append(parents, int64(list.Parent))
		}
	}
	if len(parents) == 0 {
		return nil
	}
	slices.Sort(parents)
	above, err := readListsAbove(ctx, q, viewer, slices.Compact(parents))
	if err != nil {
		return err
	}
	for _, list := range all {
		list.Path = above.path(list.Parent)
		if len(list.Path) == 0 {
			list.Parent = 0
		}
	}
	return nil
}

// ListPaths returns the paths of lists as viewer sees them, each with the list itself, by id. Lists that the viewer does
// not see are missing.
func (s *Store) ListPaths(ctx context.Context, viewer waymark.UserID, ids []waymark.ListID) (map[waymark.ListID][]waymark.ListName, error) {
	paths := make(map[waymark.ListID][]waymark.ListName, len(ids))
	if len(ids) == 0 {
		return paths, nil
	}
	above, err := readListsAbove(ctx, s.db.Querier(), viewer, table.PlainIDs(ids))
	for _, id := range ids {
		if path := above.path(id); len(path) > 0 {
			paths[id] = path
		}
	}
	return paths, err
}

// listsAbove are lists that contain others, by id.
type listsAbove map[waymark.ListID]listAbove

type listAbove struct {
	waymark.ListName
	parent waymark.ListID
}

// path returns a list and those above it, the outermost one first, up to one that is not known.
func (above listsAbove) path(id waymark.ListID) []waymark.ListName {
	var path []waymark.ListName
	for len(path) < waymark.MaxListDepth {
		list, ok := above[id]
		if !ok {
			break
		}
		path = append(path, list.ListName)
		id = list.parent
	}
	slices.Reverse(path)
	return path
}

// readListsAbove returns the lists with some ids and those above them that viewer sees. Those above a list
// that the viewer does not see are missing.
func readListsAbove(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64) (listsAbove, error) {
	a := q.Args()
	visible := query.VisibleTo(a, database.Unindexed("l.visible_to"), viewer)
	above := listsAbove{}
	for l, err := range database.QueryEach(ctx, q, func(rows *sql.Rows, l *listAbove) error {
		return rows.Scan(&l.ID, &l.Name, &l.parent)
	}, `
		WITH RECURSIVE above (id, name, parent_id) AS (
			SELECT l.id, l.name, l.parent_id
			FROM lists AS l
			WHERE l.id `+database.In(a, ids)+` AND `+visible+`
			UNION
			SELECT l.id, l.name, l.parent_id
			FROM above`+database.JoinInOrder+`lists AS l
			WHERE l.id = above.parent_id AND `+visible+`
		)
		SELECT id, name, coalesce(parent_id, 0)
		FROM above`, a.Values...) {
		if err != nil {
			return nil, err
		}
		above[l.ID] = l
	}
	return above, nil
}
