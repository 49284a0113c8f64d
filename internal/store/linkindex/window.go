package linkindex

import (
	"math/bits"
	"slices"

	"waymark/internal/waymark"
)

// window appends the ids of the links from one position to another in the sorted matches
// of several scopes, which are total links.
func window(ids []int64, group []*matches, total int, order waymark.Order, from, to int) []int64 {
	backward := total-to < from // the end is nearer than the beginning
	if backward {
		from, to = total-to, total-from
	}
	merged := merging{desc: order.Desc != backward, compare: comparison(order.By)}
	for _, m := range group {
		merged.lists = append(merged.lists, m.first(to, order.By, merged.desc))
	}
	start := len(ids)
	ids = slices.Grow(ids, to-from)
	merged.skip(from)
	for range to - from {
		seg, position := merged.next()
		ids = append(ids, seg.ids.at(position))
	}
	if backward {
		slices.Reverse(ids[start:])
	}
	return ids
}

// first returns at least the first n matches in an order, or all of them.
func (m *matches) first(n int, by waymark.SortField, desc bool) sortedLinks {
	s := m.scope
	if m.all {
		return sortedLinks{segments: s.segments, positions: s.orders.positions(s, by), backward: desc}
	}
	n = min(n, m.total)
	reading := s.live / m.total * n
	// Sorting compares each match with some others. Reading in order tests links until n of them
	// match. The order may have to be made first, but only once.
	sorting := m.total * bits.Len(uint(m.total)) * costOfComparing
	if sorting < reading && m.label == nil {
		positions := make([]linkPosition, 0, m.total)
		for i, b := range m.segments {
			positions = b.appendTo(positions, i)
		}
		slices.SortFunc(positions, s.compare(by))
		return sortedLinks{segments: s.segments, positions: positions, backward: desc}
	}
	all := sortedLinks{segments: s.segments, positions: s.orders.positions(s, by), backward: desc}
	if m.label == nil || reading > segmentSize/costOfLabels {
		all.keep(m, n)
		return all
	}
	positions := make([]linkPosition, 0, n)
	for i := 0; len(positions) < n; i++ {
		if at := all.at(i); m.satisfiesLabel(at) {
			positions = append(positions, at)
		}
	}
	return sortedLinks{segments: s.segments, positions: positions}
}

// costOfComparing is the time of comparing two links, relative to testing one.
const costOfComparing = 16

// merging reads several sorted lists of links as one.
type merging struct {
	lists   []sortedLinks
	desc    bool
	compare func(a *segment, i int, b *segment, j int) int
}

// before reports whether link i of one list comes before link j of another.
func (m *merging) before(a *sortedLinks, i int, b *sortedLinks, j int) bool {
	segmentA, positionA := a.link(i)
	segmentB, positionB := b.link(j)
	c := m.compare(segmentA, positionA, segmentB, positionB)
	return c < 0 != m.desc
}

// next reads the next link. There must be one.
func (m *merging) next() (*segment, int) {
	var first *sortedLinks
	for i := range m.lists {
		l := &m.lists[i]
		if l.read < l.len() && (first == nil || m.before(l, l.read, first, first.read)) {
			first = l
		}
	}
	first.read++
	return first.link(first.read - 1)
}

// skip skips n links without reading each of them. It looks n/k links ahead in each of k lists. If
// that link comes first in a list, the links of the list are among the next n.
func (m *merging) skip(n int) {
	for n > 0 {
		step := max(1, n/len(m.lists))
		var first *sortedLinks
		last := 0
		for i := range m.lists {
			l := &m.lists[i]
			ahead := min(l.read+step, l.len()) - 1
			if ahead >= l.read && (first == nil || m.before(l, ahead, first, last)) {
				first, last = l, ahead
			}
		}
		n -= last + 1 - first.read
		first.read = last + 1
	}
}
