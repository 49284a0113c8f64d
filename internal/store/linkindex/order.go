package linkindex

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"sync"

	"waymark/internal/waymark"
)

// orders has the links of a scope sorted by each field that a query has needed.
type orders struct {
	mu      sync.Mutex // queries run at the same time
	byField map[waymark.SortField][]linkPosition
}

// positions returns the links sorted by a field. The caller must not change the result.
func (o *orders) positions(s *scope, field waymark.SortField) []linkPosition {
	return o.make(s, field, 1)
}

// prepare makes an order with two goroutines.
func (o *orders) prepare(s *scope, field waymark.SortField) { o.make(s, field, 2) }

func (o *orders) make(s *scope, field waymark.SortField, goroutines int) []linkPosition {
	o.mu.Lock()
	defer o.mu.Unlock()
	sorted, ok := o.byField[field]
	if !ok {
		if o.byField == nil {
			o.byField = map[waymark.SortField][]linkPosition{}
		}
		sorted = s.sorted(field, goroutines)
		o.byField[field] = sorted
	}
	return sorted
}

// fewChanges is the maximum number of links that are removed from an order one by one. For more
// links, one pass over the order is faster.
const fewChanges = 32

// remove removes links from the orders. Their texts must still be in the segments.
func (o *orders) remove(s *scope, removed []linkPosition) {
	for field, sorted := range o.byField {
		if len(removed) > fewChanges {
			o.byField[field] = slices.DeleteFunc(sorted, func(at linkPosition) bool {
				return !s.segments[at.segment()].alive.has(at.position())
			})
			continue
		}
		for _, at := range removed {
			if i, ok := slices.BinarySearchFunc(sorted, at, s.compare(field)); ok {
				sorted = slices.Delete(sorted, i, i+1)
			}
		}
		o.byField[field] = sorted
	}
}

// add adds links to the orders.
func (o *orders) add(s *scope, added []linkPosition) {
	for field, sorted := range o.byField {
		compare := s.compare(field)
		o.byField[field] = merge(sorted, slices.SortedFunc(slices.Values(added), compare), compare)
	}
}

// merge merges two sorted slices into the first one. It finds the position of each element of the
// second slice, which is short, and moves the elements between them.
func merge(a, b []linkPosition, compare func(a, b linkPosition) int) []linkPosition {
	end := len(a) // of what is not moved yet
	a = append(a, b...)
	for j, added := range slices.Backward(b) {
		at, _ := slices.BinarySearchFunc(a[:end], added, compare)
		copy(a[at+j+1:], a[at:end])
		a[at+j] = added
		end = at
	}
	return a
}

// move changes the positions of the links of a segment that was compacted.
func (o *orders) move(segment int, positions []uint16) {
	for _, sorted := range o.byField {
		for i, at := range sorted {
			if at.segment() == segment {
				sorted[i] = newPosition(segment, int(positions[at.position()]))
			}
		}
	}
}

func (o *orders) bytes() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for _, sorted := range o.byField {
		n += 4 * cap(sorted)
	}
	return int64(n)
}

// compare returns the function that compares two links of the scope by a field and id.
func (s *scope) compare(field waymark.SortField) func(a, b linkPosition) int {
	compare := comparison(field)
	return func(a, b linkPosition) int {
		return compare(s.segments[a.segment()], a.position(), s.segments[b.segment()], b.position())
	}
}

// comparison returns the function that compares two links by a field, and then by id.
func comparison(field waymark.SortField) func(a *segment, i int, b *segment, j int) int {
	if text, ok := textOf(field); ok {
		return func(a *segment, i int, b *segment, j int) int {
			if c := compareTexts(a.texts[text].record(i), b.texts[text].record(j)); c != 0 {
				return c
			}
			return cmp.Compare(a.ids.at(i), b.ids.at(j))
		}
	}
	key := keyOf(field)
	return func(a *segment, i int, b *segment, j int) int {
		if c := cmp.Compare(key(a, i), key(b, j)); c != 0 {
			return c
		}
		return cmp.Compare(a.ids.at(i), b.ids.at(j))
	}
}

// compareTexts compares two records by the folded text, then by the original.
func compareTexts(a, b []byte) int {
	if bytes.Equal(a, b) {
		return 0
	}
	foldedA, foldedB := a[:bytes.IndexByte(a, textEnd)], b[:bytes.IndexByte(b, textEnd)]
	if c := bytes.Compare(foldedA, foldedB); c != 0 {
		return c
	}
	return bytes.Compare(originalOf(a), originalOf(b))
}

// textOf returns the text that a field sorts by.
func textOf(field waymark.SortField) (int, bool) {
	switch field {
	case waymark.SortByURL:
		return urlText, true
	case waymark.SortByTitle:
		return titleText, true
	case waymark.SortByDescription:
		return descriptionText, true
	}
	return 0, false
}

// keyOf returns the function for the number that a field sorts by, always 0 for the id.
func keyOf(field waymark.SortField) func(s *segment, position int) int64 {
	switch field {
	case waymark.SortByStatus:
		return func(s *segment, i int) int64 { return int64(s.status(i)) }
	case waymark.SortByCheckDisabled:
		return func(s *segment, i int) int64 { return int64(s.flags[i] & checkDisabled) }
	case waymark.SortByCreatedAt:
		return func(s *segment, i int) int64 { return s.created.at(i) }
	case waymark.SortByUpdatedAt:
		return func(s *segment, i int) int64 { return s.updated.at(i) }
	}
	return func(*segment, int) int64 { return 0 }
}

// sorted returns all links sorted by a field, which takes one or two goroutines.
func (s *scope) sorted(field waymark.SortField, goroutines int) []linkPosition {
	keyed := make([]keyedPosition, 0, s.live)
	text, isText := textOf(field)
	key := keyOf(field)
	for i, seg := range s.segments {
		for position := range seg.len() {
			if !seg.alive.has(position) {
				continue
			}
			k := keyedPosition{linkPosition: newPosition(i, position)}
			if isText {
				k.key = eightBytes(seg.texts[text].record(position), 0)
			} else {
				k.key = uint64(key(seg, position)) ^ 1<<63 // negative numbers come first
			}
			keyed = append(keyed, k)
		}
	}
	sort := func(keyed []keyedPosition) { s.sortByNumber(keyed) }
	if isText {
		sort = func(keyed []keyedPosition) { s.sortByText(keyed, text, 0, s.compare(field)) }
	}
	var sorting sync.WaitGroup
	n := 0 // the number of links that another goroutine sorts
	if goroutines > 1 {
		n = partition(keyed)
		sorting.Go(func() { sort(keyed[:n]) })
	}
	sort(keyed[n:])
	sorting.Wait()
	positions := make([]linkPosition, len(keyed))
	for i, k := range keyed {
		positions[i] = k.linkPosition
	}
	return positions
}

// partition moves the links with keys below about the median to the beginning, and counts them.
func partition(keyed []keyedPosition) (n int) {
	var sample []uint64
	for i := 0; i < len(keyed); i += 1 + len(keyed)/partitionSample {
		sample = append(sample, keyed[i].key)
	}
	if len(sample) == 0 {
		return 0
	}
	slices.Sort(sample)
	median := sample[len(sample)/2]
	for i := range keyed {
		if keyed[i].key < median {
			keyed[n], keyed[i] = keyed[i], keyed[n]
			n++
		}
	}
	return n
}

// partitionSample is the number of links whose median partition uses.
const partitionSample = 100

// keyedPosition is a link and a number that it is sorted by.
type keyedPosition struct {
	key uint64
	linkPosition
}

// sortByNumber sorts links by their key, and then by id.
func (s *scope) sortByNumber(keyed []keyedPosition) {
	compare := s.compare(waymark.SortByID)
	slices.SortFunc(keyed, func(a, b keyedPosition) int {
		if c := cmp.Compare(a.key, b.key); c != 0 {
			return c
		}
		return compare(a.linkPosition, b.linkPosition)
	})
}

// sortByText sorts links by the folded text from its byte start on: first by the next
// eight bytes, as one number, which is their key, then each run of equal numbers by the bytes
// after them. Numbers next to each other in memory are compared much faster than texts.
func (s *scope) sortByText(keyed []keyedPosition, text, start int, compare func(a, b linkPosition) int) {
	if len(keyed) <= 16 {
		slices.SortFunc(keyed, func(a, b keyedPosition) int { return compare(a.linkPosition, b.linkPosition) })
		return
	}
	slices.SortFunc(keyed, func(a, b keyedPosition) int { return cmp.Compare(a.key, b.key) })
	for begin := 0; begin < len(keyed); {
		end := begin + 1
		for end < len(keyed) && keyed[end].key == keyed[begin].key {
			end++
		}
		switch run := keyed[begin:end]; {
		case len(run) == 1:
		case keyed[begin].key&0xFF == 0: // the texts end here, and are equal
			slices.SortFunc(run, func(a, b keyedPosition) int { return compare(a.linkPosition, b.linkPosition) })
		default:
			for i, k := range run {
				run[i].key = eightBytes(s.segments[k.segment()].texts[text].record(k.position()), start+8)
			}
			s.sortByText(run, text, start+8, compare)
		}
		begin = end
	}
}

// eightBytes returns the bytes of a record's text from start on as a number that sorts
// like them. Missing ones are 0, which no text has.
func eightBytes(record []byte, start int) uint64 {
	var b [8]byte
	text := record[start:]
	if end := bytes.IndexByte(text[:min(8, len(text))], textEnd); end >= 0 {
		text = text[:end]
	}
	copy(b[:], text)
	return binary.BigEndian.Uint64(b[:])
}
