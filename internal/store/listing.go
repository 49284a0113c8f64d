package store

import (
	"context"
	"iter"
	"math"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/searchindex"
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

// Listing is an ordered query for entities. It first finds the total and the ids, with the search
// index or with SQL, and then reads the rows by their ids, in batches outside a transaction.
// Entities that the viewer no longer sees when their row is read are left out.
type Listing[T any] struct {
	store      *Store
	table      *entityTable[T]
	viewer     waymark.UserID
	order      waymark.Order
	pagination waymark.Pagination
	scopes     []query.Scope
	predicates []query.Predicate
	filter     *waymark.LinkFilter // of a search, whose predicates depend on names that are looked up
	scansTexts bool                // reads texts of many entities, so that it needs a permit for searches
	uncounted  bool                // the total is the number of entities that are read
	empty      bool                // nothing can satisfy the predicates

	rows func(n int, still condition) reader[T] // returns the reader of n entities
}

// found is the result of a listing before its rows are read.
type found struct {
	total int
	ids   []int64   // of the part that the pagination selects, in order
	still condition // that an entity is still in the listing
}

// Page returns the part that the pagination selects, all of it in memory.
func (l Listing[T]) Page(ctx context.Context) (Page[T], error) {
	f, err := l.find(ctx)
	if err != nil {
		return Page[T]{}, err
	}
	entities, err := collect(l.read(ctx, f), len(f.ids))
	return Page[T]{f.total, entities}, err
}

// Stream passes the part that the pagination selects to emit, which may be as slow as its client is.
// A part of more than 500 entities needs a permit for streams: without one, Stream returns
// waymark.ErrBusy.
func (l Listing[T]) Stream(ctx context.Context, emit Emit[T]) error {
	f, err := l.find(ctx)
	if err != nil {
		return err
	}
	return l.store.stream(ctx, l.viewer, len(f.ids), func() error { return emit(f.total, l.read(ctx, f)) })
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
	return readRows(ctx, l.store.db.Querier(), l.viewer, f.ids, l.rows(len(f.ids), f.still))
}

// find returns the total, and the ids that the pagination selects. Searches need a permit.
func (l Listing[T]) find(ctx context.Context) (f found, err error) {
	if l.filter == nil && !l.scansTexts {
		return l.findNow(ctx)
	}
	err = l.store.db.Search(ctx, int64(l.viewer), func() error {
		f, err = l.findNow(ctx)
		return err
	})
	return f, err
}

// findNow uses the search index for active links if there is one, and SQL otherwise.
func (l Listing[T]) findNow(ctx context.Context) (found, error) {
	var view *searchindex.View
	if l.table.Name == links.Name && l.scopes != nil {
		var err error
		if view, err = l.store.index.Sync(ctx); err != nil {
			return found{}, err
		}
	}
	q := l.store.db.Querier()
	p, ok, err := l.plan(ctx, q)
	if err != nil || !ok {
		return found{}, err
	}
	f := found{still: func(a *database.Args) string { return p.StillSQL(a, l.store.dialect) }}
	switch {
	case view != nil:
		iq := indexQuery(p, l.order, l.pagination)
		if iq.Where, err = l.store.addLinkIDs(ctx, q, iq.Where); err != nil {
			return found{}, err
		}
		if l.order.By == waymark.SortByRelevance && l.filter != nil {
			if iq.Words, err = rankedWords(ctx, q, l.viewer, *l.filter); err != nil {
				return found{}, err
			}
		}
		result := view.Find(iq)
		f.total, f.ids = result.Total, result.IDs
	case l.uncounted:
		f.ids, err = l.store.idsOf(ctx, q, p, query.NewWindow(l.pagination, math.MaxInt32))
		f.total = len(f.ids)
	default:
		f.total, f.ids, err = l.store.findIDs(ctx, q, p, l.table.counted, l.pagination)
	}
	return f, err
}

// findIDs returns the total of a plan and the ids of a part of it with SQL. counted says that
// the table counters counts the active entities.
func (s *Store) findIDs(ctx context.Context, q database.Querier, p query.Plan, counted bool, pagination waymark.Pagination) (total int, ids []int64, err error) {
	if total, err = s.count(ctx, q, p, counted); err != nil {
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
	text := p.IDsSQL(a, s.dialect, w)
	return database.QueryAll(ctx, q, database.ScanValue[int64], text, a.Values...)
}

// plan returns the plan of the listing. ok is false if the listing is empty because
// nothing can satisfy the filter or the predicates.
func (l Listing[T]) plan(ctx context.Context, q database.Querier) (p query.Plan, ok bool, err error) {
	p = query.Plan{
		Table:      l.table.Name,
		Scopes:     l.scopes,
		Predicates: l.predicates,
		Order:      l.table.order[l.order.By],
		Desc:       l.order.Desc,
	}
	if l.filter == nil {
		return p, !l.empty, nil
	}
	filtered, err := l.store.filterPredicates(ctx, q, l.viewer, *l.filter)
	p.Predicates = append(filtered, l.predicates...)
	p.Scopes, p.Predicates = query.Within(l.scopes, p.Predicates)
	return p, len(p.Scopes) > 0, err
}

// count returns the total of a plan: without predicates that of the counters.
func (s *Store) count(ctx context.Context, q database.Querier, p query.Plan, counted bool) (int, error) {
	a := q.Args()
	var text string
	if counted && len(p.Predicates) == 0 {
		text = p.CounterSQL(a)
	} else {
		text = p.CountSQL(a, s.dialect)
	}
	return database.QueryOne(ctx, q, database.ScanValue[int], text, a.Values...)
}

// newListing returns the listing of the entities that viewer sees.
func newListing[T any](s *Store, t *entityTable[T], rows func(n int, still condition) reader[T], viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[T] {
	return Listing[T]{store: s, table: t, viewer: viewer, order: order, pagination: pagination, scopes: query.ScopesOf(viewer), rows: rows}
}

// newPlainListing is newListing for entities without fields in other tables.
func newPlainListing[T any](s *Store, t *entityTable[T], viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[T] {
	return newListing(s, t, t.plainRows, viewer, order, pagination)
}
