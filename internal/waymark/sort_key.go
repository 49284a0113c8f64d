package waymark

import (
	"bytes"
	"cmp"
	"strings"
	"sync"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// maxSortKey limits a key to about 250 letters, in bytes. PostgreSQL's indexes do not take much longer ones.
const maxSortKey = 512

// sorter makes keys, in one goroutine. Making one takes as long as a thousand keys.
type sorter struct {
	collator *collate.Collator
	buffer   collate.Buffer // 4 KB
}

var sorters = sync.Pool{New: func() any {
	return &sorter{collator: collate.New(language.Und, collate.Loose, collate.Numeric)}
}}

// SortKey returns the key by which names and titles are sorted: the bytes of keys are in the order of a dictionary,
// that of UTS #10 with the root collation. Numbers are sorted by their value. Texts that differ in accents or case
// have one key; see CompareNames.
func SortKey(s string) []byte {
	m := sorters.Get().(*sorter) //nolint:forcetypeassert // only these are put there
	defer sorters.Put(m)
	m.buffer.Reset()
	key := m.collator.KeyFromString(&m.buffer, Fold(s))
	return bytes.Clone(key[:min(len(key), maxSortKey)])
}

// CompareNames compares names by SortKey, then folded, then as they are.
func CompareNames(a, b string) int {
	if a == b {
		return 0
	}
	return cmp.Or(bytes.Compare(SortKey(a), SortKey(b)), strings.Compare(Fold(a), Fold(b)), strings.Compare(a, b))
}
