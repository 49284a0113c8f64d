package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Changed are the entities that a change of several entities has created or changed, in order. They
// are read after the change has been committed, as in a Listing: entities that the viewer does not see then are left
// out.
type Changed[T any] struct {
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

// Stream passes the entities to emit, as Listing.Stream does. s is not the store of the transaction that has changed
// them: that one has ended.
func (c Changed[T]) Stream(ctx context.Context, s *Store, emit Emit[T]) error {
	if c.entities != nil || len(c.ids) == 0 {
		return emit(len(c.ids), func(yield func(T, error) bool) {
			for _, entity := range c.entities {
				if !yield(entity, nil) {
					return
				}
			}
		})
	}
	return s.stream(ctx, c.viewer, len(c.ids), func() error {
		read := c.rows(func(a *database.Args) string { return query.VisibleTo(a, database.Unindexed("e.visible_to"), c.viewer) })
		return emit(len(c.ids), readRows(ctx, s.db.Querier(), c.viewer, c.ids, read))
	})
}
