package linkindex

import (
	"cmp"
	"slices"

	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// noScope is the scope of what is not active.
const noScope query.Scope = -1 << 63

// Label is the data of a list or tag in the index.
type Label struct {
	Owner  waymark.UserID
	Scope  query.Scope // who sees it, or noScope
	Parent int64       // the list in which a list stands, or 0
	Name   string      // folded
}

// Kind distinguishes lists and tags, because their ids overlap.
type Kind uint8

// The kinds of labels.
const (
	List Kind = iota
	Tag
)

// KindOf returns the kind of the lists or tags of an association.
func KindOf(assoc *query.Association) Kind { return kindOf(assoc.Kind) }

func kindOf(kind waymark.EntityKind) Kind {
	if kind == waymark.Tags {
		return Tag
	}
	return List
}

// labels are the lists and tags. Each has a number, so that a set of them is an array.
type labels struct {
	numbers [2]map[int64]uint32 // by kind and id
	all     []label             // by number
	changes uint64              // how often they have changed
	names   int                 // the bytes of all names
}

// label is a list or tag.
type label struct {
	Label
	kind  Kind
	id    int64
	links []scopeCount // how many links have it
}

// scopeCount is the number of links in a scope.
type scopeCount struct {
	scope query.Scope
	links int
}

func newLabels() labels { return labels{numbers: [2]map[int64]uint32{{}, {}}} }

// number returns the number of a list or tag. An unknown one is added as not active.
func (x *labels) number(k Kind, id int64) uint32 {
	n, ok := x.numbers[k][id]
	if !ok {
		n = uint32(len(x.all))
		x.numbers[k][id] = n
		x.all = append(x.all, label{Label: Label{Scope: noScope}, kind: k, id: id})
	}
	return n
}

// SetLabels sets lists or tags by id. The Scope of those that are not active any more is noScope.
func (x *Links) SetLabels(k Kind, changed map[int64]Label) {
	for id, to := range changed {
		l := &x.labels.all[x.labels.number(k, id)]
		x.labels.changes++
		x.labels.names += len(to.Name) - len(l.Name)
		l.Label = to
	}
}

// count adds n to the numbers of links of the lists and tags that a link has.
func (x *labels) count(l *link, n int) {
	for _, number := range l.labels {
		counts := &x.all[number].links
		at := slices.IndexFunc(*counts, func(c scopeCount) bool { return c.scope == l.scope })
		if at < 0 {
			at = len(*counts)
			*counts = append(*counts, scopeCount{scope: l.scope})
		}
		(*counts)[at].links += n
	}
}

// linksIn returns how many links in some scopes have the label.
func (l *label) linksIn(scopes []query.Scope) (n int) {
	for _, c := range l.links {
		if slices.Contains(scopes, c.scope) {
			n += c.links
		}
	}
	return n
}

func (x *labels) bytes() int64 {
	const each = 48 + 120 + 16 // in a map, in all, and one count
	return int64(each*len(x.all) + x.names)
}

// labelSet is a set of lists and tags by their number.
type labelSet []bool

// set returns the set of the lists or tags that satisfy a condition.
func (x *labels) set(k Kind, satisfies func(l *label) bool) labelSet {
	set := make(labelSet, len(x.all))
	for n := range x.all {
		set[n] = x.all[n].kind == k && satisfies(&x.all[n])
	}
	return set
}

// add adds the lists or tags with some ids to a set. No link has unknown ones.
func (x *labels) add(set labelSet, k Kind, ids ...int64) {
	for _, id := range ids {
		if n, ok := x.numbers[k][id]; ok {
			set[n] = true
		}
	}
}

// addBelow adds to a set of lists those that stand in them, at any depth, and that are in some scopes. Those in a list
// that is in none of the scopes are left out.
func (x *labels) addBelow(set labelSet, scopes []query.Scope) {
	for added := true; added; {
		added = false
		for n := range x.all {
			l := &x.all[n]
			if l.Parent == 0 || set[n] || !slices.Contains(scopes, l.Scope) {
				continue
			}
			if parent, ok := x.numbers[List][l.Parent]; ok && set[parent] {
				set[n], added = true, true
			}
		}
	}
}

// any reports whether a link has one of the lists and tags.
func (set labelSet) any(l *link) bool {
	for _, n := range l.labels {
		if set[n] {
			return true
		}
	}
	return false
}

// LabelQuery selects lists or tags and a part of them, sorted by their number of links and id.
type LabelQuery struct {
	Kind       Kind
	Scopes     []query.Scope  // of the lists or tags, and of the links that are counted
	Owner      waymark.UserID // of the lists or tags; 0 for any
	Among      []int64        // only lists or tags with these ids; nil for all
	Desc       bool
	Pagination waymark.Pagination
}

// LabelCount is a list or tag, and the number of its links.
type LabelCount struct {
	ID    int64
	Links int
}

// LabelsByLinks returns the number of lists or tags that satisfy a query, and a page of them in order.
func (x *Links) LabelsByLinks(q LabelQuery) (total int, page []LabelCount) {
	found := best[LabelCount]{max: endOf(q.Pagination), compare: func(a, b LabelCount) int {
		c := cmp.Or(cmp.Compare(a.Links, b.Links), cmp.Compare(a.ID, b.ID))
		if q.Desc {
			return -c
		}
		return c
	}}
	add := func(l *label) {
		if l.kind == q.Kind && slices.Contains(q.Scopes, l.Scope) && (q.Owner == 0 || l.Owner == q.Owner) {
			total++
			found.add(LabelCount{l.id, l.linksIn(q.Scopes)})
		}
	}
	if q.Among == nil {
		for n := range x.labels.all {
			add(&x.labels.all[n])
		}
	}
	for _, id := range q.Among {
		if n, ok := x.labels.numbers[q.Kind][id]; ok {
			add(&x.labels.all[n])
		}
	}
	all := found.sorted()
	return total, all[min(q.Pagination.Offset, len(all)):]
}

// CountLinks returns the number of links in some scopes that lists or tags have, by id.
func (x *Links) CountLinks(k Kind, ids []int64, scopes []query.Scope) map[int64]int {
	counts := make(map[int64]int, len(ids))
	for _, id := range ids {
		if n, ok := x.labels.numbers[k][id]; ok {
			counts[id] = x.labels.all[n].linksIn(scopes)
		}
	}
	return counts
}
