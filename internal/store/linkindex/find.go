package linkindex

import (
	"crypto/sha256"
	"encoding/json"
	"slices"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Query selects links and a part of them.
type Query struct {
	// Groups are the scopes to search in. The groups follow each other, in reverse if the order is
	// descending. For an order by visibility, each scope is a group, and Order sorts the links of a
	// group by id.
	Groups [][]int64

	// Where are the conditions, all of which a link must satisfy.
	Where []query.Predicate

	Order      waymark.Order
	Pagination waymark.Pagination

	// Words are what waymark.SortByRelevance sorts by. They are no condition.
	Words []Word
}

// Key returns a key for a cache: queries with the same key have the same result until links, lists or
// tags change. It is "" for a query that depends on other changes, too. The query has no LinkIDs yet.
func (q Query) Key() string {
	if slices.ContainsFunc(q.Where, query.Predicate.DependsOnOthers) {
		return ""
	}
	key, err := json.Marshal(q) // a fifth of the time of fmt
	if err != nil {
		panic(err) // a query has only numbers and texts
	}
	if len(key) > maxKey {
		sum := sha256.Sum256(key)
		return string(sum[:])
	}
	return string(key)
}

// maxKey is the length from which on a key is replaced by its hash: the sublists of a list can be thousands of ids.
const maxKey = 1000

// SelectsUnion reports whether a condition is that links are in one of several lists, or have one of several tags, which
// takes more time to find than one.
func (q Query) SelectsUnion() bool {
	return slices.ContainsFunc(q.Where, func(p query.Predicate) bool { return p.Kind == query.InAny && len(p.IDs) > 1 })
}

// Result is the result of a Query.
type Result struct {
	Total int     // the number of links that satisfy the query
	IDs   []int64 // the ids that the pagination selects, in order
}

// Find returns the links that satisfy a query.
func (x *Index) Find(q Query) Result {
	if q.Order.By == waymark.SortByVisibility || q.Order.By == waymark.SortByPrivate {
		q.Order.By = waymark.SortByID // within a group
	}
	var found [][]*matches
	total := 0
	p := &preparing{index: x}
	for _, scopes := range q.Groups {
		var group []*matches
		for _, s := range x.existing(scopes) {
			if m := x.match(s, p, q); m.total > 0 {
				group = append(group, m)
				total += m.total
			}
		}
		found = append(found, group)
	}
	offset, limit := min(q.Pagination.Offset, total), total-min(q.Pagination.Offset, total)
	if q.Pagination.Limit != waymark.NoLimit {
		limit = min(limit, q.Pagination.Limit)
	}
	result := Result{Total: total}
	if q.Order.By == waymark.SortByRelevance {
		if len(q.Words) > 0 && total <= maxRanked {
			result.IDs = x.bestMatches(slices.Concat(found...), q.Words, offset, offset+limit)
			return result
		}
		q.Order = newestFirst
	}
	if q.Order.Desc {
		slices.Reverse(found)
	}
	start := 0 // of the group in the whole listing
	for _, group := range found {
		n := 0
		for _, m := range group {
			n += m.total
		}
		from, to := max(offset-start, 0), min(offset+limit-start, n)
		if from < to {
			result.IDs = window(result.IDs, group, n, q.Order, from, to)
		}
		start += n
	}
	return result
}

// Count returns the number of links that satisfy a query, without order and pagination.
func (x *Index) Count(q Query) int {
	total := 0
	p := &preparing{index: x}
	for _, s := range x.existing(slices.Concat(q.Groups...)) {
		total += x.match(s, p, q).total
	}
	return total
}

// matches are the links of a scope that satisfy a query.
type matches struct {
	scope    *scope
	all      bool     // all links of the scope satisfy it
	segments []bitmap // by segment, unless all is set
	total    int

	// label is the condition if the query consists only of a condition on one list or tag. The
	// number of its links is known, so a segment is searched only when its bitmap is needed; until
	// then the bitmap is nil.
	label condition
}

// match finds the links of a scope that satisfy a query.
func (x *Index) match(s *scope, p *preparing, q Query) *matches {
	m := &matches{scope: s}
	where := p.all(s, q.Where)
	switch {
	case isEvery(where):
		m.all, m.total = true, s.live
		return m
	case isNone(where):
		return m
	}
	m.segments = make([]bitmap, len(s.segments))
	if total, ok := s.totalOf(where); ok {
		m.label, m.total = where, total
		return m
	}
	for i, seg := range s.segments {
		var n int
		m.segments[i], n = seg.match(i, where)
		m.total += n
	}
	return m
}

// totalOf returns the number of links of a condition on one list or tag. Others are not ok.
func (s *scope) totalOf(c condition) (total int, ok bool) {
	switch c := c.(type) {
	case negation:
		total, ok = s.totalOf(c.condition)
		return s.live - total, ok
	case labeling:
		only, ok := c.labels.only()
		return s.labeled.of(uint32(only)), ok
	}
	return 0, false
}

// in returns the matches in a segment.
func (m *matches) in(segment int) bitmap {
	if m.all {
		return m.scope.segments[segment].alive
	}
	if m.segments[segment] == nil {
		m.segments[segment], _ = m.scope.segments[segment].match(segment, m.label)
	}
	return m.segments[segment]
}

// satisfiesLabel reports whether a link satisfies the condition on its label.
func (m *matches) satisfiesLabel(at linkPosition) bool {
	seg := m.scope.segments[at.segment()]
	if not, ok := m.label.(negation); ok {
		return !not.condition.(labeling).satisfies(seg, at.position())
	}
	return m.label.(labeling).satisfies(seg, at.position())
}

// located returns which links of a scope have some ids, by segment.
func (x *Index) located(s *scope, ids []int64) located {
	found := make([]bitmap, len(s.segments))
	for i, seg := range s.segments {
		found[i] = newBitmap(seg.len())
	}
	for _, id := range ids {
		if at, ok := x.locationOf(id); ok && x.scopes[at.scope-1] == s {
			found[at.segment()].set(at.position())
		}
	}
	return found
}

// match returns the matching links of the segment at a position of its scope, and their number.
func (s *segment) match(at int, where condition) (bitmap, int) {
	found := slices.Clone(s.alive)
	n := where.keep(at, s, found, s.len()-s.dead)
	return found, n
}

// costOfLabels is the time to read the labels of one link, in that to read one in sequence.
const costOfLabels = 4
