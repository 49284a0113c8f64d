package store

import (
	"context"
	"database/sql"
	"fmt"
	"iter"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Page is a part of a listing: its entities in order, and the total of the listing.
type Page[T any] struct {
	Total    int
	Entities []T
}

// Emit receives a part of a listing: the total, and the entities in order. The entities
// may be read from the database during the iteration, so it can end with an error.
type Emit[T any] func(total int, entities iter.Seq2[T, error]) error

// Listing is an ordered query for entities. Names, totals and rows of one result come
// from one snapshot of the database.
type Listing[T any] struct {
	store      *Store
	table      *entityTable[T]
	viewer     waymark.UserID
	order      waymark.Order
	pagination waymark.Pagination
	scopes     []query.Scope
	predicates []query.Predicate
	filter     *waymark.LinkFilter // of a search, whose predicates depend on names that are looked up
}

// Page returns the part that the pagination selects, all of it in memory.
func (l Listing[T]) Page(ctx context.Context) (Page[T], error) {
	var page Page[T]
	err := l.Stream(ctx, func(total int, entities iter.Seq2[T, error]) error {
		page = Page[T]{Total: total}
		for entity, err := range entities {
			if err != nil {
				return err
			}
			page.Entities = append(page.Entities, entity)
		}
		return nil
	})
	return page, err
}

// Stream passes the part that the pagination selects to emit. A part of more than 500
// entities is read while emit iterates over it, and can end with waymark.ErrUnavailable
// if emit is slow and other streams wait.
func (l Listing[T]) Stream(ctx context.Context, emit Emit[T]) error {
	var w query.Window
	var entities []T
	err := l.readTx(ctx, func(q database.Querier) error {
		segments, prepared, err := l.prepare(ctx, q)
		w = prepared
		if err != nil || w.Limit > query.BatchSize {
			return err
		}
		for batch, err := range l.batches(ctx, q, segments) {
			if err != nil {
				return err
			}
			entities = append(entities, batch...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if w.Limit <= query.BatchSize {
		return emit(w.Total, sequence(entities))
	}
	// The stream has a transaction of its own, so its snapshot is counted again.
	return l.store.db.StreamTx(ctx, func(q database.Querier) error {
		segments, w, err := l.prepare(ctx, q)
		if err != nil {
			return err
		}
		return emit(w.Total, l.rows(ctx, q, segments))
	})
}

func (l Listing[T]) readTx(ctx context.Context, read func(q database.Querier) error) error {
	if l.filter != nil {
		return l.store.db.SearchTx(ctx, int64(l.viewer), read)
	}
	return l.store.db.ReadTx(ctx, read)
}

// prepare counts the listing, and plans how to read the window that is selected.
func (l Listing[T]) prepare(ctx context.Context, q database.Querier) ([]query.Segment, query.Window, error) {
	p := query.Plan{
		Table:      l.table.name,
		Scopes:     l.scopes,
		Predicates: l.predicates,
		Driver:     query.NoDriver,
		Order:      l.table.order[l.order.By],
		Desc:       l.order.Desc,
	}
	if l.filter != nil {
		var ok bool
		var err error
		p.Scopes = query.FilterScopes(l.scopes, *l.filter)
		p.Predicates, ok, err = l.store.predicates(ctx, q, l.viewer, *l.filter)
		if err != nil || !ok || len(p.Scopes) == 0 {
			return nil, query.Window{}, err
		}
	}
	p, err := l.store.chooseDriver(ctx, q, p)
	if err != nil {
		return nil, query.Window{}, err
	}
	totals, err := l.store.totals(ctx, q, p)
	if err != nil {
		return nil, query.Window{}, err
	}
	w := query.NewWindow(l.pagination, totals)
	if p.Driver != query.NoDriver && p.Scopes != nil && l.table.counted {
		sizes, err := scopeSizes(ctx, q, p)
		if err != nil {
			return nil, query.Window{}, err
		}
		p = p.ForWindow(w, totals, sizes)
	}
	return p.Segments(w, totals), w, nil
}

// rows yields the entities of a window one by one.
func (l Listing[T]) rows(ctx context.Context, q database.Querier, segments []query.Segment) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for batch, err := range l.batches(ctx, q, segments) {
			if err != nil {
				var zero T
				yield(zero, err)
				return
			}
			for _, entity := range batch {
				if !yield(entity, nil) {
					return
				}
			}
		}
	}
}

// batches reads segments batch by batch. The first batch of a segment is found by its
// offset, and each later one by the cursor at the end of the previous one, so that the
// last batch costs no more than the first.
func (l Listing[T]) batches(ctx context.Context, q database.Querier, segments []query.Segment) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		n := 0
		for _, s := range segments {
			n += s.Window.Limit
		}
		load := loaderFor(l.store, l.table, n)
		for _, s := range segments {
			p, w := s.Plan, s.Window
			var after []any
			for w.Limit > 0 {
				batch, cursor, err := l.batch(ctx, q, p, w, after)
				if err == nil {
					err = load(ctx, q, l.viewer, batch)
				}
				if !yield(batch, err) || err != nil {
					return
				}
				after = cursor
				w.Limit -= len(batch)
			}
		}
	}
}

// batch reads one batch of a window, and returns the cursor of its last row.
func (l Listing[T]) batch(ctx context.Context, q database.Querier, p query.Plan, w query.Window, after []any) (batch []T, cursor []any, err error) {
	a := q.Args()
	text := p.PageSQL(a, l.store.search, l.table.selected, w, min(w.Limit, query.BatchSize), after)
	cursor = make([]any, p.CursorLength(l.store.search))
	batch, err = database.QueryAll(ctx, q, func(rows *sql.Rows, entity *T) error {
		targets := l.table.targets(entity, len(cursor))
		for i := range cursor {
			targets = append(targets, &cursor[i])
		}
		return rows.Scan(targets...)
	}, text, a.Values...)
	if err == nil && len(batch) == 0 {
		err = fmt.Errorf("list %s: %d rows of %d are missing", p.Table, w.Limit, w.Total)
	}
	return batch, cursor, err
}

// sequence yields entities that are in memory.
func sequence[T any](entities []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, entity := range entities {
			if !yield(entity, nil) {
				return
			}
		}
	}
}

// newListing returns the listing of the entities that viewer sees.
func newListing[T any](s *Store, t *entityTable[T], viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[T] {
	return Listing[T]{store: s, table: t, viewer: viewer, order: order, pagination: pagination, scopes: query.ScopesOf(viewer)}
}
