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

// addPaths sets the paths of lists as viewer sees them, and whether they may edit them: a list whose parent the viewer does
// not see, or which is in the trash, has none. It runs no statement if no list has a parent or editors that are named.
func addPaths(ctx context.Context, q database.Querier, viewer waymark.UserID, all []*waymark.List) error {
	ids := make([]int64, 0, len(all))
	for _, list := range all {
		list.CanEdit = viewer != waymark.Guest && (list.Owner == viewer || list.Editing == waymark.EditedByEveryone)
		if list.Parent != 0 {
			ids = append(ids, int64(list.Parent))
		}
		if list.Editing == waymark.EditedByNamed && list.Owner != viewer {
			ids = append(ids, int64(list.ID))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	above, err := readListsAbove(ctx, q, viewer, slices.Compact(ids))
	if err != nil {
		return err
	}
	for _, list := range all {
		list.Path = above.path(list.Parent)
		if len(list.Path) == 0 {
			list.Parent = 0
		}
		switch list.Editing {
		case waymark.EditedAsParent:
			list.CanEdit = list.CanEdit || above.isEditor(viewer, list.Parent)
		case waymark.EditedByNamed:
			list.CanEdit = list.CanEdit || above.isEditor(viewer, list.ID)
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
	parent     waymark.ListID
	owner      waymark.UserID
	visibility waymark.Visibility
	editing    waymark.Editing
	named      bool // the viewer is in list_editors
}

// editorsOf returns the list whose editors are those of a list, or zero. They come only through lists that the viewer
// sees.
func (above listsAbove) editorsOf(id waymark.ListID) (waymark.ListID, listAbove) {
	for range waymark.MaxListDepth {
		list, ok := above[id]
		if !ok || list.editing != waymark.EditedAsParent {
			break
		}
		id = list.parent
	}
	return id, above[id]
}

// isEditor reports whether the viewer is an editor of a list. Its owner is one if there can be others.
func (above listsAbove) isEditor(viewer waymark.UserID, id waymark.ListID) bool {
	_, from := above.editorsOf(id)
	switch from.editing {
	case waymark.EditedByEveryone:
		return viewer != waymark.Guest
	case waymark.EditedByNamed:
		return from.owner == viewer || from.named
	}
	return false
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
		return rows.Scan(&l.ID, &l.Name, &l.parent, &l.owner, &l.visibility, &l.editing)
	}, `
		WITH RECURSIVE above (id, name, parent_id, user_id, visibility, editing) AS (
			SELECT l.id, l.name, l.parent_id, l.user_id, l.visibility, l.editing
			FROM lists AS l
			WHERE l.id `+database.In(a, ids)+` AND `+visible+`
			UNION
			SELECT l.id, l.name, l.parent_id, l.user_id, l.visibility, l.editing
			FROM above`+database.JoinInOrder+`lists AS l
			WHERE l.id = above.parent_id AND `+visible+`
		)
		SELECT id, name, coalesce(parent_id, 0), user_id, visibility, coalesce(editing, -1) + 1
		FROM above`, a.Values...) {
		if err != nil {
			return nil, err
		}
		above[l.ID] = l
	}
	return above, above.addNamed(ctx, q, viewer)
}

// addNamed sets of which lists the viewer is a named editor.
func (above listsAbove) addNamed(ctx context.Context, q database.Querier, viewer waymark.UserID) error {
	var ids []int64
	for id, list := range above {
		if list.editing == waymark.EditedByNamed && list.owner != viewer {
			ids = append(ids, int64(id))
		}
	}
	if len(ids) == 0 || viewer == waymark.Guest {
		return nil
	}
	slices.Sort(ids)
	a := q.Args(viewer)
	named, err := database.QueryAll(ctx, q, database.ScanValue[waymark.ListID], `
		SELECT list_id
		FROM list_editors
		WHERE user_id = $1 AND list_id `+database.In(a, ids), a.Values...)
	for _, id := range named {
		list := above[id]
		list.named = true
		above[id] = list
	}
	return err
}
