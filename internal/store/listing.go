package store

import (
	"context"
	"errors"
	"iter"
	"math"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Page is a part of a listing: its entities in order, and the total of the listing.
type Page[T any] struct {
	Total    int
	Entities []T
}

// Emit receives a part of a listing: the total, and the entities in order. The entities are read
// from the database during the iteration, so it can end with an error.
type Emit[T any] func(total int, entities iter.Seq2[T, error]) error

// Listing is an ordered query for entities. It first finds the total and the ids, of active links with the search
// index, and of others with SQL. Then it reads the rows by their ids, in batches outside a transaction.
// Entities that the viewer no longer sees when their row is read are left out.
type Listing[T any] struct {
	store      *Store
	table      *entityTable[T]
	viewer     waymark.UserID
	order      waymark.Order
	pagination waymark.Pagination
	scansTexts bool // reads texts of many entities, so that it needs a permit for searches

	// Of active links, which the index lists.
	filter waymark.LinkFilter
	where  waymark.Condition // also to be satisfied; the index reads it as it is

	// Of others, which SQL lists.
	scopes    []query.Scope
	sql       []condition
	uncounted bool // the total is the number of entities that are read
	empty     bool // nothing can satisfy the conditions

	rows func(visible condition) reader[T] // returns the reader of the entities
}

// found is the result of a listing before its rows are read.
type found struct {
	total   int
	ids     []int64   // of the part that the pagination selects, in order
	visible condition // that an entity is still in the listing
}

// Page returns the part that the pagination selects, all of it in memory.
func (l Listing[T]) Page(ctx context.Context) (Page[T], error) {
	f, entities, err := l.look(ctx)
	if err != nil {
		return Page[T]{}, err
	}
	all, err := collect(entities, len(f.ids))
	return Page[T]{f.total, all}, err
}

// Stream passes the part that the pagination selects to emit, which may be as slow as its client is.
// A part of more than 500 entities needs a permit for streams: without one, Stream returns
// waymark.ErrBusy.
func (l Listing[T]) Stream(ctx context.Context, emit Emit[T]) error {
	f, entities, err := l.look(ctx)
	if err != nil {
		return err
	}
	return l.store.stream(ctx, l.viewer, len(f.ids), func() error { return emit(f.total, entities) })
}

// maxLooks is how often a listing looks for a part of one batch if entities are gone when their rows are read. Clients
// take a short page for the last one.
const maxLooks = 5

// look finds the entities, and reads them at once if they are one batch.
func (l Listing[T]) look(ctx context.Context) (f found, entities iter.Seq2[T, error], err error) {
	for range maxLooks {
		if f, err = l.find(ctx); err != nil {
			return f, nil, err
		}
		if len(f.ids) == 0 || len(f.ids) > query.BatchSize {
			return f, l.read(ctx, f), nil
		}
		batch, err := l.rows(f.visible)(ctx, l.store.db.Querier(), l.viewer, f.ids)
		if errors.Is(err, errLargeBatch) {
			return f, l.read(ctx, f), nil
		}
		if err != nil {
			return f, nil, err
		}
		entities = withoutErrors(batch)
		if len(batch) == len(f.ids) {
			break
		}
	}
	return f, entities, nil
}

// withoutErrors yields entities.
func withoutErrors[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, entity := range all {
			if !yield(entity, nil) {
				return
			}
		}
	}
}

// stream calls send with a permit for streams if it sends more rows than one batch.
func (s *Store) stream(ctx context.Context, viewer waymark.UserID, rows int, send func() error) error {
	if rows <= query.BatchSize {
		return send()
	}
	return s.db.Stream(ctx, int64(viewer), send)
}

// read yields the entities that were found.
func (l Listing[T]) read(ctx context.Context, f found) iter.Seq2[T, error] {
	return readRows(ctx, l.store.db.Querier(), l.viewer, f.ids, l.rows(f.visible))
}

// find returns the total, and the ids that the pagination selects. Searches need a permit.
func (l Listing[T]) find(ctx context.Context) (f found, err error) {
	if !l.scansTexts {
		return l.findNow(ctx)
	}
	err = l.store.db.Search(ctx, int64(l.viewer), func() error {
		f, err = l.findNow(ctx)
		return err
	})
	return f, err
}

func (l Listing[T]) findNow(ctx context.Context) (f found, err error) {
	p := l.plan()
	f.visible = p.VisibleSQL
	q := l.store.db.Querier()
	switch {
	case l.table.Name == links.Name && l.scopes != nil:
		f.total, f.ids, err = l.findLinks(ctx, q)
	case l.empty:
	case l.uncounted:
		f.ids, err = l.store.idsOf(ctx, q, p, query.NewWindow(l.pagination, math.MaxInt32))
		f.total = len(f.ids)
	default:
		f.total, f.ids, err = l.store.findIDs(ctx, q, p, l.pagination)
	}
	return f, err
}

// findLinks finds active links with the index.
func (l Listing[T]) findLinks(ctx context.Context, q database.Querier) (total int, ids []int64, err error) {
	if err := l.store.index.Sync(ctx); err != nil {
		return 0, nil, err
	}
	iq, conditions, err := l.store.indexQuery(ctx, q, l.viewer, l.filter)
	if err != nil {
		return 0, nil, err
	}
	iq.Order, iq.Pagination = l.order, l.pagination
	if iq.Where, err = l.store.addOutside(ctx, q, iq.As, waymark.AndOf(conditions[0], l.where)); err != nil {
		return 0, nil, err
	}
	if l.order.By == waymark.SortByRelevance {
		if iq.Words, err = rankedWords(ctx, q, l.viewer, l.filter); err != nil {
			return 0, nil, err
		}
	}
	l.store.index.Read(func(x *linkindex.Links) {
		found := x.Find(iq)
		total, ids = found.Total, found.IDs
	})
	return total, ids, nil
}

// findIDs returns the total of a plan and the ids of a part of it with SQL.
func (s *Store) findIDs(ctx context.Context, q database.Querier, p query.Plan, pagination waymark.Pagination) (total int, ids []int64, err error) {
	a := q.Args()
	text := p.CountSQL(a)
	if total, err = database.QueryOne(ctx, q, database.ScanValue[int], text, a.Values...); err != nil {
		return 0, nil, err
	}
	w := query.NewWindow(pagination, total)
	if w.Limit == 0 {
		return total, nil, nil
	}
	ids, err = s.idsOf(ctx, q, p, w)
	return total, ids, err
}

// idsOf returns the ids of a window of a plan with SQL.
func (s *Store) idsOf(ctx context.Context, q database.Querier, p query.Plan, w query.Window) ([]int64, error) {
	a := q.Args()
	text := p.IDsSQL(a, w)
	return database.QueryAll(ctx, q, database.ScanValue[int64], text, a.Values...)
}

// plan returns the plan of the listing.
func (l Listing[T]) plan() query.Plan {
	return query.Plan{Table: l.table.Name, Scopes: l.scopes, Where: l.sql, Order: l.table.order[l.order.By], Desc: l.order.Desc}
}

// newListing returns the listing of the entities that viewer sees.
func newListing[T any](s *Store, t *entityTable[T], rows func(visible condition) reader[T], viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[T] {
	return Listing[T]{store: s, table: t, viewer: viewer, order: order, pagination: pagination, scopes: query.ScopesOf(viewer), rows: rows}
}

// newPlainListing is newListing for entities without fields in other tables.
func newPlainListing[T any](s *Store, t *entityTable[T], viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[T] {
	return newListing(s, t, t.byID, viewer, order, pagination)
}
