package store

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"waymark/internal/waymark"
)

// Emit receives what a question for a part of a collection found: how many
// entries there are in all, and those of the part, in order. A long part comes
// while it is read from the database, and may end with an error.
type Emit[T any] func(total int, entries iter.Seq2[T, error]) error

// chunk is how many entries are read at a time. A longer part of a collection is
// shown while it is read, in flat memory; a shorter one after its snapshot has
// ended, so that a slow reader holds nothing.
const chunk = 500

// shared is the shelf of what everybody may see.
const shared waymark.UserID = 0

// entityTable says how one kind of entries is kept. Its table is e in every statement.
type entityTable[T any] struct {
	table        string
	columns      string
	scanTargets  func(*T) []any // where a row's columns go
	id           func(*T) int64
	owner        func(*T) waymark.UserID
	orderColumns map[waymark.SortField][]string // the SQL of each order; the id follows always
	name         func(*T) string
	// loader returns what completes entries, for one part of an answer after the other;
	// nil for kinds that are complete by themselves.
	newLoader func() func(ctx context.Context, q querier, viewer waymark.UserID, entries []T) error
}

func (k *entityTable[T]) scan(rows *sql.Rows, entry *T) error {
	return rows.Scan(k.scanTargets(entry)...)
}

// walk is a way through entries of a kind: a walk along an index for each shelf
// that the viewer may see, which are then merged.
type walk struct {
	viewer  waymark.UserID
	shelves []waymark.UserID
	order   waymark.Order
	// count asks how many entries there are on each shelf, where something knows; nil to
	// count them.
	count func(ctx context.Context, q querier) ([]int, error)
	// from is the FROM and WHERE of the entries on a shelf.
	from func(a *args, shelf waymark.UserID) string
	// counted is a cheaper from, good for counting alone; nil for none.
	counted func(a *args, shelf waymark.UserID) string
	// tested is the same entries found another way: along the index of the order,
	// testing each, instead of finding them all and sorting; nil for none.
	tested func(a *args, shelf waymark.UserID) string
	// id is the SQL of an entry's id: e.id, or another table's where that one's
	// index has the order of ids.
	id string
	// along says that from goes along the index of the order.
	along bool
	// view gives the snapshot for a short part, when it is its turn; nil for the usual.
	view func(ctx context.Context, ask func(q querier) error) error
}

// everything walks through all the entries of a table.
func everything(table string, viewer waymark.UserID, order waymark.Order) walk {
	return walk{
		viewer:  viewer,
		shelves: []waymark.UserID{shared, viewer},
		order:   order,
		count: func(ctx context.Context, q querier) ([]int, error) {
			return queryOne(ctx, q, numbers(2), `
				SELECT CAST(coalesce(sum(n) FILTER (WHERE shelf = 0), 0) AS BIGINT), CAST(coalesce(sum(n) FILTER (WHERE shelf <> 0), 0) AS BIGINT)
				FROM counters
				WHERE kind = $1 AND shelf IN (0, $2)`, table, viewer)
		},
		from: func(a *args, shelf waymark.UserID) string {
			return "FROM " + table + " AS e WHERE e.shelf = " + a.add(shelf)
		},
		id:    "e.id",
		along: true,
	}
}

// browse shows a page of a walk.
func browse[T any](ctx context.Context, s *Store, k *entityTable[T], w walk, page waymark.Pagination, show Emit[T]) error {
	var p part
	var entries []T
	view := s.view
	if w.view != nil {
		view = w.view
	}
	err := view(ctx, func(q querier) (err error) {
		if p, err = w.part(ctx, q, page); err != nil || p.n > chunk {
			return err
		}
		if w, err = w.settle(ctx, q, p); err != nil {
			return err
		}
		for some, err := range chunks(ctx, q, k, w, p) {
			if err != nil {
				return err
			}
			entries = some
		}
		return nil
	})
	if err != nil {
		return err
	}
	if p.n <= chunk {
		return show(p.total, plain(entries))
	}
	return s.stream(ctx, func(q querier) error {
		p, err := w.part(ctx, q, page)
		if err != nil {
			return err
		}
		if w, err = w.settle(ctx, q, p); err != nil {
			return err
		}
		return show(p.total, stream(ctx, q, k, w, p))
	})
}

// part is the part of a walk that a page stands for.
func (w walk) part(ctx context.Context, q querier, page waymark.Pagination) (part, error) {
	p := part{offset: page.Offset}
	var err error
	if p.totals, err = w.totals(ctx, q); err != nil {
		return p, err
	}
	for _, n := range p.totals {
		p.total += n
	}
	p.n = max(0, p.total-p.offset)
	if page.Limit != waymark.NoLimit {
		p.n = min(p.n, page.Limit)
	}
	return p, nil
}

// settle chooses how to find the entries of a part, once the totals are known. Finding
// them from their own index brings all of them for each chunk, to be sorted. Along
// the index of the order, entries are tested until there are as many as stand before
// the end of the part, which is soon where many fulfil the test. A shelf on which none
// does would be tested to its end: so it is left out.
func (w walk) settle(ctx context.Context, q querier, p part) (walk, error) {
	if w.tested == nil || p.n == 0 {
		return w, nil
	}
	seen, err := everything("links", w.viewer, w.order).count(ctx, q)
	if err != nil {
		return w, err
	}
	end := min(p.offset, p.total-p.offset-p.n) + p.n
	sorted := float64(p.total) * float64((p.n+chunk-1)/chunk)
	tested := 0.0
	var shelves []waymark.UserID
	for i, n := range p.totals {
		if n > 0 {
			shelves = append(shelves, w.shelves[i])
			tested += float64(seen[i]) * min(1, float64(end)/float64(n))
		}
	}
	w.shelves = shelves
	if tested < sorted {
		w.from, w.id, w.along = w.tested, "e.id", true
	}
	return w, nil
}

// totals are how many entries of the walk there are on each shelf.
func (w walk) totals(ctx context.Context, q querier) ([]int, error) {
	if w.count != nil {
		return w.count(ctx, q)
	}
	from := w.from
	if w.counted != nil {
		from = w.counted
	}
	a := q.args()
	counts := make([]string, len(w.shelves))
	for i, shelf := range w.shelves {
		counts[i] = "(SELECT count(*) " + from(a, shelf) + ")"
	}
	return queryOne(ctx, q, numbers(len(counts)), "SELECT "+strings.Join(counts, ", "), a.values...)
}

// numbers scans so many of them.
func numbers(n int) func(*sql.Rows, *[]int) error {
	return func(rows *sql.Rows, all *[]int) error {
		*all = make([]int, n)
		places := make([]any, n)
		for i := range places {
			places[i] = &(*all)[i]
		}
		return rows.Scan(places...)
	}
}

// plain yields what is in memory already.
func plain[T any](entries []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, entry := range entries {
			if !yield(entry, nil) {
				return
			}
		}
	}
}

// part is a run of n entries of an ordered total, from offset.
type part struct {
	offset, n, total int
	totals           []int // of each shelf
}

// stream yields the entries of a part one by one.
func stream[T any](ctx context.Context, q querier, k *entityTable[T], w walk, p part) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for some, err := range chunks(ctx, q, k, w, p) {
			if err != nil {
				var zero T
				yield(zero, err)
				return
			}
			for _, entry := range some {
				if !yield(entry, nil) {
					return
				}
			}
		}
	}
}

// chunks reads a part piece by piece: the first by its offset, the others from
// where the one before ended, so that the end costs no more than the beginning.
func chunks[T any](ctx context.Context, q querier, k *entityTable[T], w walk, p part) iter.Seq2[[]T, error] {
	ways := w.ways(q.dialect, k.orderColumns[w.order.By])
	terms := ways[0].terms
	return func(yield func([]T, error) bool) {
		var load func(ctx context.Context, q querier, viewer waymark.UserID, entries []T) error
		if k.newLoader != nil {
			load = k.newLoader()
		}
		var last []any
		for p.n > 0 {
			a := q.args()
			size := min(p.n, chunk)
			text := w.window(a, ways, p, size, last)
			last = make([]any, len(terms))
			entries, err := queryAll(ctx, q, func(rows *sql.Rows, entry *T) error {
				into := k.scanTargets(entry)
				for i := range last {
					into = append(into, &last[i])
				}
				return rows.Scan(into...)
			}, k.join(text, terms, w.order), a.values...)
			if err == nil && len(entries) == 0 {
				err = fmt.Errorf("browse %s: %d entries of %d are missing", k.table, p.n, p.total)
			}
			if err == nil && load != nil {
				err = load(ctx, q, w.viewer, entries)
			}
			if !yield(entries, err) || err != nil {
				return
			}
			p.offset += len(entries)
			p.n -= len(entries)
		}
	}
}

// ways are the walks through each shelf, in an order of those terms and then by id.
func (w walk) ways(d *dialect, terms []string) []way {
	ways := []way{{terms: terms}}
	if w.along {
		ways = d.indexScans(terms)
	}
	for i := range ways {
		ways[i].terms = append(slices.Clone(ways[i].terms), w.id)
	}
	return ways
}

// window is the statement for the ids of a part and the terms of their order,
// from after, where that is known, else by offset, from the nearer end.
func (w walk) window(a *args, ways []way, p part, size int, after []any) string {
	desc, offset := w.order.Desc, p.offset
	if after != nil {
		offset = 0
	} else if fromEnd := p.total - p.offset - size; fromEnd < p.offset {
		desc, offset = !desc, fromEnd
	}
	most := a.add(offset + size)
	var walks []string
	for _, shelf := range w.shelves {
		for _, way := range ways {
			from := w.from(a, shelf)
			if way.only != "" {
				from += " AND " + way.only
			}
			if after != nil {
				from += " AND " + behind(a, way.terms, after, desc)
			}
			ordered := "SELECT " + named(way.terms) + " " + from + " ORDER BY " + directed(way.terms, desc)
			walks = append(walks, "SELECT * FROM ("+a.dialect.limit(ordered, most)+") AS walk"+strconv.Itoa(len(walks)))
		}
	}
	return strings.Join(walks, " UNION ALL ") +
		" ORDER BY " + directed(keys("", ways[0].terms), desc) + " LIMIT " + a.add(size) + " OFFSET " + a.add(offset)
}

// join completes the rows of a window.
func (k *entityTable[T]) join(window string, terms []string, order waymark.Order) string {
	places := keys("p.", terms)
	return "SELECT " + k.columns + ", " + strings.Join(places, ", ") +
		" FROM (" + window + ") AS p CROSS JOIN " + k.table + " AS e WHERE e.id = " + places[len(places)-1] +
		" ORDER BY " + directed(places, order.Desc)
}

// keys are the names that the terms of an order have outside the innermost statement.
func keys(prefix string, terms []string) []string {
	names := make([]string, len(terms))
	for i := range terms {
		names[i] = prefix + "k" + strconv.Itoa(i)
	}
	return names
}

func named(terms []string) string {
	names := keys("", terms)
	for i, term := range terms {
		names[i] = term + " AS " + names[i]
	}
	return strings.Join(names, ", ")
}

func directed(terms []string, desc bool) string {
	if !desc {
		return strings.Join(terms, ", ")
	}
	return strings.Join(terms, " DESC, ") + " DESC"
}

// behind is the condition for rows that come after one with those values. The
// first term stands in it once more, alone, since that is what an index can use.
func behind(a *args, terms []string, values []any, desc bool) string {
	compare := " > "
	if desc {
		compare = " < "
	}
	places := make([]string, len(values))
	for i, v := range values {
		places[i] = a.add(v)
	}
	return terms[0] + compare[:2] + "= " + places[0] +
		" AND (" + strings.Join(terms, ", ") + ")" + compare + "(" + strings.Join(places, ", ") + ")"
}
