package query

import (
	"maps"
	"math"
	"slices"

	"waymark/internal/waymark"
)

// Plan describes how the rows of a listing are found. It is a value: the functions that
// choose a cheaper plan return a changed copy.
//
// A scan starts in one of two ways. With a driver, it reads the rows that satisfy one
// predicate from that predicate's index, and sorts them. Without one, it reads all
// rows of a scope along the index of the sort order and stops when the page is full.
// All other predicates are tested on each row.
type Plan struct {
	Table      string
	Scopes     []Scope     // nil for rows that are in no scope: the trash
	Predicates []Predicate // all of them must be satisfied
	Driver     int         // the index of the driver in Predicates, or NoDriver
	Order      Order
	Desc       bool
}

// NoDriver is the Plan.Driver of a scan along the order.
const NoDriver = -1

// BatchSize is the number of rows that one statement reads.
const BatchSize = 500

// Drivers returns the indexes of the predicates that a scan can start from.
func (p Plan) Drivers() []int {
	var drivers []int
	for i, predicate := range p.Predicates {
		if predicate.driven() {
			drivers = append(drivers, i)
		}
	}
	return drivers
}

// DrivenBy returns the plan that starts from the predicate with that index.
func (p Plan) DrivenBy(driver int) Plan {
	p.Driver = driver
	return p
}

// others returns the predicates that are tested on each row.
func (p Plan) others() []Predicate {
	if p.Driver == NoDriver {
		return p.Predicates
	}
	return slices.Delete(slices.Clone(p.Predicates), p.Driver, p.Driver+1)
}

// inIDOrder reports whether the driver returns rows in the order of the listing
// because that is the order of ids: a list or tag's links are indexed by id.
func (p Plan) inIDOrder() bool {
	return p.Driver != NoDriver && p.Predicates[p.Driver].Kind == InAny && len(p.Predicates[p.Driver].IDs) == 1 && len(p.Order.Columns) == 0
}

// Candidate is a predicate that a scan could start from.
type Candidate struct {
	Driver int // its index in Plan.Predicates
	Rows   int // the number of rows that satisfy it, or an upper bound
}

// Cheapest returns the driver with the fewest rows, the first of equals, or NoDriver if
// there is no candidate.
func Cheapest(candidates []Candidate) int {
	best, fewest := NoDriver, math.MaxInt
	for _, c := range candidates {
		if c.Rows < fewest {
			best, fewest = c.Driver, c.Rows
		}
	}
	return best
}

// Window is the part of a listing that is read: Limit rows after the first Offset, of
// Total rows.
type Window struct {
	Offset, Limit, Total int
}

// NewWindow returns the part that a pagination selects. totals are the matches in each
// scope.
func NewWindow(pagination waymark.Pagination, totals []int) Window {
	w := Window{Offset: pagination.Offset}
	for _, n := range totals {
		w.Total += n
	}
	w.Limit = max(0, w.Total-w.Offset)
	if pagination.Limit != waymark.NoLimit {
		w.Limit = min(w.Limit, pagination.Limit)
	}
	return w
}

// Segment is a part of a window that one plan reads.
type Segment struct {
	Plan   Plan
	Window Window
}

// Segments divides a window into the parts that are listed one after the other: one for
// each group of scopes. Scopes without a match are left out, since a scan along the order
// would read all of their rows.
func (p Plan) Segments(w Window, totals []int) []Segment {
	if p.Scopes == nil {
		return []Segment{{p, w}}
	}
	groups := map[int]*Segment{}
	for i, s := range p.Scopes {
		if totals[i] == 0 {
			continue
		}
		group := 0
		if p.Order.Group != nil {
			group = p.Order.Group(s)
		}
		if groups[group] == nil {
			groups[group] = &Segment{Plan: p}
			groups[group].Plan.Scopes = nil
		}
		groups[group].Plan.Scopes = append(groups[group].Plan.Scopes, s)
		groups[group].Window.Total += totals[i]
	}
	inOrder := slices.Sorted(maps.Keys(groups))
	if p.Desc {
		slices.Reverse(inOrder)
	}
	var segments []Segment
	start := 0 // of the group in the whole listing
	for _, group := range inOrder {
		part := *groups[group]
		part.Window.Offset = max(0, w.Offset-start)
		part.Window.Limit = min(part.Window.Total, w.Offset+w.Limit-start) - part.Window.Offset
		start += part.Window.Total
		if part.Window.Limit > 0 {
			segments = append(segments, part)
		}
	}
	return segments
}

// ForWindow returns the cheaper plan for a window: p, which finds all matching rows
// for each batch and sorts them, or the plan without a driver, which tests rows along
// the order until the window is full.
//
// The cost of a plan is the number of rows that it reads. With the driver, that is all
// matches, once for each batch. Along the order, it is the size of each scope times the
// share of its matches up to the end of the window, counted from the nearer end. totals
// are the numbers of matches in each scope, and sizes the numbers of all rows.
func (p Plan) ForWindow(w Window, totals, sizes []int) Plan {
	if p.Driver == NoDriver || p.inIDOrder() || w.Limit == 0 {
		return p
	}
	batches := (w.Limit + BatchSize - 1) / BatchSize
	sorted := float64(w.Total) * float64(batches)
	end := min(w.Offset, w.Total-w.Offset-w.Limit) + w.Limit
	tested := 0.0
	for i, n := range totals {
		if n > 0 {
			tested += float64(sizes[i]) * min(1, float64(end)/float64(n))
		}
	}
	if tested < sorted {
		p.Driver = NoDriver
	}
	return p
}
