package linkindex

import (
	"iter"
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
	Name   string      // see waymark.Plain
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

// count adds n to the numbers of links in a scope that some lists and tags have.
func (x *labels) count(numbers iter.Seq[uint32], scope query.Scope, n int) {
	for number := range numbers {
		counts := &x.all[number].links
		at := slices.IndexFunc(*counts, func(c scopeCount) bool { return c.scope == scope })
		if at < 0 {
			at = len(*counts)
			*counts = append(*counts, scopeCount{scope: scope})
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
