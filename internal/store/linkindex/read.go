package linkindex

// This file reads the rows of links, lists and tags for the search index.

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// changed has the current data of changed entities.
type changed struct {
	ids         []int64 // of the links
	links       []Link  // the active ones of them
	lists, tags map[int64]Label
}

// readChanged reads the rows of changed entities.
func readChanged(ctx context.Context, q database.Querier, changes []change) (c changed, err error) {
	ids := map[string][]int64{"links": {}, "lists": {}, "tags": {}}
	for _, change := range changes {
		ids[change.entity] = append(ids[change.entity], change.id)
	}
	c.ids = unique(ids["links"])
	for ids := range slices.Chunk(c.ids, query.BatchSize) {
		a := q.Args()
		links, err := readLinks(ctx, q, database.In(a, ids), "", a.Values...)
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

// readLabels returns lists or tags, in noScope if they are in the trash or were
// deleted. A nil slice of ids means all active ones.
func readLabels(ctx context.Context, q database.Querier, table string, ids []int64) (map[int64]Label, error) {
	labels := make(map[int64]Label, len(ids))
	a := q.Args()
	where := ""
	if ids != nil {
		if len(ids) == 0 {
			return labels, nil
		}
		for _, id := range ids {
			labels[id] = Label{Scope: noScope}
		}
		where = ` AND id ` + database.In(a, ids)
	}
	type row struct {
		id    int64
		label Label
	}
	scan := func(rows *sql.Rows, r *row) error {
		return rows.Scan(&r.id, &r.label.Owner, &r.label.Scope, &r.label.Parent, &r.label.Name)
	}
	parent := "0"
	if table == "lists" {
		parent = "coalesce(parent_id, 0)"
	}
	for r, err := range database.QueryEach(ctx, q, scan, `
		SELECT id, user_id, visible_to, `+parent+`, name_plain
		FROM `+table+`
		WHERE visible_to IS NOT NULL`+where, a.Values...) {
		if err != nil {
			return nil, err
		}
		labels[r.id] = r.label
	}
	return labels, nil
}

// readLinks reads the active links that satisfy a condition, and their lists and tags, sorted by id. end is the end of
// the statement.
func readLinks(ctx context.Context, q database.Querier, condition, end string, args ...any) ([]Link, error) {
	scan := func(rows *sql.Rows, l *Link) error {
		return rows.Scan(&l.ID, &l.Owner, &l.Scope, &l.Status, &l.CheckResult, &l.Minutes, &l.CheckDisabled, &l.Unread, &l.Archived, &l.Favorite,
			&l.CreatedAt, &l.UpdatedAt, &l.SeenAt, &l.URL, &l.Title, &l.TitleKey, &l.Description)
	}
	links, err := database.QueryAll(ctx, q, scan, `
		SELECT id, user_id, visible_to, status, check_result, minutes, check_disabled, unread, archived, favorite,
			created_at, updated_at, seen_at, url, title, title_key, description
		FROM links
		WHERE `+database.Unindexed("visible_to")+` IS NOT NULL AND id `+condition+`
		ORDER BY id`+end, args...)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	return links, addLabels(ctx, q, links)
}

// indexedBatch is the number of links that one statement reads for the index.
const indexedBatch = 500

// eachBatch reads all active links, sorted by id, and passes them to use in batches. Each batch has a transaction of its
// own, so not all links are of one snapshot.
func eachBatch(ctx context.Context, db *database.DB, use func(links []Link)) error {
	for last := int64(math.MinInt64); ; {
		var links []Link
		if err := db.ReadTx(ctx, func(q database.Querier) (err error) {
			links, err = readLinks(ctx, q, "> $1", " LIMIT $2", last, indexedBatch)
			return err
		}); err != nil {
			return err
		}
		if len(links) == 0 {
			return nil
		}
		use(links)
		last = links[len(links)-1].ID
	}
}

// addLabels adds the ids of lists and tags to links that are sorted by id.
func addLabels(ctx context.Context, q database.Querier, links []Link) error {
	type row struct {
		tags         bool
		linkIDs, ids sql.NullString // of all pairs: reading a row for each takes longer
	}
	scan := func(rows *sql.Rows, r *row) error { return rows.Scan(&r.tags, &r.linkIDs, &r.ids) }
	a := q.Args()
	in := database.In(a, waymark.Map(links, func(l Link) int64 { return l.ID }))
	for r, err := range database.QueryEach(ctx, q, scan, `
		SELECT false, string_agg(CAST(link_id AS text), ':'), string_agg(CAST(list_id AS text), ':')
		FROM link_lists
		WHERE link_id `+in+`
		UNION ALL
		SELECT true, string_agg(CAST(link_id AS text), ':'), string_agg(CAST(tag_id AS text), ':')
		FROM link_tags
		WHERE link_id `+in, a.Values...) {
		if err != nil {
			return err
		}
		linkIDs, err := database.DecodeIDs(r.linkIDs.String)
		if err != nil {
			return err
		}
		ids, err := database.DecodeIDs(r.ids.String)
		if err != nil {
			return err
		}
		for n, id := range linkIDs {
			i, _ := slices.BinarySearchFunc(links, id, func(l Link, id int64) int { return cmp.Compare(l.ID, id) })
			if r.tags {
				links[i].Tags = append(links[i].Tags, ids[n])
			} else {
				links[i].Lists = append(links[i].Lists, ids[n])
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
