package linkindex

import (
	"iter"
	"math/bits"
	"slices"
)

// bitmap is a set of positions in a segment.
type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, (n+63)/64) }

func (b bitmap) set(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitmap) clear(i int) { b[i/64] &^= 1 << (i % 64) }

func (b bitmap) has(i int) bool { return b.bit(i) != 0 }

// bit returns 1 if a position is in the set, and 0 otherwise.
func (b bitmap) bit(i int) int { return int(b[uint(i)/64] >> (uint(i) % 64) & 1) }

// empty reports whether no position is in the set.
func (b bitmap) empty() bool {
	return !slices.ContainsFunc(b, func(word uint64) bool { return word != 0 })
}

// only returns the position in the set if there is exactly one.
func (b bitmap) only() (position int, ok bool) {
	for i, word := range b {
		if word == 0 {
			continue
		}
		if ok || word&(word-1) != 0 {
			return 0, false
		}
		position, ok = i*64+bits.TrailingZeros64(word), true
	}
	return position, ok
}

// and removes the positions that are not in other, and returns the number of those left.
func (b bitmap) and(other bitmap) int {
	n := 0
	for i := range b {
		b[i] &= other[i]
		n += bits.OnesCount64(b[i])
	}
	return n
}

// andNot removes the positions that are in other, and returns the number of those left.
func (b bitmap) andNot(other bitmap) int {
	n := 0
	for i := range b {
		b[i] &^= other[i]
		n += bits.OnesCount64(b[i])
	}
	return n
}

// or adds the positions that are in other, which may be nil, and returns the set.
func (b bitmap) or(other bitmap) bitmap {
	for i := range other {
		b[i] |= other[i]
	}
	return b
}

// keep removes the positions that do not satisfy a condition, and counts those left.
func (b bitmap) keep(satisfies func(position int) bool) int {
	n := 0
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			bit := word & -word
			if satisfies(i*64 + bits.TrailingZeros64(word)) {
				n++
			} else {
				b[i] &^= bit
			}
		}
	}
	return n
}

// all yields the positions in the set.
func (b bitmap) all() iter.Seq[int] {
	return func(yield func(position int) bool) {
		for i, word := range b {
			for ; word != 0; word &= word - 1 {
				if !yield(i*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// appendTo appends the set of a segment to positions.
func (b bitmap) appendTo(positions []linkPosition, segment int) []linkPosition {
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			positions = append(positions, newPosition(segment, i*64+bits.TrailingZeros64(word)))
		}
	}
	return positions
}
