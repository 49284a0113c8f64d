package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// labelCache caches lists or tags.
type labelCache[T any] struct {
	table *entityTable[T]
	limit int // in bytes; a larger cache is emptied
	bytes int
	byID  map[int64]*sortedLabel[T] // the value is nil if the viewer does not see the label
}

// add reads the lists or tags among ids that are not in the cache. It adds their size to a
// piece.
func (c *labelCache[T]) add(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64, piece *pieceSize) error {
	if c.byID == nil || c.bytes > c.limit {
		c.byID, c.bytes = map[int64]*sortedLabel[T]{}, 0
	}
	var missing []int64
	for _, id := range ids {
		if _, ok := c.byID[id]; !ok {
			c.byID[id] = nil
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	a := q.Args()
	for label, err := range database.QueryEach(ctx, q, c.table.scan, `
		SELECT `+c.table.selected+`
		FROM `+c.table.name+` AS e
		WHERE e.id `+database.In(a, missing)+` AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), viewer), a.Values...) {
		size := c.table.sizeOf(&label) + labelBytes
		if err == nil {
			err = piece.add(size)
		}
		if err != nil {
			c.byID = nil // otherwise labels that were not read would seem invisible
			return err
		}
		c.bytes += size
		c.byID[c.table.idOf(&label)] = newSortedLabel(c.table, label)
	}
	return nil
}

// labels returns the lists or tags among ids that the viewer sees, sorted by name.
func (c *labelCache[T]) labels(ids []int64) []T {
	found := make([]*sortedLabel[T], 0, len(ids))
	for _, id := range ids {
		if label := c.byID[id]; label != nil {
			found = append(found, label)
		}
	}
	return sortLabels(found)
}

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
