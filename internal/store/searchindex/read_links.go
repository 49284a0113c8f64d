package searchindex

// This file reads the rows of links, lists and tags for the search index.

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
)

// changed is what the rows of changed entities have now.
type changed struct {
	ids         []int64          // of the links
	links       []linkindex.Link // the active ones of them
	lists, tags map[int64]linkindex.Label
}

// readChanged reads the rows of changed entities.
func readChanged(ctx context.Context, q database.Querier, changes []change) (c changed, err error) {
	ids := map[string][]int64{"links": {}, "lists": {}, "tags": {}}
	for _, change := range changes {
		ids[change.entity] = append(ids[change.entity], change.id)
	}
	c.ids = unique(ids["links"])
	for batch := range slices.Chunk(c.ids, query.BatchSize) {
		links, err := readIndexedByID(ctx, q, batch)
		if err != nil {
			return changed{}, err
		}
		c.links = append(c.links, links...)
	}
	if c.lists, err = readLabels(ctx, q, "lists", unique(ids["lists"])); err != nil {
		return changed{}, err
	}
	c.tags, err = readLabels(ctx, q, "tags", unique(ids["tags"]))
	return c, err
}

// readLabels returns lists or tags, in linkindex.NoScope if they are in the trash or were
// deleted. A nil slice of ids means all active ones.
func readLabels(ctx context.Context, q database.Querier, table string, ids []int64) (map[int64]linkindex.Label, error) {
	labels := make(map[int64]linkindex.Label, len(ids))
	a := q.Args()
	where := ""
	if ids != nil {
		if len(ids) == 0 {
			return labels, nil
		}
		for _, id := range ids {
			labels[id] = linkindex.Label{Scope: linkindex.NoScope}
		}
		where = ` AND id ` + database.In(a, ids)
	}
	type row struct {
		id    int64
		label linkindex.Label
	}
	scan := func(rows *sql.Rows, r *row) error { return rows.Scan(&r.id, &r.label.Owner, &r.label.Scope) }
	for r, err := range database.QueryEach(ctx, q, scan, `
		SELECT id, user_id, visible_to
		FROM `+table+`
		WHERE visible_to IS NOT NULL`+where, a.Values...) {
		if err != nil {
			return nil, err
		}
		labels[r.id] = r.label
	}
	return labels, nil
}

// indexedColumns are the columns of links that the index has.
const indexedColumns = `id, user_id, visible_to, status, verdict, check_disabled, created_at, updated_at, url, title, description`

func scanIndexed(rows *sql.Rows, l *linkindex.Link) error {
	return rows.Scan(&l.ID, &l.Owner, &l.Scope, &l.Status, &l.Verdict, &l.CheckDisabled, &l.CreatedAt, &l.UpdatedAt, &l.URL, &l.Title, &l.Description)
}

// indexedBatch is the number of links that one statement reads for the index.
const indexedBatch = 2000

// readAllIndexed sends all active links, sorted by id.
func readAllIndexed(ctx context.Context, q database.Querier, batches chan<- []linkindex.Link) error {
	for last := int64(0); ; {
		batch, err := readIndexed(ctx, q, last)
		if err != nil || len(batch) == 0 {
			return err
		}
		select {
		case batches <- batch:
		case <-ctx.Done():
			return ctx.Err()
		}
		last = batch[len(batch)-1].ID
	}
}

// readIndexed returns the next active links after an id, sorted by id.
func readIndexed(ctx context.Context, q database.Querier, after int64) ([]linkindex.Link, error) {
	links, err := database.QueryAll(ctx, q, scanIndexed, `
		SELECT `+indexedColumns+`
		FROM links
		WHERE id > $1 AND visible_to IS NOT NULL
		ORDER BY id
		LIMIT $2`, after, indexedBatch)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	return links, addLabels(ctx, q, links, "BETWEEN $1 AND $2", links[0].ID, links[len(links)-1].ID)
}

// readIndexedByID returns the active links among ids, sorted by id.
func readIndexedByID(ctx context.Context, q database.Querier, ids []int64) ([]linkindex.Link, error) {
	a := q.Args()
	in := database.In(a, ids)
	links, err := database.QueryAll(ctx, q, scanIndexed, `
		SELECT `+indexedColumns+`
		FROM links
		WHERE id `+in+` AND visible_to IS NOT NULL
		ORDER BY id`, a.Values...)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	return links, addLabels(ctx, q, links, in, a.Values...)
}

// addLabels adds the ids of their lists and tags to links, which are sorted by id.
// condition selects the ids of the links.
func addLabels(ctx context.Context, q database.Querier, links []linkindex.Link, condition string, args ...any) error {
	type row struct {
		tags  bool
		pairs sql.NullString // the ids of links and labels in one text: reading a row for each takes twice the time
	}
	scan := func(rows *sql.Rows, r *row) error { return rows.Scan(&r.tags, &r.pairs) }
	for r, err := range database.QueryEach(ctx, q, scan, `
		SELECT false, string_agg(link_id || ':' || list_id || ':', '')
		FROM link_lists
		WHERE link_id `+condition+`
		UNION ALL
		SELECT true, string_agg(link_id || ':' || tag_id || ':', '')
		FROM link_tags
		WHERE link_id `+condition, args...) {
		if err != nil {
			return err
		}
		ids, err := database.DecodeIDs(r.pairs.String)
		if err != nil {
			return err
		}
		i := 0
		for pair := range slices.Chunk(ids, 2) {
			if links[i].ID != pair[0] { // mostly the labels of a link follow each other
				n, found := slices.BinarySearchFunc(links, pair[0], func(l linkindex.Link, id int64) int { return cmp.Compare(l.ID, id) })
				if !found { // in the trash
					continue
				}
				i = n
			}
			if r.tags {
				links[i].Tags = append(links[i].Tags, pair[1])
			} else {
				links[i].Lists = append(links[i].Lists, pair[1])
			}
		}
	}
	return nil
}

// unique returns ids sorted, each once.
func unique(ids []int64) []int64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}
