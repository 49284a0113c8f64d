package linkindex

import (
	"bytes"
	"slices"
)

// Holds reports whether the index contains a link with the same texts and values. It numbers lists and
// tags that the index does not know, so it changes the index.
func (x *Index) Holds(link Link) bool {
	at, ok := x.locationOf(link.ID)
	if !ok || x.scopeAt(link.Scope) != at.scope-1 {
		return false
	}
	stored, position := x.scopes[at.scope-1].segments[at.segment()], at.position()
	one := &segment{} // contains only the link
	one.append(&link, &x.labels)
	for i := range one.texts {
		if !bytes.Equal(one.texts[i].record(0), stored.texts[i].record(position)) {
			return false
		}
	}
	return stored.alive.has(position) && stored.ids.at(position) == link.ID && stored.owners.at(position) == link.Owner && stored.flags[position] == one.flags[0] &&
		stored.created.at(position) == int64(link.CreatedAt) && stored.updated.at(position) == int64(link.UpdatedAt) &&
		slices.Equal(slices.Sorted(stored.labelsOf(position)), slices.Sorted(one.labelsOf(0)))
}

// HoldsLabels reports whether the index contains exactly these active lists and tags.
func (x *Index) HoldsLabels(lists, tags map[int64]Label) bool {
	known := 0
	for k, labels := range [2]map[int64]Label{List: lists, Tag: tags} {
		for id, label := range labels {
			n, ok := x.labels.numbers[k][id]
			if !ok || x.labels.scopes[n] != label.Scope || x.labels.owners[n] != label.Owner {
				return false
			}
			known++
		}
	}
	active := 0
	for _, scope := range x.labels.scopes {
		if scope != NoScope {
			active++
		}
	}
	return active == known
}
