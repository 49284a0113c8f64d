package store

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"math"
	"slices"

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
	withSQL    bool                // do not use the search index
	scansTexts bool                // reads texts of many entities, so that it needs a permit for searches
	uncounted  bool                // the total is the number of entities that are read
	empty      bool                // nothing can satisfy the predicates

	whole  wholeEntity[T]
	reader func(n int) reader[T] // returns the reader of n entities
}

// Page returns the part that the pagination selects, all of it in memory.
func (l Listing[T]) Page(ctx context.Context) (Page[T], error) {
	page, err := l.pageInMemory(ctx)
	if !errors.Is(err, errLargePiece) {
		return page, err
	}
	err = l.streamInPieces(ctx, func(total int, entities iter.Seq2[T, error]) error {
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
// entities, or of more than about 1 MiB, is read while emit iterates over it, and can end
// with waymark.ErrUnavailable if emit is slow and other streams wait.
func (l Listing[T]) Stream(ctx context.Context, emit Emit[T]) error {
	page, err := l.pageInMemory(ctx)
	switch {
	case err == nil:
		return emit(page.Total, sequence(page.Entities))
	case errors.Is(err, errLargePiece):
		return l.streamInPieces(ctx, emit)
	}
	return err
}

// streamInPieces is Stream for a part that pageInMemory does not read. It has a transaction of its own, so
// it finds the ids again in its snapshot.
func (l Listing[T]) streamInPieces(ctx context.Context, emit Emit[T]) error {
	return l.retry(func(l Listing[T]) error {
		return l.store.db.StreamTx(ctx, int64(l.viewer), func(q database.Querier) error {
			var total int
			var ids []int64
			if err := l.search(ctx, func() (err error) {
				total, ids, err = l.find(ctx, q)
				return err
			}); err != nil {
				return err
			}
			return emit(total, oneByOne(readPieces(ctx, q, l.viewer, ids, l.reader(len(ids)))))
		})
	})
}

// pageInMemory reads a part of at most 500 entities, or returns errLargePiece.
func (l Listing[T]) pageInMemory(ctx context.Context) (page Page[T], err error) {
	if l.isFirstPage() {
		if page, err = l.firstPage(ctx); err != nil || len(page.Entities) > 0 {
			return page, err
		}
	}
	err = l.search(ctx, func() error {
		page, err = l.readPage(ctx)
		return err
	})
	return page, err
}

func (l Listing[T]) readPage(ctx context.Context) (page Page[T], err error) {
	if page, ok, err := l.indexedPage(ctx); ok || err != nil {
		return page, err
	}
	err = l.retry(func(l Listing[T]) error {
		return l.store.db.ReadTx(ctx, int64(l.viewer), func(q database.Querier) error {
			total, ids, err := l.atMost(query.BatchSize+1).find(ctx, q)
			if err != nil {
				return err
			}
			if len(ids) > query.BatchSize {
				return errLargePiece
			}
			page = Page[T]{Total: total}
			if len(ids) > 0 {
				page.Entities, err = l.reader(len(ids))(ctx, q, l.viewer, ids)
			}
			if err == nil && len(page.Entities) != len(ids) {
				return errMissingRows
			}
			return err
		})
	})
	return page, err
}

// indexedPage reads a page of links that the index finds. One statement reads the rows, and
// whether the database is still at the snapshot of the index. ok is false if it is not, or
// if the page needs several statements.
func (l Listing[T]) indexedPage(ctx context.Context) (page Page[T], ok bool, err error) {
	if !l.useIndex() || l.hasNames() || l.pagination.Limit == waymark.NoLimit || l.pagination.Limit > maxLinksByID {
		return page, false, nil
	}
	at, ok := l.store.index.Current()
	if !ok {
		return page, false, nil
	}
	q := l.store.db.Querier()
	p, ok, err := l.plan(ctx, q)
	if err != nil || !ok {
		return page, false, err
	}
	iq := l.store.indexQuery(p, l.order, l.pagination)
	// The log of changes has those of snapshots, so the last statement notices them, too.
	if err := l.store.findSnapshots(ctx, q, &iq); err != nil {
		return page, false, err
	}
	found, err := l.store.index.Find(at, iq)
	if err != nil {
		return page, false, nil //nolint:nilerr // another search has applied newer changes
	}
	a := q.Args()
	unchanged := at.UnchangedSQL(a, l.store.db.Kind())
	if len(found.IDs) == 0 {
		ok, err = database.QueryOne(ctx, q, database.ScanValue[bool], `SELECT `+unchanged, a.Values...)
		return Page[T]{Total: found.Total}, ok, err
	}
	scan := l.yielding(l.table.scanInto(&pieceSize{single: len(found.IDs) == 1}, l.whole, &ok))
	text := l.table.byIDSQL(a, l.whole.selected(a, l.viewer)+`, `+unchanged, found.IDs)
	entities, err := inOrder(found.IDs, l.table.idOf, database.QueryEach(ctx, q, scan, text, a.Values...))
	return Page[T]{found.Total, entities}, ok && len(entities) == len(found.IDs), err
}

// yieldRows is the number of rows that a search reads before it lets others use the processor.
const yieldRows = 8

// yielding returns scan, which lets others use the processor after every few rows of a search.
func (l Listing[T]) yielding(scan func(*sql.Rows, *T) error) func(*sql.Rows, *T) error {
	if l.filter == nil {
		return scan
	}
	rows := 0
	return func(r *sql.Rows, entity *T) error {
		if rows++; rows%yieldRows == 0 {
			l.store.db.YieldProcessor()
		}
		return scan(r, entity)
	}
}

// hasNames reports whether the filter has names of lists or tags. The log of changes does
// not contain changes of names.
func (l Listing[T]) hasNames() bool {
	if l.filter == nil {
		return false
	}
	f := l.filter
	return slices.ContainsFunc(slices.Concat(f.Lists, f.Tags, f.ExcludeLists, f.ExcludeTags), func(r waymark.Ref) bool { return r.ID == 0 })
}

// maxIndexAttempts is how often a listing tries to find the index at its own snapshot.
const maxIndexAttempts = 20

// retry runs a read transaction again while other searches bring the index to newer
// snapshots, and in the end without the index.
func (l Listing[T]) retry(read func(l Listing[T]) error) error {
	for range maxIndexAttempts {
		if err := read(l); !errors.Is(err, searchindex.ErrMoved) {
			return err
		}
	}
	l.withSQL = true
	return read(l)
}

// atMost returns the listing with a pagination of at most n entities.
func (l Listing[T]) atMost(n int) Listing[T] {
	if l.pagination.Limit == waymark.NoLimit || l.pagination.Limit > n {
		l.pagination.Limit = n
	}
	return l
}

// search calls read, with a permit for searches if the listing is one.
func (l Listing[T]) search(ctx context.Context, read func() error) error {
	if l.filter != nil || l.scansTexts {
		return l.store.db.Search(ctx, int64(l.viewer), read)
	}
	return read()
}

// find returns the total of the listing, and the ids of the part that the pagination
// selects, in order. It must be the first to read in the transaction.
func (l Listing[T]) find(ctx context.Context, q database.Querier) (total int, ids []int64, err error) {
	indexed := l.useIndex()
	var at searchindex.Snapshot
	if indexed {
		if at, indexed, err = l.store.index.Sync(ctx, q); err != nil {
			return 0, nil, err
		}
	}
	p, ok, err := l.plan(ctx, q)
	if err != nil || !ok {
		return 0, nil, err
	}
	if indexed {
		iq := l.store.indexQuery(p, l.order, l.pagination)
		if err := l.store.findSnapshots(ctx, q, &iq); err != nil {
			return 0, nil, err
		}
		found, err := l.store.index.Find(at, iq)
		return found.Total, found.IDs, err
	}
	if l.uncounted {
		ids, err = l.store.idsOf(ctx, q, p, query.NewWindow(l.pagination, math.MaxInt32))
		return len(ids), ids, err
	}
	return l.store.findIDs(ctx, q, p, l.table.counted, l.pagination)
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

// useIndex reports whether the search index finds the entities, if there is one: it has all
// listings of active links.
func (l Listing[T]) useIndex() bool {
	return !l.withSQL && l.table.name == links.name && l.scopes != nil
}

// isFirstPage reports whether the listing is one of the first pages of all lists, all tags,
// or all links in an order that an index of the table has. One statement reads it, which
// does not wait for searches.
func (l Listing[T]) isFirstPage() bool {
	return l.table.counted && l.scopes != nil && l.filter == nil && len(l.predicates) == 0 &&
		(l.table.name != links.name || l.order.By == waymark.SortByID || l.order.By == waymark.SortByCreatedAt) &&
		l.pagination.Limit != waymark.NoLimit && l.pagination.Limit <= maxFirstRows && l.pagination.Offset <= maxFirstRows-l.pagination.Limit
}

// maxFirstRows is the number of rows that the first pages have.
const maxFirstRows = 500

// firstPage reads a page in one statement. It returns an empty page, without a total, if
// there are no entities on the page.
func (l Listing[T]) firstPage(ctx context.Context) (page Page[T], err error) {
	q := l.store.db.Querier()
	p, _, err := l.plan(ctx, q)
	if err != nil {
		return page, err
	}
	a := q.Args()
	w := query.Window{Offset: l.pagination.Offset, Limit: l.pagination.Limit, Total: math.MaxInt}
	text := p.PageSQL(a, l.store.dialect, l.whole.selected(a, l.viewer), w)
	scan := l.table.scanInto(&pieceSize{single: w.Limit == 1}, l.whole, &page.Total)
	page.Entities, err = database.QueryAll(ctx, q, scan, text, a.Values...)
	return page, err
}

// plan returns the plan of the listing. ok is false if the listing is empty because
// nothing can satisfy the filter or the predicates.
func (l Listing[T]) plan(ctx context.Context, q database.Querier) (p query.Plan, ok bool, err error) {
	p = query.Plan{
		Table:      l.table.name,
		Scopes:     l.scopes,
		Predicates: l.predicates,
		Order:      l.table.order[l.order.By],
		Desc:       l.order.Desc,
	}
	if l.filter == nil {
		return p, !l.empty, nil
	}
	p.Scopes = query.FilterScopes(l.scopes, *l.filter)
	p.Predicates, ok, err = filterPredicates(ctx, q, l.viewer, *l.filter)
	return p, ok && len(p.Scopes) > 0, err
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
func newListing[T any](s *Store, t *entityTable[T], whole wholeEntity[T], reader func(n int) reader[T], viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[T] {
	return Listing[T]{
		store: s, table: t, viewer: viewer, order: order, pagination: pagination, scopes: query.ScopesOf(viewer),
		whole: whole, reader: reader,
	}
}

// newPlainListing is newListing for entities without fields in other tables.
func newPlainListing[T any](s *Store, t *entityTable[T], viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[T] {
	read := t.byID(t.whole())
	return newListing(s, t, t.whole(), func(int) reader[T] { return read }, viewer, order, pagination)
}
