package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// entityTable is the table of one kind of entity, with what listings need.
type entityTable[T any] struct {
	table[T]
	idOf    func(*T) int64
	sizeOf  func(*T) int // the memory that an entity takes, in bytes
	order   map[waymark.SortField]query.Order
	counted bool // the table counters counts the active entities

	// Of lists and tags only.
	nameOf    func(*T) string
	linkCount func(*T) *int
	assoc     *query.Association
}

// wholeEntity describes how an entity e is read with what the viewer sees of its fields
// in other tables.
type wholeEntity[T any] struct {
	selected func(a *database.Args, viewer waymark.UserID) string
	scan     func(rows *sql.Rows, entity *T) error // reads the columns of selected
}

// whole returns the wholeEntity of a table without fields in other tables.
func (t *entityTable[T]) whole() wholeEntity[T] {
	return wholeEntity[T]{
		selected: func(*database.Args, waymark.UserID) string { return t.selected },
		scan:     t.scan,
	}
}

// lockUser makes other transactions that change links, lists or tags of the same user wait.
// It must be the first lock of each. Otherwise they would lock rows, URLs, names and counters
// in different orders, and could deadlock.
func lockUser(ctx context.Context, q database.Querier, user waymark.UserID) error {
	return q.Lock(ctx, int64(user))
}

// getActive returns an active entity. In a write transaction it also locks the row.
func (t *entityTable[T]) getActive(ctx context.Context, q database.Querier, id int64) (T, error) {
	return t.get(ctx, q, "e.id = $1 AND e.visible_to IS NOT NULL"+q.RowLock(), id)
}

// getVisible returns an active entity that the viewer sees. It returns
// waymark.ErrForbidden if the viewer does not see it. In a write transaction it also locks
// the row.
func (t *entityTable[T]) getVisible(ctx context.Context, q database.Querier, viewer waymark.UserID, id int64) (T, error) {
	var visible bool
	scan := func(rows *sql.Rows, entity *T) error { return rows.Scan(append(t.targets(entity, 1), &visible)...) }
	a := q.Args(id)
	entity, err := database.QueryOne(ctx, q, scan, `
		SELECT `+t.selected+`, `+query.VisibleTo(a, "e.visible_to", viewer)+`
		FROM `+t.name+` AS e
		WHERE e.id = $1 AND e.visible_to IS NOT NULL`+q.RowLock(), a.Values...)
	if err != nil || visible {
		return entity, err
	}
	var none T
	return none, waymark.ErrForbidden
}

// plainRows is the reader of entities without fields in other tables, see Listing.
func (t *entityTable[T]) plainRows(_ int, still condition) reader[T] { return t.byID(t.whole(), still) }

// byID returns the reader that reads whole entities in one statement. It leaves out those that do not
// satisfy still.
func (t *entityTable[T]) byID(whole wholeEntity[T], still condition) reader[T] {
	return func(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64) ([]T, error) {
		a := q.Args()
		text := t.byIDSQL(a, whole.selected(a, viewer), ids) + still.and(a)
		return inOrder(ids, t.idOf, t.sizeOf, database.QueryEach(ctx, q, whole.scan, text, a.Values...))
	}
}

// byIDSQL returns the statement that selects columns of the entities with these ids.
func (t *entityTable[T]) byIDSQL(a *database.Args, columns string, ids []int64) string {
	return `
		SELECT ` + columns + `
		FROM ` + t.name + ` AS e
		WHERE e.id ` + database.In(a, ids)
}

// Permit returns nil if the entities of owner may be changed, and an error otherwise. The
// service passes it to the methods that load and change entities in one transaction. A
// method on one entity returns the error; a method on several skips the entity.
type Permit func(owner waymark.UserID) error

// OwnerOnly permits a write to user if the entity is their own. It is the only place that decides who
// may edit, delete and restore an entity.
func OwnerOnly(user waymark.User) Permit {
	return func(owner waymark.UserID) error {
		if !user.ID.MayEdit(owner) {
			return waymark.ErrForbidden
		}
		return nil
	}
}
