package linkindex

import "slices"

// NoScope is the scope of a list or tag that is not active.
const NoScope = -1 << 63

// kind tells lists and tags apart, whose ids overlap.
type kind uint8

const (
	list kind = iota
	tag
)

// labels numbers the lists and tags: a number takes half of the memory of an id, and a
// set of them is a bitmap.
type labels struct {
	numbers [2]map[int64]uint32 // by kind and id
	scopes  []int64             // by number: who sees the list or tag
	kinds   []kind              // by number
}

func newLabels() labels {
	return labels{numbers: [2]map[int64]uint32{{}, {}}}
}

// number returns the number of a list or tag. One that is not known yet is not active.
func (l *labels) number(k kind, id int64) uint32 {
	n, ok := l.numbers[k][id]
	if !ok {
		n = uint32(len(l.scopes))
		l.numbers[k][id] = n
		l.scopes = append(l.scopes, NoScope)
		l.kinds = append(l.kinds, k)
	}
	return n
}

func (l *labels) set(k kind, scopes map[int64]int64) {
	for id, scope := range scopes {
		l.scopes[l.number(k, id)] = scope
	}
}

// numbered returns the set of the lists or tags with these ids. Unknown ids are skipped,
// because no link has them.
func (l *labels) numbered(k kind, ids []int64) bitmap {
	b := newBitmap(len(l.scopes))
	for _, id := range ids {
		if n, ok := l.numbers[k][id]; ok {
			b.set(int(n))
		}
	}
	return b
}

// visible returns the set of the lists or tags in these scopes.
func (l *labels) visible(k kind, scopes []int64) bitmap {
	b := newBitmap(len(l.scopes))
	for n, scope := range l.scopes {
		if l.kinds[n] == k && slices.Contains(scopes, scope) {
			b.set(n)
		}
	}
	return b
}

func (l *labels) bytes() int64 {
	return int64(48*len(l.scopes) + 8*cap(l.scopes) + cap(l.kinds)) // an entry of a map takes up to 48 bytes
}
