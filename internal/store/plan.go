package store

import (
	"maps"
	"math"
	"slices"

	"waymark/internal/waymark"
)

// plan describes how the rows of a listing are found: it is data, which choosers
// change from counts, and which plan_sql.go renders as SQL.
//
// A scan starts in one of two ways. With a driver, it reads the rows that satisfy one
// predicate from that predicate's index, and sorts them. Without one, it reads all
// rows of a scope along the index of the sort order and stops when the page is full.
// All other predicates are tested on each row.
type plan struct {
	table      string
	scopes     []scope // nil for rows that are in no scope: the trash
	predicates []predicate
	driver     int // the place of the driver in predicates, or noDriver
	order      sortOrder
	desc       bool
}

const noDriver = -1

// batchSize is the number of rows that one statement reads.
const batchSize = 500

// drivers are the places of the predicates that a scan can start from.
func (p plan) drivers() []int {
	var places []int
	for i, predicate := range p.predicates {
		if predicate.driven() {
			places = append(places, i)
		}
	}
	return places
}

// drivenBy returns the plan that starts from the predicate at that place.
func (p plan) drivenBy(place int) plan {
	p.driver = place
	return p
}

// others are the predicates that are tested on each row.
func (p plan) others() []predicate {
	if p.driver == noDriver {
		return p.predicates
	}
	return slices.Delete(slices.Clone(p.predicates), p.driver, p.driver+1)
}

// inIDOrder reports whether the driver returns rows in the order of the listing
// because that is the order of ids: a list or tag's links are indexed by id.
func (p plan) inIDOrder() bool {
	return p.driver != noDriver && p.predicates[p.driver].kind == inAny && len(p.predicates[p.driver].ids) == 1 && len(p.order.columns) == 0
}

// candidate is a predicate that a scan could start from, and how many rows it has at
// most.
type candidate struct {
	place int
	rows  int
}

// cheapest returns the place of the candidate with the fewest rows, the first of
// equals, or noDriver where there is none.
func cheapest(candidates []candidate) int {
	best, fewest := noDriver, math.MaxInt
	for _, c := range candidates {
		if c.rows < fewest {
			best, fewest = c.place, c.rows
		}
	}
	return best
}

// window is the part of a listing that is read: limit rows from offset, of total.
type window struct {
	offset, limit, total int
}

// newWindow returns the part that a pagination selects of the scopes' totals.
func newWindow(pagination waymark.Pagination, totals []int) window {
	w := window{offset: pagination.Offset}
	for _, n := range totals {
		w.total += n
	}
	w.limit = max(0, w.total-w.offset)
	if pagination.Limit != waymark.NoLimit {
		w.limit = min(w.limit, pagination.Limit)
	}
	return w
}

// segment is a part of a window that one plan reads.
type segment struct {
	plan   plan
	window window
}

// segments divides a window into the parts that are listed one after the other: one,
// or one for each group of scopes. Scopes without a match are left out, since a scan
// along the order would read all of their rows.
func (p plan) segments(w window, totals []int) []segment {
	if p.scopes == nil {
		return []segment{{p, w}}
	}
	groups := map[int]*segment{}
	for i, s := range p.scopes {
		if totals[i] == 0 {
			continue
		}
		group := 0
		if p.order.group != nil {
			group = p.order.group(s)
		}
		if groups[group] == nil {
			groups[group] = &segment{plan: p}
			groups[group].plan.scopes = nil
		}
		groups[group].plan.scopes = append(groups[group].plan.scopes, s)
		groups[group].window.total += totals[i]
	}
	inOrder := slices.Sorted(maps.Keys(groups))
	if p.desc {
		slices.Reverse(inOrder)
	}
	var segments []segment
	start := 0 // of the group in the whole listing
	for _, group := range inOrder {
		part := *groups[group]
		part.window.offset = max(0, w.offset-start)
		part.window.limit = min(part.window.total, w.offset+w.limit-start) - part.window.offset
		start += part.window.total
		if part.window.limit > 0 {
			segments = append(segments, part)
		}
	}
	return segments
}

// forWindow returns the cheaper plan for a window: p, which finds all matching rows
// for each batch and sorts them, or the plan without a driver, which tests rows along
// the order until the window is full.
//
// The cost of both is the number of rows that are looked at. Along the order, that is
// the size of each scope times the share of its matches up to the end of the window,
// counted from the nearer end. totals are the matches in each scope, and sizes are all
// rows in it.
func (p plan) forWindow(w window, totals, sizes []int) plan {
	if p.driver == noDriver || p.inIDOrder() || w.limit == 0 {
		return p
	}
	batches := (w.limit + batchSize - 1) / batchSize
	sorted := float64(w.total) * float64(batches)
	end := min(w.offset, w.total-w.offset-w.limit) + w.limit
	tested := 0.0
	for i, n := range totals {
		if n > 0 {
			tested += float64(sizes[i]) * min(1, float64(end)/float64(n))
		}
	}
	if tested < sorted {
		p.driver = noDriver
	}
	return p
}
