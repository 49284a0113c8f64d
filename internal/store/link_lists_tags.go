package store

// This file loads the lists and tags of links that are read already, for listings.

import (
	"context"
	"database/sql"
	"iter"
	"maps"
	"slices"

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
		err := attach(ctx, q, viewer, &listCache, ofLists, func(id waymark.LinkID, found []waymark.List) { links[index[id]].Lists = found })
		if err != nil {
			return err
		}
		return attach(ctx, q, viewer, &tagCache, ofTags, func(id waymark.LinkID, found []waymark.Tag) { links[index[id]].Tags = found })
	}
}

// attach calls set with the lists, or the tags, of each link.
func attach[T any](ctx context.Context, q database.Querier, viewer waymark.UserID, cache *labelCache[T], rows []labeled, set func(waymark.LinkID, []T)) error {
	ofLink := map[waymark.LinkID][]int64{}
	var ids []int64
	for _, row := range rows {
		ofLink[row.link] = append(ofLink[row.link], row.label)
		ids = append(ids, row.label)
	}
	if err := cache.add(ctx, q, viewer, ids); err != nil {
		return err
	}
	for link, ids := range ofLink {
		set(link, cache.labels(ids))
	}
	return nil
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
