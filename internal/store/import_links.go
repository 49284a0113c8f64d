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

// ImportedLink says what became of a link that ImportLinks was to save.
type ImportedLink struct {
	ID      waymark.LinkID
	Outcome ImportOutcome
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

// ImportOutcome is what ImportLinks did with a link.
type ImportOutcome int

// The outcomes of ImportLinks. They correspond to the fields of waymark.ImportCounts.
const (
	LinkSkipped ImportOutcome = iota
	LinkAdded
	LinkUpdated
	LinkMerged
)

// ImportLinks saves the links of a file for owner, with their lists, tags and notes. It creates a
// list or tag for each name that none of owner's has. Two of the links have the same URL only if
// one of them is to be in the trash.
//
// A link that owner has already gets the lists and tags, besides its own, if update is true, and is
// left as it is otherwise. A link in own always gets its lists, tags and notes, and counts as
// merged: this import added it, or an interrupted import of the same file. A link for the trash is
// skipped if owner has its URL, in the trash or not.
//
// More lists or tags than a link may have are left out.
func (s *Store) ImportLinks(ctx context.Context, owner waymark.User, all []waymark.LinkImport, update bool, own map[waymark.LinkID]bool) (imported []ImportedLink, err error) {
	err = s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := table.LockUser(ctx, q, owner.ID); err != nil {
			return err
		}
		if imported, err = findImported(ctx, q, owner.ID, all, update, own); err != nil {
			return err
		}
		if err := s.insertImported(ctx, q, owner.ID, all, imported); err != nil {
			return err
		}
		if err := s.queueImported(ctx, q, owner.ID, all, imported); err != nil {
			return err
		}
		updated := map[int64]bool{}
		for _, assoc := range []*query.Association{&query.LinkLists, &query.LinkTags} {
			if err := s.attachImported(ctx, q, assoc, owner, all, imported, updated); err != nil {
				return err
			}
		}
		var changed []int64
		for i := range imported {
			switch id := int64(imported[i].ID); {
			case imported[i].Outcome == LinkUpdated && updated[id]:
				changed = append(changed, id)
			case imported[i].Outcome == LinkUpdated:
				imported[i].Outcome = LinkSkipped // it has all of the lists and tags
			}
		}
		if err := s.touchLinks(ctx, q, changed); err != nil {
			return err
		}
		if err := s.restrictMerged(ctx, q, all, imported); err != nil {
			return err
		}
		if err := s.dateMerged(ctx, q, all, imported); err != nil {
			return err
		}
		return s.insertImportedNotes(ctx, q, owner.ID, all, imported)
	})
	return imported, err
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

// restrictMerged lets fewer people see the links that were merged, if the file says so in a later row:
// see waymark.LinkImport.Merge.
func (s *Store) restrictMerged(ctx context.Context, q database.Querier, all []waymark.LinkImport, imported []ImportedLink) error {
	for _, visibility := range []waymark.Visibility{waymark.Internal, waymark.Private} {
		var ids []int64
		for i := range imported {
			if imported[i].Outcome == LinkMerged && all[i].HasVisibility && all[i].Link.Visibility == visibility {
				ids = append(ids, int64(imported[i].ID))
			}
		}
		if len(ids) == 0 {
			continue
		}
		a := q.Args(visibility)
		changed, err := database.QueryAll(ctx, q, database.ScanValue[int64], `
			UPDATE links
			SET visibility = $1
			WHERE id `+database.In(a, ids)+` AND visibility < $1
			RETURNING id`, a.Values...)
		if err != nil {
			return err
		}
		s.importChanged(changed)
	}
	return nil
}

// dateMerged gives the links that were merged the oldest date of the file.
func (s *Store) dateMerged(ctx context.Context, q database.Querier, all []waymark.LinkImport, imported []ImportedLink) error {
	for i := range imported {
		if imported[i].Outcome != LinkMerged || !all[i].HasDate {
			continue
		}
		changed, err := database.QueryAll(ctx, q, database.ScanValue[int64], `
			UPDATE links
			SET created_at = $1
			WHERE id = $2 AND created_at > $1
			RETURNING id`, all[i].Link.CreatedAt, imported[i].ID)
		if err != nil {
			return err
		}
		s.importChanged(changed)
	}
	return nil
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

// findImported finds the links that owner has already, and decides what becomes of each link.
func findImported(ctx context.Context, q database.Querier, owner waymark.UserID, all []waymark.LinkImport, update bool, own map[waymark.LinkID]bool) ([]ImportedLink, error) {
	hashes := make([]database.Hex, len(all))
	var trashed []database.Hex
	adds := map[database.Hex]bool{}
	for i := range all {
		hashes[i] = table.URLHash(all[i].Link.URL)
		if all[i].Link.DeletedAt != 0 {
			trashed = append(trashed, hashes[i])
		} else {
			adds[hashes[i]] = true
		}
	}
	active, err := linksByHash(ctx, q, owner, hashes, "e.visible_to IS NOT NULL")
	if err != nil {
		return nil, err
	}
	inTrash := map[database.Hex]waymark.LinkID{}
	if len(trashed) > 0 {
		if inTrash, err = linksByHash(ctx, q, owner, trashed, "e.visible_to IS NULL"); err != nil {
			return nil, err
		}
	}
	imported := make([]ImportedLink, len(all))
	for i := range all {
		id, exists := active[hashes[i]]
		isOwn := own[id]
		toTrash := all[i].Link.DeletedAt != 0
		if toTrash && !exists {
			id, exists = inTrash[hashes[i]]
		}
		switch {
		case !exists && (!toTrash || !adds[hashes[i]]):
			imported[i].Outcome = LinkAdded
		case toTrash:
		case isOwn:
			imported[i] = ImportedLink{ID: id, Outcome: LinkMerged}
		case update:
			imported[i] = ImportedLink{ID: id, Outcome: LinkUpdated}
		}
	}
	return imported, nil
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

// attachImported attaches the lists, or the tags, of the links that were not skipped. It adds the
// links that were saved before and got one to updated.
func (s *Store) attachImported(ctx context.Context, q database.Querier, assoc *query.Association, owner waymark.User, all []waymark.LinkImport, imported []ImportedLink, updated map[int64]bool) error {
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
			if imported[i].Outcome == LinkUpdated {
				updated[link] = true
			}
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

// insertImportedNotes inserts the notes of the links that were added or merged, except for those
// with the text of a note that the link had before.
func (s *Store) insertImportedNotes(ctx context.Context, q database.Querier, owner waymark.UserID, all []waymark.LinkImport, imported []ImportedLink) error {
	type note struct {
		link waymark.LinkID
		text string
	}
	has := map[note]bool{}
	var merged []int64
	for i := range imported {
		if imported[i].Outcome == LinkMerged && len(all[i].Notes) > 0 {
			merged = append(merged, int64(imported[i].ID))
		}
	}
	if len(merged) > 0 {
		a := q.Args(owner)
		for n, err := range database.QueryEach(ctx, q, func(rows *sql.Rows, n *note) error { return rows.Scan(&n.link, &n.text) }, `
			SELECT n.link_id, n.note
			FROM notes AS n
			WHERE n.link_id `+database.In(a, merged)+` AND n.user_id = $1`, a.Values...) {
			if err != nil {
				return err
			}
			has[n] = true
		}
	}
	var rows []waymark.Note
	for i := range imported {
		if imported[i].Outcome != LinkAdded && imported[i].Outcome != LinkMerged {
			continue
		}
		for _, n := range all[i].Notes {
			if !has[note{imported[i].ID, n.Text}] {
				n.Owner, n.Link = owner, imported[i].ID
				rows = append(rows, n)
			}
		}
	}
	ids, err := table.InsertBatches[waymark.NoteID](ctx, ctx, q, &notes.Table, rows)
	if err != nil {
		return err
	}
	s.imported(func(i *undo.Import) { i.Add(waymark.Notes, table.PlainIDs(ids)...) })
	return nil
}
