package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/queue"
	"waymark/internal/store/snapshots"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// Merge is a request to merge links into one of them.
type Merge struct {
	Keep   waymark.LinkID
	Others []waymark.LinkID
	URL    string // one of theirs, or "" for that of waymark.NewDuplicates
}

// MergedLinks says what became of the others of a Merge.
type MergedLinks struct {
	Merged  []waymark.LinkID // in the trash now
	Skipped []waymark.LinkID // were no active links of the user
}

// MergeLinks gives a link what others of the same page have, as waymark.Duplicates say, and moves those to the trash. It
// returns waymark.ErrNotFound if the link is not active, waymark.ErrForbidden if it is another user's, and a
// waymark.ValidationError if none of the others is left, if they have another waymark.WeakURLKey, if none has the URL, or
// if the link would have too many lists or tags.
func (s *Store) MergeLinks(ctx context.Context, editor waymark.User, in Merge) (result MergedLinks, err error) {
	err = s.bulk(ctx, editor.ID, func(ctx context.Context, q database.Querier) error {
		keep, err := links.GetActive(ctx, q, int64(in.Keep))
		if err != nil {
			return err
		}
		if err := editor.MayWrite(waymark.Target{Kind: waymark.Links, Owner: keep.Owner}); err != nil {
			return err
		}
		result = MergedLinks{}
		ids := slices.DeleteFunc(table.Unique(table.PlainIDs(in.Others)), func(id int64) bool { return id == int64(in.Keep) })
		a := q.Args(editor.ID)
		others, err := links.All(ctx, q, "e.user_id = $1 AND e.visible_to IS NOT NULL AND e.id "+database.In(a, ids)+" ORDER BY e.id"+q.RowLock(), a.Values...)
		if err != nil {
			return err
		}
		result.Merged = waymark.Map(others, func(l waymark.Link) waymark.LinkID { return l.ID })
		for _, id := range in.Others {
			if id != in.Keep && !slices.Contains(result.Merged, id) {
				result.Skipped = append(result.Skipped, id)
			}
		}
		isOther := func(l waymark.Link) bool { return waymark.WeakURLKey(l.URL) != waymark.WeakURLKey(keep.URL) }
		if len(others) == 0 || slices.ContainsFunc(others, isOther) {
			return waymark.Invalid(waymark.FieldMerge, waymark.RuleExists)
		}
		d := waymark.NewDuplicates(append(others, keep), in.Keep)
		if in.URL != "" {
			d.URL = in.URL
			if d.Source().URL != in.URL {
				return waymark.Invalid(waymark.FieldURL, waymark.RuleExists)
			}
		}
		j, err := readJoins(ctx, q, []waymark.Duplicates{d})
		if err == nil && j[0].aboveLimit != nil {
			err = j[0].aboveLimit
		}
		if err != nil {
			return err
		}
		return s.joinLinks(ctx, q, j)
	})
	return result, err
}

// MergeExact merges at most limit groups of the editor's links that have one waymark.URLKey, beginning after one of
// them, and returns how many links went to the trash, and the key of the last group. more is false after the last one.
// Groups that would have too many lists or tags stay.
func (s *Store) MergeExact(ctx context.Context, editor waymark.UserID, after int64, limit int) (merged int, last int64, more bool, err error) {
	err = s.bulk(ctx, editor, func(ctx context.Context, q database.Querier) error {
		page, err := readDuplicates(ctx, q, editor, false, after, limit)
		if err != nil {
			return err
		}
		last, more = page.Last, page.More
		joins, err := readJoins(ctx, q, waymark.Map(page.Groups, func(g DuplicateGroup) waymark.Duplicates { return g.Duplicates }))
		if err != nil {
			return err
		}
		joins = slices.DeleteFunc(joins, func(j join) bool { return j.aboveLimit != nil })
		merged = 0
		for _, j := range joins {
			merged += len(j.Links) - 1
		}
		return s.joinLinks(ctx, q, joins)
	})
	return merged, last, more, err
}

// join is a group of links that become one.
type join struct {
	waymark.Duplicates
	lists, tags []membership // new ones of the link that stays
	aboveLimit  error        // it would have too many
	uploaded    part         // the full snapshot that a browser has saved last
}

// readJoins reads what is to be attached to the links that stay.
func readJoins(ctx context.Context, q database.Querier, groups []waymark.Duplicates) ([]join, error) {
	joins := waymark.Map(groups, func(d waymark.Duplicates) join { return join{Duplicates: d} })
	for _, assoc := range []*query.Association{&query.LinkLists, &query.LinkTags} {
		byLink, bySaver := map[int64][]int64{}, map[[2]int64]bool{}
		err := table.InBatches(ctx, idsOfJoins(joins), func(ids []int64) error {
			for m, err := range memberships(ctx, q, assoc, ids) {
				if err != nil {
					return err
				}
				byLink[m.pair[0]] = append(byLink[m.pair[0]], m.pair[1])
				bySaver[m.pair] = m.bySaver
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for i := range joins {
			j, keep := &joins[i], int64(joins[i].Keep)
			var all []int64
			for _, l := range j.Links {
				all = append(all, byLink[int64(l.ID)]...)
			}
			all = table.Unique(all)
			if len(all) > max(limitOf(assoc, waymark.MaxLinkFolders), len(byLink[keep])) {
				j.aboveLimit = cmp.Or(j.aboveLimit, waymark.TooMany(inputField(assoc), 0, limitOf(assoc, waymark.MaxLinkFolders)))
			}
			has := setOf(byLink[keep])
			for _, label := range all {
				if has[label] {
					continue
				}
				put := membership{[2]int64{keep, label}, slices.ContainsFunc(j.Links, func(l waymark.Link) bool { return bySaver[[2]int64{int64(l.ID), label}] })}
				if assoc.Kind == waymark.Lists {
					j.lists = append(j.lists, put)
				} else {
					j.tags = append(j.tags, put)
				}
			}
		}
	}
	return joins, nil
}

// idsOfJoins returns the ids of all links of groups.
func idsOfJoins(joins []join) []int64 {
	var ids []int64
	for _, j := range joins {
		for _, l := range j.Links {
			ids = append(ids, int64(l.ID))
		}
	}
	return ids
}

// joinLinks is what merging links does, also those of a removed user with those of another one. The last steps are
// undone first: the others leave the trash before they get back what they had.
func (s *Store) joinLinks(ctx context.Context, q database.Querier, joins []join) error {
	var inLists, withTags []membership
	var others []int64
	var newNotes []waymark.Note
	now := s.now()
	for _, j := range joins {
		inLists, withTags = append(inLists, j.lists...), append(withTags, j.tags...)
		for _, l := range j.Others() {
			others = append(others, int64(l.ID))
		}
		merged, texts := j.Merged()
		for _, text := range texts {
			newNotes = append(newNotes, waymark.Note{Owner: merged.Owner, Link: merged.ID, Text: text, Visibility: waymark.Private, CreatedAt: now, UpdatedAt: now})
		}
	}
	if err := s.attachPairs(ctx, q, &query.LinkLists, inLists); err != nil {
		return err
	}
	if err := s.attachPairs(ctx, q, &query.LinkTags, withTags); err != nil {
		return err
	}
	if err := s.joinParts(ctx, q, joins); err != nil {
		return err
	}
	ids, err := table.InsertBatches[waymark.NoteID](ctx, q, &notes.Table, newNotes)
	if err == nil {
		err = s.recordMergeNotes(newNotes, ids)
	}
	if err == nil {
		err = s.moveToTrash(ctx, q, waymark.Links, others)
	}
	if err != nil {
		return err
	}
	return s.updateMerged(ctx, q, joins)
}

func (s *Store) attachPairs(ctx context.Context, q database.Querier, assoc *query.Association, all []membership) error {
	for _, bySaver := range []bool{true, false} {
		of := slices.DeleteFunc(slices.Clone(all), func(m membership) bool { return m.bySaver != bySaver })
		if err := table.InBatches(ctx, pairsOf(of), func(pairs [][2]int64) error { return insertAssociations(ctx, q, assoc, pairs, bySaver) }); err != nil {
			return err
		}
	}
	return s.recordPairs(assoc, pairsOf(all), nil)
}

// recordMergeNotes records notes that undo deletes for good, not only moves to the trash.
func (s *Store) recordMergeNotes(inserted []waymark.Note, ids []waymark.NoteID) error {
	step := undo.Step{Table: notes.Name, ForGood: true}
	for i, id := range ids {
		step.Rows = append(step.Rows, undo.Row{ID: int64(id), After: undo.Values{
			versionColumn: integerJSON(int64(inserted[i].UpdatedAt)), linkColumn: integerJSON(int64(inserted[i].Link)),
		}})
	}
	return s.record(step)
}

// updateMerged writes the links that stay.
func (s *Store) updateMerged(ctx context.Context, q database.Querier, joins []join) error {
	var rows []waymark.Link
	for _, j := range joins {
		merged, _ := j.Merged()
		if merged.URL == j.Kept().URL {
			merged.UpdatedAt = s.now()
			rows = append(rows, merged)
			continue
		}
		checks, err := queue.ChecksOf(ctx, q, j.Source().ID)
		found := err == nil
		if err != nil && !errors.Is(err, waymark.ErrNotFound) {
			return err
		}
		if err := s.updateLink(ctx, q, j.Kept(), merged, false); err != nil {
			return err
		}
		if found { // what was found about the URL goes with it
			if err := queue.RestoreChecks(ctx, q, merged.Owner, merged.ID, checks); err != nil {
				return err
			}
		}
	}
	columns := map[string]bool{}
	for _, name := range []string{"title", "description", "from_page", "visibility", "unread", "archived", "favorite", "created_at", seenColumn, updatedColumn} {
		columns[name] = true
	}
	return table.InBatches(ctx, rows, func(rows []waymark.Link) error {
		ids := waymark.Map(rows, func(l waymark.Link) int64 { return int64(l.ID) })
		slices.Sort(ids)
		return recorded(ctx, s, q, &links.Table, ids, func() error { return links.UpdateRows(ctx, q, rows, columns) })
	})
}

// part is a row that belongs to a link: a note, a passage, an attachment or a snapshot.
type part struct {
	id, link int64
	uploaded bool // an attachment that is a full snapshot
	at       int64
}

// The kinds of parts: their tables, and the columns of a part.
var partColumns = map[string]string{
	notes.Name:                   "id, link_id, FALSE, 0",
	table.Passages.Name:          "id, link_id, FALSE, 0",
	snapshots.Attachments.Name:   "id, link_id, full_snapshot, created_at",
	snapshots.TextSnapshots.Name: "link_id, link_id, FALSE, fetched_at",
	snapshots.FullSnapshots.Name: "link_id, link_id, FALSE, fetched_at",
}

// readParts returns the parts of links, by link.
func readParts(ctx context.Context, q database.Querier, name string, ids []int64) (map[int64][]part, error) {
	byLink := map[int64][]part{}
	scan := func(rows *sql.Rows, p *part) error { return rows.Scan(&p.id, &p.link, &p.uploaded, &p.at) }
	err := table.InBatches(ctx, ids, func(ids []int64) error {
		a := q.Args()
		parts, err := database.QueryAll(ctx, q, scan, `
			SELECT `+partColumns[name]+`
			FROM `+name+`
			WHERE link_id `+database.In(a, ids)+`
			ORDER BY 1`, a.Values...)
		for _, p := range parts {
			byLink[p.link] = append(byLink[p.link], p)
		}
		return err
	})
	return byLink, err
}

// joinParts gives the links that stay the notes, passages and attachments of the others, and the best of their snapshots: a page
// that a browser has saved comes before what the server has fetched, and a newer one before an older one.
func (s *Store) joinParts(ctx context.Context, q database.Querier, joins []join) error {
	ids := idsOfJoins(joins)
	for _, name := range []string{notes.Name, table.Passages.Name, snapshots.Attachments.Name, snapshots.TextSnapshots.Name, snapshots.FullSnapshots.Name} {
		byLink, err := readParts(ctx, q, name, ids)
		if err != nil {
			return err
		}
		var rows []undo.Row
		for i := range joins {
			rows = append(rows, joins[i].movedParts(name, byLink)...)
		}
		for rows := range slices.Chunk(rows, query.BatchSize) {
			step := undo.Step{Table: name, Rows: rows}
			if err := s.moveParts(ctx, q, step, false); err != nil {
				return err
			}
			if err := s.record(step); err != nil {
				return err
			}
		}
	}
	return nil
}

// movedParts returns how the parts of a group change. Call it for attachments before snapshots.
func (j *join) movedParts(name string, byLink map[int64][]part) (rows []undo.Row) {
	parts := slices.Clone(byLink[int64(j.Keep)]) // which are the first of equal ones
	for _, l := range j.Others() {
		parts = append(parts, byLink[int64(l.ID)]...)
	}
	byTime := func(a, b part) int { return cmp.Compare(a.at, b.at) }
	switch name {
	case snapshots.Attachments.Name:
		uploaded := slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return !p.uploaded })
		if len(uploaded) > 0 {
			j.uploaded = slices.MaxFunc(uploaded, byTime)
		}
	case snapshots.TextSnapshots.Name, snapshots.FullSnapshots.Name:
		isOfUploaded := func(p part) bool { return p.link == j.uploaded.link }
		best := slices.IndexFunc(parts, isOfUploaded)
		switch {
		case best >= 0:
			parts = parts[best : best+1]
		case j.uploaded.link != 0 && name == snapshots.FullSnapshots.Name: // it is not shown
			parts = nil
		case len(parts) > 0:
			parts = []part{slices.MaxFunc(parts, byTime)}
		}
	}
	for _, p := range parts {
		row := undo.Row{ID: p.id, Before: undo.Values{linkColumn: integerJSON(p.link)}, After: undo.Values{linkColumn: integerJSON(int64(j.Keep)), fetchedColumn: integerJSON(p.at)}}
		if stays := p.id == j.uploaded.id; p.uploaded && !stays {
			row.Before[uploadedColumn], row.After[uploadedColumn] = integerJSON(1), integerJSON(0)
		} else if p.link == int64(j.Keep) {
			continue
		} else if p.uploaded {
			row.Before[uploadedColumn], row.After[uploadedColumn] = integerJSON(1), integerJSON(1)
		}
		rows = append(rows, row)
	}
	return rows
}

// moveParts gives parts of links to other links, or back. What is no longer where it was stays, and so does what would
// come to a link in the trash.
func (s *Store) moveParts(ctx context.Context, q database.Querier, step undo.Step, back bool) error {
	if step.Table == snapshots.TextSnapshots.Name || step.Table == snapshots.FullSnapshots.Name {
		return s.exchangeSnapshots(ctx, q, step, back)
	}
	values := waymark.Map(step.Rows, func(row undo.Row) [4]int64 {
		from, to := row.Before, row.After
		if back {
			from, to = to, from
		}
		return [4]int64{row.ID, integerOf(from[linkColumn]), integerOf(to[linkColumn]), integerOf(to[uploadedColumn])}
	})
	update := func(set string) error {
		a := q.Args()
		_, err := q.Exec(ctx, `
			UPDATE `+step.Table+`
			SET `+set+`
			FROM `+a.Rows(values)+`
			WHERE `+step.Table+`.id = CAST(value->>0 AS BIGINT) AND `+step.Table+`.link_id = CAST(value->>1 AS BIGINT) AND EXISTS (
				SELECT 1
				FROM links AS l
				WHERE l.id = CAST(value->>2 AS BIGINT) AND l.visible_to IS NOT NULL)`, a.Values...)
		return err
	}
	const link = "link_id = CAST(value->>2 AS BIGINT)"
	if step.Table != snapshots.Attachments.Name {
		return update(link)
	}
	// A link has at most one uploaded snapshot at any time.
	if err := update("full_snapshot = FALSE"); err != nil {
		return err
	}
	return update(link + `, full_snapshot = (CAST(value->>3 AS BIGINT) = 1 AND NOT EXISTS (
				SELECT 1
				FROM attachments AS o
				WHERE o.link_id = CAST(value->>2 AS BIGINT) AND o.full_snapshot))`)
}

func (s *Store) exchangeSnapshots(ctx context.Context, q database.Querier, step undo.Step, back bool) error {
	for _, row := range step.Rows {
		keep := integerOf(row.After[linkColumn])
		if back {
			same, err := database.Exists(ctx, q, step.Table+` AS t
				JOIN links AS l ON l.id = $1
				WHERE t.link_id = $2 AND t.fetched_at = $3 AND l.visible_to IS NOT NULL`, row.ID, keep, integerOf(row.After[fetchedColumn]))
			if err != nil {
				return err
			}
			if !same {
				continue
			}
		}
		if err := s.Snapshots.Exchange(ctx, q, step.Table, waymark.LinkID(row.ID), waymark.LinkID(keep)); err != nil {
			return err
		}
	}
	return nil
}
