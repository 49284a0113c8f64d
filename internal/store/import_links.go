package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/queue"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// ImportedLink says what an import does with a link, and what became of it.
type ImportedLink struct {
	ID      waymark.LinkID // of a link that is not added, before it is saved
	Outcome ImportOutcome
	Changed bool // the outcome is LinkUpdated, and the link got a list or tag that it did not have
	// TooManyLists and TooManyTags report that some were left out, because the link would have
	// more than it may.
	TooManyLists, TooManyTags bool
}

// tooMany records that some lists, or tags, were left out.
func (l *ImportedLink) tooMany(assoc *query.Association) {
	if assoc == &query.LinkTags {
		l.TooManyTags = true
	} else {
		l.TooManyLists = true
	}
}

// ImportOutcome is what an import does with a link.
type ImportOutcome int

// The outcomes. They correspond to the fields of waymark.ImportCounts.
const (
	LinkSkipped ImportOutcome = iota
	LinkAdded
	LinkUpdated
	LinkMerged
)

// The exported methods of this file are the questions and writes of an import of bookmarks. Package
// transfer has the rules. Call them in StepImport, which locks the owner.

// LinksByURL returns owner's links with these URLs, by URL: the active ones, or those in the trash.
func (s *Store) LinksByURL(ctx context.Context, owner waymark.UserID, urls []string, inTrash bool) (map[string]waymark.LinkID, error) {
	found := map[string]waymark.LinkID{}
	if len(urls) == 0 {
		return found, nil
	}
	condition := "e.visible_to IS NOT NULL"
	if inTrash {
		condition = "e.visible_to IS NULL"
	}
	hashes := make([]database.Hex, len(urls))
	for i, url := range urls {
		hashes[i] = table.URLHash(url)
	}
	err := s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		byHash, err := linksByHash(ctx, q, owner, hashes, condition)
		for i, url := range urls {
			if id, ok := byHash[hashes[i]]; ok {
				found[url] = id
			}
		}
		return err
	})
	return found, err
}

// SaveImportedLinks inserts the links whose outcome is LinkAdded, and sets their ids. It attaches the
// lists and tags of all links that are not skipped, and creates a list or tag for each name that none
// of owner's has. It leaves out more lists or tags than a link may have. imported has an element for
// each of the links.
func (s *Store) SaveImportedLinks(ctx context.Context, owner waymark.User, all []waymark.LinkImport, imported []ImportedLink) error {
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := s.insertImported(ctx, q, owner.ID, all, imported); err != nil {
			return err
		}
		if err := s.queueImported(ctx, q, owner.ID, all, imported); err != nil {
			return err
		}
		for _, assoc := range []*query.Association{&query.LinkLists, &query.LinkTags} {
			if err := s.attachImported(ctx, q, assoc, owner, all, imported); err != nil {
				return err
			}
		}
		var changed []int64
		for i := range imported {
			if imported[i].Changed {
				changed = append(changed, int64(imported[i].ID))
			}
		}
		return s.touchLinks(ctx, q, changed)
	})
}

// queueImported lets the pages of the links that were added be fetched.
func (s *Store) queueImported(ctx context.Context, q database.Querier, owner waymark.UserID, all []waymark.LinkImport, imported []ImportedLink) error {
	var pages []queue.WantedPage
	for i := range imported {
		if imported[i].Outcome == LinkAdded {
			pages = append(pages, s.Queue.NewPage(imported[i].ID, all[i].Link))
		}
	}
	return s.Queue.AddPages(ctx, ctx, q, owner, pages)
}

// RestrictImported gives links this visibility, except for those that fewer people see already.
func (s *Store) RestrictImported(ctx context.Context, ids []waymark.LinkID, visibility waymark.Visibility) error {
	if len(ids) == 0 {
		return nil
	}
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		a := q.Args(visibility)
		changed, err := database.QueryAll(ctx, q, database.ScanValue[int64], `
			UPDATE links
			SET visibility = $1
			WHERE id `+database.In(a, ids)+` AND visibility < $1
			RETURNING id`, a.Values...)
		if err == nil {
			s.importChanged(changed)
		}
		return err
	})
}

// DateImported sets the time of creation of a link, unless it is older already.
func (s *Store) DateImported(ctx context.Context, id waymark.LinkID, created waymark.Time) error {
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		changed, err := database.QueryAll(ctx, q, database.ScanValue[int64], `
			UPDATE links
			SET created_at = $1
			WHERE id = $2 AND created_at > $1
			RETURNING id`, created, id)
		if err == nil {
			s.importChanged(changed)
		}
		return err
	})
}

// importChanged records links of the import that it has changed again.
func (s *Store) importChanged(ids []int64) {
	s.imported(func(i *undo.Import) {
		for _, id := range ids {
			i.Changed = append(i.Changed, undo.Added{ID: id})
		}
	})
}

// touchLinks sets the updated_at of links that an import has changed.
func (s *Store) touchLinks(ctx context.Context, q database.Querier, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	a := q.Args(s.now())
	_, err := q.Exec(ctx, `
		UPDATE links
		SET updated_at = $1
		WHERE id `+database.In(a, ids), a.Values...)
	return err
}

// linksByHash returns the ids of owner's links with these hashes of URLs, by hash. A link of
// condition is active, or in the trash.
func linksByHash(ctx context.Context, q database.Querier, owner waymark.UserID, hashes []database.Hex, condition string) (map[database.Hex]waymark.LinkID, error) {
	type row struct {
		id   waymark.LinkID
		hash []byte
	}
	found := map[database.Hex]waymark.LinkID{}
	a := q.Args(owner)
	for link, err := range database.QueryEach(ctx, q, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.id, &r.hash) }, `
		SELECT e.id, e.url_hash
		FROM links AS e
		WHERE e.url_hash `+database.In(a, hashes)+` AND e.user_id = $1 AND `+condition, a.Values...) {
		if err != nil {
			return nil, err
		}
		found[database.NewHex(link.hash)] = link.id
	}
	return found, nil
}

// insertImported inserts the links to add, and sets their ids.
func (s *Store) insertImported(ctx context.Context, q database.Querier, owner waymark.UserID, all []waymark.LinkImport, imported []ImportedLink) error {
	var rows []waymark.Link
	for i := range imported {
		if imported[i].Outcome == LinkAdded {
			row := all[i].Link
			row.Owner = owner
			rows = append(rows, row)
		}
	}
	ids, err := table.Insert[waymark.LinkID](ctx, q, &links.Table, rows)
	if err != nil {
		return err
	}
	var created []int64
	for i := range imported {
		if imported[i].Outcome != LinkAdded {
			continue
		}
		imported[i].ID, ids = ids[0], ids[1:]
		if all[i].Link.DeletedAt == 0 {
			created = append(created, int64(imported[i].ID))
		}
	}
	s.imported(func(i *undo.Import) { i.Add(waymark.Links, created...) })
	return nil
}

// attachImported attaches the lists, or the tags, of the links that were not skipped, and sets
// Changed.
func (s *Store) attachImported(ctx context.Context, q database.Querier, assoc *query.Association, owner waymark.User, all []waymark.LinkImport, imported []ImportedLink) error {
	limit := s.limitOf(assoc)
	var refs []waymark.Ref
	var existing []int64 // links that can have some already
	for i := range imported {
		names := namesOf(&all[i], assoc)
		if imported[i].Outcome == LinkSkipped || len(names) == 0 {
			continue
		}
		if imported[i].Outcome == LinkAdded { // do not create what will be left out
			names = names[:min(len(names), limit)]
		}
		for _, name := range names {
			refs = append(refs, waymark.Ref{Name: name})
		}
		if imported[i].Outcome != LinkAdded {
			existing = append(existing, int64(imported[i].ID))
		}
	}
	if len(refs) == 0 {
		return nil
	}
	resolved, err := s.resolveOrCreate(ctx, q, assoc, owner, refs, func(resolvedRefs) error { return nil })
	if err != nil {
		return err
	}
	has, count, err := attachedTo(ctx, q, assoc, existing)
	if err != nil {
		return err
	}
	var pairs [][2]int64
	for i := range imported {
		if imported[i].Outcome == LinkSkipped {
			continue
		}
		link := int64(imported[i].ID)
		for _, name := range namesOf(&all[i], assoc) {
			label, known := resolved.id(waymark.Ref{Name: name})
			pair := [2]int64{link, label}
			switch {
			case has[pair]:
				continue
			case count[link] >= limit, !known:
				imported[i].tooMany(assoc)
				continue
			}
			has[pair] = true
			count[link]++
			pairs = append(pairs, pair)
			imported[i].Changed = imported[i].Changed || imported[i].Outcome == LinkUpdated
		}
	}
	s.importedPairs(assoc, pairs)
	return insertAssociations(ctx, q, assoc, pairs)
}

// importedPairs records the pairs of links with lists, or with tags, that an import has attached.
func (s *Store) importedPairs(assoc *query.Association, pairs [][2]int64) {
	s.imported(func(i *undo.Import) {
		all := i.Pairs(kindOf(assoc))
		*all = append(*all, pairs...)
	})
}

// attachedTo returns the pairs of links and their lists, or tags, and how many each link has.
func attachedTo(ctx context.Context, q database.Querier, assoc *query.Association, links []int64) (has map[[2]int64]bool, count map[int64]int, err error) {
	has, count = map[[2]int64]bool{}, map[int64]int{}
	if len(links) == 0 {
		return has, count, nil
	}
	a := q.Args()
	for pair, err := range database.QueryEach(ctx, q, scanPair, `
		SELECT link_id, `+assoc.Column+`
		FROM `+assoc.Table+`
		WHERE link_id `+database.In(a, table.Unique(links)), a.Values...) {
		if err != nil {
			return nil, nil, err
		}
		has[pair] = true
		count[pair[0]]++
	}
	return has, count, nil
}

// namesOf returns the lists, or the tags, of a link of a file.
func namesOf(link *waymark.LinkImport, assoc *query.Association) []string {
	if assoc == &query.LinkTags {
		return link.Tags
	}
	return link.Lists
}

// NoteText is the text of a note on a link.
type NoteText struct {
	Link waymark.LinkID
	Text string
}

// NoteTexts returns the texts of owner's notes on these links, also of those in the trash.
func (s *Store) NoteTexts(ctx context.Context, owner waymark.UserID, ids []waymark.LinkID) (texts []NoteText, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.writeTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		a := q.Args(owner)
		texts, err = database.QueryAll(ctx, q, func(rows *sql.Rows, n *NoteText) error { return rows.Scan(&n.Link, &n.Text) }, `
			SELECT n.link_id, n.note
			FROM notes AS n
			WHERE n.link_id `+database.In(a, ids)+` AND n.user_id = $1`, a.Values...)
		return err
	})
	return texts, err
}

// InsertImportedNotes inserts notes. Their owner and link are set.
func (s *Store) InsertImportedNotes(ctx context.Context, rows []waymark.Note) error {
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		ids, err := table.InsertBatches[waymark.NoteID](ctx, ctx, q, &notes.Table, rows)
		if err == nil {
			s.imported(func(i *undo.Import) { i.Add(waymark.Notes, table.PlainIDs(ids)...) })
		}
		return err
	})
}
