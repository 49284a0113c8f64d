package linkindex

import "sort"

// sortedLinks are links of a scope in the order of a listing.
type sortedLinks struct {
	segments  []*segment
	positions []linkPosition
	backward  bool // the first link is the last one of positions
	read      int  // the number of links that merging has read

	// Unless kept is nil, only these links are in the list. Those of a block are found when they
	// are needed: most pages need a few blocks.
	kept   *matches
	counts []int          // of the links in the list up to the end of each block
	block  int            // the block that found is of, plus one
	found  []linkPosition // the elements of kept in that block
}

// blockSize is the number of links in a block.
const blockSize = 512

// keep leaves only matches in the list, and counts at least the first n of them.
func (l *sortedLinks) keep(m *matches, n int) {
	l.kept = m
	total := 0
	for block := 0; total < n; block++ {
		for _, at := range l.positionsOf(block) {
			b := m.segments[at.segment()]
			if b == nil {
				b = m.in(at.segment())
			}
			total += b.bit(at.position())
		}
		l.counts = append(l.counts, total)
	}
}

// positionsOf returns the positions of a block. The first block is at the beginning of the listing.
func (l *sortedLinks) positionsOf(block int) []linkPosition {
	from, to := block*blockSize, min((block+1)*blockSize, len(l.positions))
	if l.backward {
		return l.positions[len(l.positions)-to : len(l.positions)-from]
	}
	return l.positions[from:to]
}

// len returns the number of links, as far as they are counted.
func (l *sortedLinks) len() int {
	switch {
	case l.kept == nil:
		return len(l.positions)
	case len(l.counts) == 0:
		return 0
	}
	return l.counts[len(l.counts)-1]
}

func (l *sortedLinks) at(i int) linkPosition {
	if l.kept == nil {
		return ofListing(l.positions, i, l.backward)
	}
	block := sort.SearchInts(l.counts, i+1)
	if l.block != block+1 {
		l.block, l.found = block+1, l.found[:0]
		for _, at := range l.positionsOf(block) {
			if l.kept.in(at.segment()).has(at.position()) {
				l.found = append(l.found, at)
			}
		}
	}
	if block > 0 {
		i -= l.counts[block-1]
	}
	return ofListing(l.found, i, l.backward)
}

// ofListing returns link i of a listing.
func ofListing(positions []linkPosition, i int, backward bool) linkPosition {
	if backward {
		i = len(positions) - 1 - i
	}
	return positions[i]
}

// link returns the segment and the position of link i.
func (l *sortedLinks) link(i int) (*segment, int) {
	at := l.at(i)
	return l.segments[at.segment()], at.position()
}
