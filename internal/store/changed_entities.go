package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Changed are the entities that a change of several entities has created or changed, in order. They
// are read after the change, as in a Listing: entities that the viewer does not see then are left
// out.
type Changed[T any] struct {
	store    *Store
	viewer   waymark.UserID
	ids      []int64
	rows     func(visible condition) reader[T]
	entities []T // instead, if they are in memory
}

// ChangedInMemory returns Changed with these entities.
func ChangedInMemory[T any](entities []T) Changed[T] {
	return Changed[T]{ids: make([]int64, len(entities)), entities: entities}
}

// Len returns the number of entities.
func (c Changed[T]) Len() int { return len(c.ids) }

// On returns the entities as s reads them. The store of the change can be one of a transaction, which has ended then.
func (c Changed[T]) On(s *Store) Changed[T] {
	c.store = s
	return c
}

// Stream passes the entities to emit, as Listing.Stream does.
func (c Changed[T]) Stream(ctx context.Context, emit Emit[T]) error {
	if c.entities != nil || len(c.ids) == 0 {
		return emit(len(c.ids), func(yield func(T, error) bool) {
			for _, entity := range c.entities {
				if !yield(entity, nil) {
					return
				}
			}
		})
	}
	return c.store.stream(ctx, c.viewer, len(c.ids), func() error {
		read := c.rows(func(a *database.Args) string { return query.VisibleTo(a, database.Unindexed("e.visible_to"), c.viewer) })
		return emit(len(c.ids), readRows(ctx, c.store.db.Querier(), c.viewer, c.ids, read))
	})
}
