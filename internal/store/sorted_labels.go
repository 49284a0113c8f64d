package store

import (
	"cmp"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// sortedLabel is a list or tag and the values that it is sorted by.
type sortedLabel[T any] struct {
	label  T
	id     int64
	folded string
	name   string
}

func newSortedLabel[T any](t *entityTable[T], label T) *sortedLabel[T] {
	name := t.nameOf(&label)
	return &sortedLabel[T]{label, t.idOf(&label), waymark.Fold(name), name}
}

func (l *sortedLabel[T]) compare(other *sortedLabel[T]) int {
	return cmp.Or(strings.Compare(l.folded, other.folded), strings.Compare(l.name, other.name), cmp.Compare(l.id, other.id))
}

// sortLabels returns lists or tags in the order of names, nil if there are none.
func sortLabels[T any](labels []*sortedLabel[T]) []T {
	slices.SortFunc(labels, (*sortedLabel[T]).compare)
	sorted := slices.Grow([]T(nil), len(labels))
	for _, l := range labels {
		sorted = append(sorted, l.label)
	}
	return sorted
}
