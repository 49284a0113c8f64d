package linkindex

import (
	"slices"

	"waymark/internal/waymark"
)

// best keeps the first elements in an order.
type best[T any] struct {
	max     int // how many are kept
	compare func(a, b T) int
	all     []T  // up to twice as many
	full    bool // all were cut: only what is before worst is kept
	worst   T
}

func (b *best[T]) add(e T) {
	if b.max == 0 || b.full && b.compare(e, b.worst) > 0 {
		return
	}
	if b.all = append(b.all, e); len(b.all)/2 >= b.max {
		b.sorted()
	}
}

// sorted sorts the elements, leaves only the first ones, and returns them.
func (b *best[T]) sorted() []T {
	slices.SortFunc(b.all, b.compare)
	if b.max > 0 && len(b.all) >= b.max {
		b.all = b.all[:b.max]
		b.worst, b.full = b.all[b.max-1], true
	}
	return b.all
}

// endOf returns how many elements there are up to the end of a page, if there are so many.
func endOf(p waymark.Pagination) int {
	const all = 1 << 62
	if p.Limit == waymark.NoLimit || p.Offset > all-p.Limit {
		return all
	}
	return p.Offset + p.Limit
}
