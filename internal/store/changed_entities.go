package store

import (
	"context"
	"errors"
	"iter"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Changed are the entities that a change of several entities has created or changed.
type Changed[T any] struct {
	store    *Store
	kind     waymark.EntityKind
	viewer   waymark.UserID
	ids      []int64
	read     reader[T]
	entities []T // as the change left them; nil if they take too much memory
}

// ChangedInMemory returns Changed with these entities.
func ChangedInMemory[T any](entities []T) Changed[T] {
	return Changed[T]{ids: make([]int64, len(entities)), entities: entities}
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

// Stream passes the entities to emit. If they are many or large, it reads them piece by piece
// while emit iterates over them. Then it omits those that have been moved to the trash since,
// which the total includes. Between two pieces it has no transaction, so that the response to
// a change that is stored needs no permit for streaming reads, and is not preempted.
func (c Changed[T]) Stream(ctx context.Context, emit Emit[T]) error {
	if len(c.entities) == len(c.ids) {
		return emit(len(c.ids), sequence(c.entities))
	}
	return emit(len(c.ids), oneByOne(inPieces(c.ids, func(ids []int64) (piece []T, err error) {
		err = c.store.db.ReadTx(ctx, int64(c.viewer), func(q database.Querier) error {
			owners, err := activeOwners(ctx, q, c.kind, ids)
			if err != nil {
				return err
			}
			active := make([]int64, 0, len(ids))
			for _, id := range ids {
				if _, ok := owners[id]; ok {
					active = append(active, id)
				}
			}
			if len(active) > 0 {
				piece, err = c.read(ctx, q, c.viewer, active)
			}
			return err
		})
		return piece, err
	})))
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
