package linkindex

import (
	"iter"
	"slices"

	"waymark/internal/store/query"
)

// NoScope is the scope of a list or tag that is not active.
const NoScope = -1 << 63

// Kind distinguishes lists and tags, because their ids overlap.
type Kind uint8

// The kinds of labels.
const (
	List Kind = iota
	Tag
)

// Label is the data of a list or tag in the index.
type Label struct {
	Owner int64
	Scope int64  // who sees it: the column visible_to, or NoScope
	Name  string // folded
}

// labels numbers the lists and tags: a number takes half of the memory of an id, and a
// set of them is a bitmap.
type labels struct {
	numbers [2]map[int64]uint32 // by kind and id
	ids     []int64             // by number
	owners  []int64             // by number; 0 if it is not known
	scopes  []int64             // by number: who sees the list or tag
	kinds   []Kind              // by number
	names   []string            // by number: folded; "" if it is not known
	changes uint64              // is increased whenever lists or tags change

	bytesOfNames int
}

func newLabels() labels {
	return labels{numbers: [2]map[int64]uint32{{}, {}}}
}

// number returns the number of a list or tag. It adds an unknown one as not active.
func (l *labels) number(k Kind, id int64) uint32 {
	n, ok := l.numbers[k][id]
	if !ok {
		n = uint32(len(l.scopes))
		l.numbers[k][id] = n
		l.ids = append(l.ids, id)
		l.owners = append(l.owners, 0)
		l.scopes = append(l.scopes, NoScope)
		l.kinds = append(l.kinds, k)
		l.names = append(l.names, "")
	}
	return n
}

func (l *labels) set(k Kind, changed map[int64]Label) {
	for id, label := range changed {
		n := l.number(k, id)
		l.changes++
		l.bytesOfNames += len(label.Name) - len(l.names[n])
		l.owners[n], l.scopes[n], l.names[n] = label.Owner, label.Scope, label.Name
	}
}

// numbered returns the set of the lists or tags with these ids. No link has unknown ones.
func (l *labels) numbered(k Kind, ids []int64) bitmap {
	b := newBitmap(len(l.scopes))
	for _, id := range ids {
		if n, ok := l.numbers[k][id]; ok {
			b.set(int(n))
		}
	}
	return b
}

// visible returns the set of the lists or tags in these scopes whose names satisfy a condition.
func (l *labels) visible(k Kind, scopes []query.Scope, named func(name string) bool) bitmap {
	b := newBitmap(len(l.scopes))
	for n, scope := range l.scopes {
		if l.kinds[n] == k && slices.Contains(scopes, query.Scope(scope)) && named(l.names[n]) {
			b.set(n)
		}
	}
	return b
}

func (l *labels) bytes() int64 {
	const entry = 48 // of a map, in bytes, at most
	return int64(entry*len(l.scopes) + 8*(cap(l.ids)+cap(l.owners)+cap(l.scopes)) + cap(l.kinds) + 16*cap(l.names) + l.bytesOfNames)
}

// labelCounts has a count for each list and tag, by number, in pages of consecutive numbers: the
// lists and tags of a user often have such numbers. A page that is nil has only zeros.
type labelCounts []*[labelPageSize]uint32

const labelPageSize = 64

// add adds n to the count of a list or tag.
func (c *labelCounts) add(number uint32, n int) {
	page := int(number / labelPageSize)
	for len(*c) <= page {
		*c = append(*c, nil)
	}
	if (*c)[page] == nil {
		(*c)[page] = new([labelPageSize]uint32)
	}
	(*c)[page][number%labelPageSize] += uint32(n)
}

// of returns the count of a list or tag.
func (c labelCounts) of(number uint32) int {
	page := int(number / labelPageSize)
	if page >= len(c) || c[page] == nil {
		return 0
	}
	return int(c[page][number%labelPageSize])
}

// atLeast yields the numbers of the lists and tags whose count is n or more.
func (c labelCounts) atLeast(n int) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i, page := range c {
			if page == nil {
				continue
			}
			for j, count := range page {
				if int(count) >= n && !yield(uint32(i*labelPageSize+j)) {
					return
				}
			}
		}
	}
}

func (c labelCounts) bytes() int64 {
	n := 8 * cap(c)
	for _, page := range c {
		if page != nil {
			n += 4 * labelPageSize
		}
	}
	return int64(n)
}
