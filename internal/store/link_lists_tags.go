package store

import (
	"cmp"
	"context"
	"database/sql"
	"iter"
	"maps"
	"slices"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// loadLabels loads the labels of links: the lists and tags that the viewer sees, sorted
// by name.
func loadLabels(ctx context.Context, q database.Querier, viewer waymark.UserID, links []waymark.Link, lists *entityTable[waymark.List], tags *entityTable[waymark.Tag]) error {
	index := resetLabels(links)
	err := joinLabels(ctx, q, viewer, &query.LinkLists, lists, index, func(i int, list waymark.List) {
		links[i].Lists = append(links[i].Lists, list)
	})
	if err != nil {
		return err
	}
	return joinLabels(ctx, q, viewer, &query.LinkTags, tags, index, func(i int, tag waymark.Tag) {
		links[i].Tags = append(links[i].Tags, tag)
	})
}

// resetLabels clears the lists and tags of links, and returns the index of each link.
func resetLabels(links []waymark.Link) map[waymark.LinkID]int {
	index := make(map[waymark.LinkID]int, len(links))
	for i := range links {
		index[links[i].ID] = i
		links[i].Lists, links[i].Tags = nil, nil
	}
	return index
}

// joinLabels reads the lists, or the tags, of links in one statement, and calls add for
// each in the order of names.
func joinLabels[T any](ctx context.Context, q database.Querier, viewer waymark.UserID, assoc *query.Association, t *entityTable[T], index map[waymark.LinkID]int, add func(link int, label T)) error {
	if len(index) == 0 {
		return nil
	}
	type row struct {
		link  waymark.LinkID
		label T
	}
	scan := func(rows *sql.Rows, r *row) error { return rows.Scan(append(t.targets(&r.label, 1), &r.link)...) }
	a := q.Args()
	for row, err := range database.QueryEach(ctx, q, scan, `
		SELECT `+t.selected+`, m.link_id
		FROM `+assoc.Table+` AS m`+database.JoinInOrder+assoc.Entities+` AS e
		WHERE m.link_id `+database.In(a, slices.Collect(maps.Keys(index)))+` AND e.id = m.`+assoc.Column+` AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), viewer)+`
		ORDER BY e.name_folded, e.name, e.id`, a.Values...) {
		if err != nil {
			return err
		}
		add(index[row.link], row.label)
	}
	return nil
}

// newLabelLoader returns a function that does the same for the batches of a stream. It
// caches lists and tags, because most of them occur in every batch.
func newLabelLoader(lists *entityTable[waymark.List], tags *entityTable[waymark.Tag], cacheSize int) loader[waymark.Link] {
	listCache := labelCache[waymark.List]{table: lists, size: cacheSize}
	tagCache := labelCache[waymark.Tag]{table: tags, size: cacheSize}
	return func(ctx context.Context, q database.Querier, viewer waymark.UserID, links []waymark.Link) error {
		if len(links) == 0 {
			return nil
		}
		index := resetLabels(links)
		var ofLists, ofTags []labeled
		for l, err := range labelsOf(ctx, q, slices.Collect(maps.Keys(index))) {
			switch {
			case err != nil:
				return err
			case l.tag:
				ofTags = append(ofTags, l)
			default:
				ofLists = append(ofLists, l)
			}
		}
		err := listCache.attach(ctx, q, viewer, ofLists, func(id waymark.LinkID, list waymark.List) {
			link := &links[index[id]]
			link.Lists = append(link.Lists, list)
		})
		if err != nil {
			return err
		}
		return tagCache.attach(ctx, q, viewer, ofTags, func(id waymark.LinkID, tag waymark.Tag) {
			link := &links[index[id]]
			link.Tags = append(link.Tags, tag)
		})
	}
}

// labeled is a row of link_lists or link_tags.
type labeled struct {
	tag   bool
	link  waymark.LinkID
	label int64
}

// labelsOf returns the labels of links, of lists and of tags.
func labelsOf(ctx context.Context, q database.Querier, links []waymark.LinkID) iter.Seq2[labeled, error] {
	a := q.Args()
	inLinks := database.In(a, links)
	scan := func(rows *sql.Rows, l *labeled) error { return rows.Scan(&l.tag, &l.link, &l.label) }
	return database.QueryEach(ctx, q, scan, `
		SELECT false, m.link_id, m.list_id
		FROM link_lists AS m
		WHERE m.link_id `+inLinks+`
		UNION ALL
		SELECT true, m.link_id, m.tag_id
		FROM link_tags AS m
		WHERE m.link_id `+inLinks, a.Values...)
}

// labelCache caches lists or tags.
type labelCache[T any] struct {
	table *entityTable[T]
	size  int                       // the maximum number of labels; a larger cache is emptied
	byID  map[int64]*sortedLabel[T] // the value is nil if the viewer does not see the label
}

// sortedLabel is a list or tag and the values that it is sorted by.
type sortedLabel[T any] struct {
	label  T
	id     int64
	folded string
	name   string
}

func (l *sortedLabel[T]) compare(other *sortedLabel[T]) int {
	return cmp.Or(strings.Compare(l.folded, other.folded), strings.Compare(l.name, other.name), cmp.Compare(l.id, other.id))
}

// attach calls add for each list or tag that the viewer sees, in the order of names.
func (c *labelCache[T]) attach(ctx context.Context, q database.Querier, viewer waymark.UserID, rows []labeled, add func(waymark.LinkID, T)) error {
	if c.byID == nil || len(c.byID) > c.size {
		c.byID = map[int64]*sortedLabel[T]{}
	}
	var missing []int64
	for _, row := range rows {
		if _, ok := c.byID[row.label]; !ok {
			c.byID[row.label] = nil
			missing = append(missing, row.label)
		}
	}
	if err := c.read(ctx, q, viewer, missing); err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(row labeled) bool { return c.byID[row.label] == nil })
	slices.SortFunc(rows, func(a, b labeled) int { return c.byID[a.label].compare(c.byID[b.label]) })
	for _, row := range rows {
		add(row.link, c.byID[row.label].label)
	}
	return nil
}

// read reads the lists or tags among ids that the viewer sees.
func (c *labelCache[T]) read(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	a := q.Args()
	for label, err := range database.QueryEach(ctx, q, c.table.scan, `
		SELECT `+c.table.selected+`
		FROM `+c.table.name+` AS e
		WHERE e.id `+database.In(a, ids)+` AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), viewer), a.Values...) {
		if err != nil {
			return err
		}
		id, name := c.table.idOf(&label), c.table.nameOf(&label)
		c.byID[id] = &sortedLabel[T]{label, id, waymark.Fold(name), name}
	}
	return nil
}
