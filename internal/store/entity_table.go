package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// entityTable is the table of one kind of entity, with what listings need.
type entityTable[T any] struct {
	table[T]
	idOf    func(*T) int64
	ownerOf func(*T) waymark.UserID
	nameOf  func(*T) string // lists and tags only
	order   map[waymark.SortField]query.Order
	// load loads the fields of entities that are stored in other tables. newLoader
	// returns a function that does so batch by batch. Both are nil if there are none.
	load      loader[T]
	newLoader func(cacheSize int) loader[T]
	counted   bool // the table counters counts the active entities
}

// loader loads those fields of entities for a viewer.
type loader[T any] func(ctx context.Context, q database.Querier, viewer waymark.UserID, entities []T) error

// getActive returns an active entity. In a write transaction it also locks the row.
func (t *entityTable[T]) getActive(ctx context.Context, q database.Querier, id int64) (T, error) {
	return t.get(ctx, q, "e.id = $1 AND e.visible_to IS NOT NULL"+q.RowLock(), id)
}

// getActiveByID returns the active entities among ids, by id.
func (t *entityTable[T]) getActiveByID(ctx context.Context, q database.Querier, ids []int64) (map[int64]T, error) {
	found := make(map[int64]T, len(ids))
	a := q.Args()
	for entity, err := range database.QueryEach(ctx, q, t.scan, `
		SELECT `+t.selected+`
		FROM `+t.name+` AS e
		WHERE e.id `+database.In(a, unique(ids))+` AND e.visible_to IS NOT NULL
		ORDER BY e.id`+q.RowLock(), a.Values...) {
		if err != nil {
			return nil, err
		}
		found[t.idOf(&entity)] = entity
	}
	return found, nil
}

// loaderFor returns the loader for n entities: load for one batch in SQLite, else
// newLoader. PostgreSQL, until its statistics are up to date, reads whole tables for the
// joins of load, and so takes one statement more to read the rows by their ids.
func loaderFor[T any](s *Store, t *entityTable[T], n int) loader[T] {
	switch {
	case t.load == nil:
		return func(context.Context, database.Querier, waymark.UserID, []T) error { return nil }
	case n <= query.BatchSize && s.db.Kind() == database.SQLite:
		return t.load
	}
	return t.newLoader(s.labelCacheSize)
}
