package linkindex

import (
	"cmp"
	"slices"

	"waymark/internal/waymark"
)

// LabelQuery selects lists or tags and a part of them, sorted by their number of links and id.
type LabelQuery struct {
	Kind       Kind
	Scopes     []int64 // of the lists or tags, and of the links that are counted
	Owner      int64   // of the lists or tags; 0 for any
	Among      []int64 // only lists or tags with these ids; nil for all
	Desc       bool
	Pagination waymark.Pagination
}

// LabelCount is a list or tag, and the number of its links.
type LabelCount struct {
	ID    int64
	Links int
}

// LabelsByLinks returns the number of lists or tags that satisfy a query, and the page of them that
// the pagination selects, in order.
func (x *Index) LabelsByLinks(q LabelQuery) (total int, page []LabelCount) {
	scopes := x.existing(q.Scopes)
	var found []LabelCount
	add := func(n uint32) {
		l := &x.labels
		if l.kinds[n] == q.Kind && slices.Contains(q.Scopes, l.scopes[n]) && (q.Owner == 0 || l.owners[n] == q.Owner) {
			found = append(found, LabelCount{l.ids[n], countLinks(scopes, n)})
		}
	}
	if q.Among == nil {
		for n := range uint32(len(x.labels.ids)) {
			add(n)
		}
	}
	for _, id := range q.Among {
		if n, ok := x.labels.numbers[q.Kind][id]; ok {
			add(n)
		}
	}
	slices.SortFunc(found, func(a, b LabelCount) int {
		c := cmp.Or(cmp.Compare(a.Links, b.Links), cmp.Compare(a.ID, b.ID))
		if q.Desc {
			return -c
		}
		return c
	})
	total = len(found)
	found = found[min(q.Pagination.Offset, total):]
	if q.Pagination.Limit != waymark.NoLimit {
		found = found[:min(q.Pagination.Limit, len(found))]
	}
	return total, found
}

// CountLinks returns the number of links in some scopes that lists or tags have, by id.
func (x *Index) CountLinks(k Kind, ids, scopes []int64) map[int64]int {
	within := x.existing(scopes)
	counts := make(map[int64]int, len(ids))
	for _, id := range ids {
		if n, ok := x.labels.numbers[k][id]; ok {
			counts[id] = countLinks(within, n)
		}
	}
	return counts
}

func countLinks(scopes []*scope, label uint32) int {
	n := 0
	for _, s := range scopes {
		n += s.labeled.of(label)
	}
	return n
}
