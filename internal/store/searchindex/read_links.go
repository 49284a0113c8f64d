package searchindex

// This file reads the rows of links, lists and tags for the search index.

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/linkindex"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// changed has the current data of changed entities.
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
	for ids := range slices.Chunk(c.ids, query.BatchSize) {
		a := q.Args()
		in := database.In(a, ids)
		var b batch
		if err := b.read(ctx, q, in, a.Values...); err != nil {
			return changed{}, err
		}
		c.links = append(c.links, b.links...)
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
	scan := func(rows *sql.Rows, r *row) error {
		return rows.Scan(&r.id, &r.label.Owner, &r.label.Scope, &r.label.Name)
	}
	for r, err := range database.QueryEach(ctx, q, scan, `
		SELECT id, user_id, visible_to, name_folded
		FROM `+table+`
		WHERE visible_to IS NOT NULL`+where, a.Values...) {
		if err != nil {
			return nil, err
		}
		labels[r.id] = r.label
	}
	return labels, nil
}

// indexedLinks selects links as one text: for each link its integers, the lengths of its texts in
// bytes, and the texts, with colons between them. Reading one value takes half of the time of
// reading twelve for each link.
const indexedLinks = `
		SELECT string_agg(concat_ws(':', id, user_id, visible_to, status, check_result, CASE WHEN check_disabled THEN 1 ELSE 0 END,
			CASE WHEN unread THEN 1 ELSE 0 END + CASE WHEN archived THEN 2 ELSE 0 END + CASE WHEN favorite THEN 4 ELSE 0 END, created_at, updated_at,
			octet_length(url), octet_length(title), octet_length(description), url, title, description), '')
		FROM links`

// batch is active links that are read together, sorted by id. Its memory can be used again.
type batch struct {
	links    []linkindex.Link
	linkIDs  []int64 // of pairs: a link and a list, or a link and a tag
	labelIDs []int64 // of the lists and tags of all links
}

// read reads the active links that condition selects by their id.
func (b *batch) read(ctx context.Context, q database.Querier, condition string, args ...any) error {
	b.links, b.labelIDs = b.links[:0], b.labelIDs[:0]
	text, err := database.QueryOne(ctx, q, database.ScanValue[sql.NullString], indexedLinks+`
		WHERE visible_to IS NOT NULL AND id `+condition, args...)
	if err != nil {
		return err
	}
	if err := b.decode(text.String); err != nil || len(b.links) == 0 {
		return err
	}
	return b.addLabels(ctx, q, condition, args...)
}

// decode adds the links of indexedLinks. Their texts share the memory of the encoded text.
func (b *batch) decode(text string) error {
	for text != "" {
		var integers [12]int64
		var err error
		for i := range integers {
			if integers[i], text, err = database.DecodeInteger(text); err != nil {
				return err
			}
		}
		var texts [3]string
		for i, length := range integers[9:] {
			if i > 0 {
				if !strings.HasPrefix(text, ":") {
					return fmt.Errorf("decode %.20q: a colon is missing", text)
				}
				text = text[1:]
			}
			if length < 0 || length > int64(len(text)) {
				return fmt.Errorf("decode %.20q: %d bytes are missing", text, length)
			}
			texts[i], text = text[:length], text[length:]
		}
		b.links = append(b.links, linkindex.Link{
			ID:            integers[0],
			Owner:         integers[1],
			Scope:         integers[2],
			Status:        waymark.Status(integers[3]),
			CheckResult:   waymark.CheckResult(integers[4]),
			CheckDisabled: integers[5] != 0,
			LinkFlags:     waymark.LinkFlags{Unread: integers[6]&1 != 0, Archived: integers[6]&2 != 0, Favorite: integers[6]&4 != 0},
			CreatedAt:     waymark.Time(integers[7]),
			UpdatedAt:     waymark.Time(integers[8]),
			URL:           texts[0],
			Title:         texts[1],
			Description:   texts[2],
		})
	}
	slices.SortFunc(b.links, func(a, b linkindex.Link) int { return cmp.Compare(a.ID, b.ID) })
	return nil
}

// indexedBatch is the number of ids whose links one statement reads for the index.
const indexedBatch = 500

// eachBatch reads all active links, sorted by id, and passes them to use in batches, until use returns
// false. Each batch has a transaction of its own, so not all links are of one snapshot.
func eachBatch(ctx context.Context, db *database.DB, use func(links []linkindex.Link) bool) error {
	var b batch
	for from, last := int64(math.MinInt64), false; !last; {
		if err := db.ReadTx(ctx, func(q database.Querier) error {
			ids, err := nextIDs(ctx, q, from, indexedBatch)
			if err != nil || ids.from > ids.to {
				last = true
				return err
			}
			from, last = ids.to+1, ids.last
			return b.read(ctx, q, "BETWEEN $1 AND $2", ids.from, ids.to)
		}); err != nil {
			return err
		}
		if !use(b.links) {
			return nil
		}
		b.links = b.links[:0]
	}
	return nil
}

// idRange is a range of ids of links.
type idRange struct {
	from, to int64 // inclusive; to is less than from if there are no links
	last     bool  // no link has a larger id
}

// nextIDs returns the range of n ids that begins with the first link from an id on.
func nextIDs(ctx context.Context, q database.Querier, from, n int64) (idRange, error) {
	var first, last sql.NullInt64
	scan := func(rows *sql.Rows, r *idRange) error {
		if err := rows.Scan(&first, &last); err != nil {
			return err
		}
		if !first.Valid {
			*r = idRange{from: 1, to: 0, last: true}
			return nil
		}
		to := last.Int64 // n ids may be more than the largest integer leaves
		if last.Int64-first.Int64 >= n {
			to = first.Int64 + n - 1
		}
		*r = idRange{from: first.Int64, to: to, last: to == last.Int64}
		return nil
	}
	return database.QueryOne(ctx, q, scan, `
		SELECT (SELECT min(id) FROM links WHERE id >= $1), (SELECT max(id) FROM links)`, from)
}

// addLabels adds the ids of lists and tags to the links with ids that condition selects.
func (b *batch) addLabels(ctx context.Context, q database.Querier, condition string, args ...any) error {
	type row struct {
		tags         bool
		linkIDs, ids sql.NullString // of all pairs: reading a row for each takes longer
	}
	scan := func(rows *sql.Rows, r *row) error { return rows.Scan(&r.tags, &r.linkIDs, &r.ids) }
	for r, err := range database.QueryEach(ctx, q, scan, `
		SELECT false, string_agg(CAST(link_id AS text), ':'), string_agg(CAST(list_id AS text), ':')
		FROM link_lists
		WHERE link_id `+condition+`
		UNION ALL
		SELECT true, string_agg(CAST(link_id AS text), ':'), string_agg(CAST(tag_id AS text), ':')
		FROM link_tags
		WHERE link_id `+condition, args...) {
		if err != nil {
			return err
		}
		if b.linkIDs, err = database.AppendIDs(b.linkIDs[:0], r.linkIDs.String); err != nil {
			return err
		}
		first := len(b.labelIDs)
		if b.labelIDs, err = database.AppendIDs(b.labelIDs, r.ids.String); err != nil {
			return err
		}
		links, linkIDs, ids := b.links, b.linkIDs, b.labelIDs[first:]
		i := 0
		for start, end := 0, 0; start < len(ids); start = end { // in most cases the labels of a link follow each other
			id := linkIDs[start]
			for end = start + 1; end < len(ids) && linkIDs[end] == id; {
				end++
			}
			if i+1 < len(links) && links[i+1].ID == id {
				i++
			} else if links[i].ID != id {
				n, found := slices.BinarySearchFunc(links, id, func(l linkindex.Link, id int64) int { return cmp.Compare(l.ID, id) })
				if !found { // in the trash
					continue
				}
				i = n
			}
			of := &links[i].Lists
			if r.tags {
				of = &links[i].Tags
			}
			if *of == nil {
				*of = ids[start:end:end]
			} else {
				*of = append(*of, ids[start:end]...)
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
