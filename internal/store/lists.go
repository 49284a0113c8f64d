package store

import (
	"context"
	"slices"

	"waymark/internal/waymark"
)

var lists = entityTable[waymark.List]{
	table:   "lists",
	columns: `e.id, e.user_id, e.name, e.description, e.visibility, e.created_at, e.updated_at, e.deleted_at`,
	id:      func(l *waymark.List) int64 { return int64(l.ID) },
	name:    func(l *waymark.List) string { return l.Name },
	owner:   func(l *waymark.List) waymark.UserID { return l.Owner },
	scanTargets: func(l *waymark.List) []any {
		return []any{&l.ID, &l.Owner, &l.Name, &l.Description, &l.Visibility, &l.CreatedAt, &l.UpdatedAt, &l.DeletedAt}
	},
	orderColumns: map[waymark.SortField][]string{
		waymark.SortByID:          {},
		waymark.SortByName:        {"e.name_key", "e.name"},
		waymark.SortByDescription: {"e.description_key", "e.description"},
		waymark.SortByPrivate:     {"e.shelf"},
		waymark.SortByVisibility:  {"e.visibility"},
		waymark.SortByCreatedAt:   {"e.created_at"},
		waymark.SortByUpdatedAt:   {"e.updated_at"},
	},
}

// Lists shows a page of the lists that viewer may see.
func (s *Store) Lists(ctx context.Context, viewer waymark.UserID, order waymark.Order, page waymark.Pagination, show Emit[waymark.List]) error {
	return browse(ctx, s, &lists, everything("lists", viewer, order), page, show)
}

// List returns an active list that viewer may see.
func (s *Store) List(ctx context.Context, viewer waymark.UserID, id waymark.ListID) (waymark.List, error) {
	list, err := getActive(ctx, s.ask(), &lists, int64(id))
	if err == nil && !viewer.MaySee(list.Owner, list.Visibility) {
		err = waymark.ErrForbidden
	}
	return list, s.dialect.mapError(err)
}

// CreateLists keeps new lists of owner, all or none.
func (s *Store) CreateLists(ctx context.Context, owner waymark.UserID, drafts []waymark.List) ([]waymark.List, error) {
	var created []waymark.List
	err := s.change(ctx, func(ctx context.Context, q querier) error {
		now := s.now()
		created = make([]waymark.List, len(drafts))
		rows := make([][]any, len(drafts))
		for i, list := range drafts {
			list.Owner, list.CreatedAt, list.UpdatedAt = owner, now, now
			created[i] = list
			rows[i] = append([]any{list.Owner, list.CreatedAt}, listValues(&list)...)
		}
		ids, err := insert[waymark.ListID](ctx, q, "lists", slices.Concat(immutableColumns, listColumns), rows)
		if err != nil {
			return err
		}
		for i, id := range ids {
			created[i].ID = id
		}
		return nil
	})
	return created, err
}

// ChangeList changes an active list as change says.
func (s *Store) ChangeList(ctx context.Context, id waymark.ListID, change func(*waymark.List) error) (waymark.List, error) {
	var list waymark.List
	err := s.change(ctx, func(ctx context.Context, q querier) (err error) {
		if list, err = getActive(ctx, q, &lists, int64(id)); err != nil {
			return err
		}
		if err := change(&list); err != nil {
			return err
		}
		list.UpdatedAt = s.now()
		a := q.args(id)
		_, err = q.exec(ctx, `
			UPDATE lists
			SET `+listColumns.assign(a, listValues(&list))+`
			WHERE id = $1`, a.values...)
		return err
	})
	return list, err
}

var listColumns = columns{
	{"visibility", "INTEGER"},
	{"updated_at", "BIGINT"},
	{"name", "TEXT"},
	{"name_key", "TEXT"},
	{"description", "TEXT"},
	{"description_key", "TEXT"},
}

func listValues(l *waymark.List) []any {
	return []any{l.Visibility, l.UpdatedAt, l.Name, waymark.Fold(l.Name), l.Description, waymark.Fold(l.Description)}
}

// getActive returns an active entry of a kind.
func getActive[T any](ctx context.Context, q querier, k *entityTable[T], id int64) (T, error) {
	return queryOne(ctx, q, k.scan, `
		SELECT `+k.columns+`
		FROM `+k.table+` AS e
		WHERE e.id = $1 AND e.shelf IS NOT NULL`+q.rowLock, id)
}
