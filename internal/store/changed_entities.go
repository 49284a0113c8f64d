package store

import (
	"context"
	"errors"
	"iter"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Changed are the entities that a bulk edit has changed.
type Changed[T any] struct {
	store    *Store
	kind     waymark.EntityKind
	viewer   waymark.UserID
	ids      []int64
	read     reader[T]
	entities []T // as the change left them; nil if they take too much memory
}

// readChanged reads the entities with these ids in the transaction that has changed them,
// if they fit into memory.
func readChanged[T any](ctx context.Context, q database.Querier, s *Store, kind waymark.EntityKind, viewer waymark.UserID, ids []int64, read reader[T]) (Changed[T], error) {
	c := Changed[T]{store: s, kind: kind, viewer: viewer, ids: ids, read: read}
	if len(ids) == 0 || len(ids) > query.BatchSize {
		return c, nil
	}
	var err error
	if c.entities, err = read(ctx, q, viewer, ids); errors.Is(err, errLargePiece) {
		c.entities, err = nil, nil
	}
	return c, err
}

// Len returns the number of entities.
func (c Changed[T]) Len() int { return len(c.ids) }

// Stream passes the entities to emit. If they are many or large, it reads them in a
// transaction of its own while emit iterates over them, like Listing.Stream. Then it omits
// those that have been moved to the trash since.
func (c Changed[T]) Stream(ctx context.Context, emit Emit[T]) error {
	if len(c.entities) == len(c.ids) {
		return emit(len(c.ids), sequence(c.entities))
	}
	return c.store.db.StreamTx(ctx, int64(c.viewer), func(q database.Querier) error {
		owners, err := activeOwners(ctx, q, c.kind, c.ids)
		if err != nil {
			return err
		}
		var ids []int64
		for _, id := range c.ids {
			if _, ok := owners[id]; ok {
				ids = append(ids, id)
			}
		}
		return emit(len(ids), oneByOne(pieces(ctx, q, c.viewer, ids, c.read)))
	})
}

// All returns all entities in memory.
func (c Changed[T]) All(ctx context.Context) (all []T, err error) {
	err = c.Stream(ctx, func(_ int, entities iter.Seq2[T, error]) error {
		for entity, err := range entities {
			if err != nil {
				return err
			}
			all = append(all, entity)
		}
		return nil
	})
	return all, err
}
