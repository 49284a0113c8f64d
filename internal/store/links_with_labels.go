package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// linkRows returns the reader of links with their lists and tags, see Listing.
func linkRows(visible condition) reader[waymark.Link] {
	read := labelledLinks(visible)
	return func(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64) ([]waymark.Link, error) {
		rows, err := read(ctx, q, viewer, ids)
		return waymark.Map(rows, func(l labelledLink) waymark.Link {
			hideSeen(&l.Link, viewer)
			return l.Link
		}), err
	}
}

// hideSeen hides from others when the owner of a link has looked at it.
func hideSeen(link *waymark.Link, viewer waymark.UserID) {
	if link.Owner != viewer {
		link.SeenAt = 0
	}
}

// labelledLink is a link with the labels that the viewer sees, and the ids of all.
type labelledLink struct {
	waymark.Link
	listIDs, tagIDs []int64
}

// labelledLinks returns a reader that reads each list and tag of a batch once.
func labelledLinks(visible condition) reader[labelledLink] {
	scan := func(rows *sql.Rows, l *labelledLink) error {
		var inLists, withTags sql.NullString // NULL for none
		if err := rows.Scan(append(links.Targets(&l.Link, 2), &inLists, &withTags)...); err != nil {
			return err
		}
		var err error
		if l.listIDs, err = database.DecodeIDs(inLists.String); err != nil {
			return err
		}
		l.tagIDs, err = database.DecodeIDs(withTags.String)
		return err
	}
	idOf := func(l *labelledLink) int64 { return int64(l.ID) }
	sizeOf := func(l *labelledLink) int {
		return sizeOfLink(&l.Link) + len(l.listIDs)*listBytes + len(l.tagIDs)*tagBytes
	}
	var visibleLists seenLabels[waymark.List]
	var visibleTags seenLabels[waymark.Tag]
	return func(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64) ([]labelledLink, error) {
		a := q.Args()
		rows, err := inOrder(ids, idOf, sizeOf, database.QueryEach(ctx, q, scan, `
			SELECT `+links.Selected+`, `+labelIDsSQL(&query.LinkLists)+`, `+labelIDsSQL(&query.LinkTags)+`
			FROM links AS e
			WHERE e.id `+database.In(a, ids)+visible.And(a), a.Values...))
		if err != nil {
			return nil, err
		}
		var inLists, withTags []int64
		for i := range rows {
			inLists, withTags = append(inLists, rows[i].listIDs...), append(withTags, rows[i].tagIDs...)
		}
		size, err := visibleLists.read(ctx, q, &lists, viewer, inLists)
		if err != nil {
			return nil, err
		}
		if _, err := visibleTags.read(ctx, q, &tags, viewer, withTags); err != nil {
			return nil, err
		}
		if size > batchBytes && len(ids) > 1 { // lists have descriptions
			return nil, errLargeBatch
		}
		for i := range rows {
			rows[i].Lists, rows[i].Tags = labelsOf(rows[i].listIDs, visibleLists.byID), labelsOf(rows[i].tagIDs, visibleTags.byID)
		}
		return rows, nil
	}
}

// seenLabels are the lists or tags of one stream that the viewer sees. The links of later batches
// have mostly the same ones, so they are not read again.
type seenLabels[T any] struct {
	byID map[int64]*sortedLabel[T] // nil for one that the viewer does not see
	size int
}

// read adds the lists or tags with these ids, and returns the size of the new ones. It forgets the
// former ones when they take more than batchBytes.
func (l *seenLabels[T]) read(ctx context.Context, q database.Querier, t *entityTable[T], viewer waymark.UserID, ids []int64) (size int, err error) {
	if l.byID == nil || l.size > batchBytes {
		*l = seenLabels[T]{byID: map[int64]*sortedLabel[T]{}}
	}
	var missing []int64
	for _, id := range ids {
		if _, ok := l.byID[id]; !ok {
			l.byID[id] = nil
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return 0, nil
	}
	a := q.Args()
	found, err := database.QueryAll(ctx, q, t.Scan, `
		SELECT `+t.Selected+`
		FROM `+t.Name+` AS e
		WHERE e.id `+database.In(a, missing)+` AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), viewer), a.Values...)
	if err == nil && t.addOthers != nil {
		err = t.addOthers(ctx, q, viewer, pointers(found))
	}
	if err != nil {
		return 0, err
	}
	for _, label := range found {
		size += t.sizeOf(&label)
		l.byID[t.idOf(&label)] = newSortedLabel(t, label)
	}
	l.size += size
	return size, nil
}

// labelsOf returns the lists or tags with these ids, sorted by name.
func labelsOf[T any](ids []int64, labels map[int64]*sortedLabel[T]) []T {
	found := make([]*sortedLabel[T], 0, len(ids))
	for _, id := range ids {
		if label := labels[id]; label != nil {
			found = append(found, label)
		}
	}
	return sortLabels(found)
}

// labelIDsSQL returns the expression for the ids of all lists, or tags, of the link e.
func labelIDsSQL(assoc *query.Association) string {
	return `(
				SELECT string_agg(m.` + assoc.Column + ` || ':', '')
				FROM ` + assoc.Table + ` AS m
				WHERE m.link_id = e.id)`
}

// sortedLabel is a list or tag and the values that it is sorted by.
type sortedLabel[T any] struct {
	label  T
	id     int64
	key    []byte // see waymark.SortKey
	folded string
	name   string
}

func newSortedLabel[T any](t *entityTable[T], label T) *sortedLabel[T] {
	name := t.nameOf(&label)
	return &sortedLabel[T]{label, t.idOf(&label), waymark.SortKey(name), waymark.Fold(name), name}
}

func (l *sortedLabel[T]) compare(other *sortedLabel[T]) int {
	return cmp.Or(bytes.Compare(l.key, other.key), strings.Compare(l.folded, other.folded), strings.Compare(l.name, other.name), cmp.Compare(l.id, other.id))
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
