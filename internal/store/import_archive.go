package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// The methods of the files import_archive*.go save the entities of an archive for their owner, who is
// set in all of them. They keep all times and the order. Each can be called again with the same entities and
// finds them: an import that was interrupted can start again. Call them in StepImport.

// ArchivedLink is a link of an archive with its lists, tags and notes.
type ArchivedLink struct {
	CollectedLink // with an ID, it was saved before, and only the notes are new
	Notes         []ArchivedNote
	// Duplicates is the number of links in the trash with the same URL and time of creation that the
	// archive has so far, this one included.
	Duplicates int
}

// ImportArchivedLinks saves links with their lists, tags and notes. A link with a URL that owner has
// already gets the lists, tags and notes in addition. A link that is to be in the trash is created
// unless the trash has that many duplicates. More lists or tags than a link may have are left out.
func (s *Store) ImportArchivedLinks(ctx context.Context, owner waymark.UserID, all []ArchivedLink) (imported []ImportedLink, err error) {
	err = s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		if imported, err = findArchived(ctx, q, owner, all); err != nil {
			return err
		}
		rows := make([]waymark.LinkImport, len(all))
		for i := range all {
			rows[i].Link = all[i].Link
		}
		if err := s.insertImported(ctx, q, owner, rows, imported); err != nil {
			return err
		}
		changed := map[int64]bool{}
		for _, assoc := range []*query.Association{&query.LinkLists, &query.LinkTags} {
			if err := s.attachArchived(ctx, q, assoc, all, imported, changed); err != nil {
				return err
			}
		}
		var notes []ArchivedNote
		for i := range all {
			for _, n := range all[i].Notes {
				n.Link = imported[i].ID
				notes = append(notes, n)
			}
		}
		known := map[waymark.LinkID]bool{}
		for i := range imported {
			known[imported[i].ID] = imported[i].Outcome != LinkAdded
		}
		added, err := s.insertArchivedNotes(ctx, q, owner, notes, known)
		if err != nil {
			return err
		}
		for i := range imported {
			if id := imported[i].ID; imported[i].Outcome == LinkSkipped && (changed[int64(id)] || added[id]) {
				imported[i].Outcome = LinkUpdated
			}
		}
		return s.touchLinks(ctx, q, slices.Sorted(maps.Keys(changed)))
	})
	return imported, err
}

// findArchived decides which links are added.
func findArchived(ctx context.Context, q database.Querier, owner waymark.UserID, all []ArchivedLink) ([]ImportedLink, error) {
	var hashes, trashed []database.Hex
	for i := range all {
		switch {
		case all[i].ID != 0:
		case all[i].DeletedAt != 0:
			trashed = append(trashed, table.URLHash(all[i].URL))
		default:
			hashes = append(hashes, table.URLHash(all[i].URL))
		}
	}
	active := map[database.Hex]waymark.LinkID{}
	var err error
	if len(hashes) > 0 {
		if active, err = linksByHash(ctx, q, owner, hashes, "e.visible_to IS NOT NULL"); err != nil {
			return nil, err
		}
	}
	inTrash, err := trashedByURL(ctx, q, owner, trashed)
	if err != nil {
		return nil, err
	}
	imported := make([]ImportedLink, len(all))
	for i := range all {
		hash := table.URLHash(all[i].URL)
		switch {
		case all[i].ID != 0:
			imported[i].ID = all[i].ID
		case all[i].DeletedAt != 0:
			duplicates := inTrash[trashedKey{hash, all[i].CreatedAt}]
			if len(duplicates) >= all[i].Duplicates {
				imported[i].ID = duplicates[all[i].Duplicates-1]
			}
		default:
			imported[i].ID = active[hash]
		}
		if imported[i].ID == 0 {
			imported[i].Outcome = LinkAdded
		}
	}
	return imported, nil
}

// trashedKey identifies links in the trash: those with the same key are duplicates.
type trashedKey struct {
	hash    database.Hex
	created waymark.Time
}

// trashedByURL returns the links in owner's trash with these hashes of URLs.
func trashedByURL(ctx context.Context, q database.Querier, owner waymark.UserID, hashes []database.Hex) (map[trashedKey][]waymark.LinkID, error) {
	found := map[trashedKey][]waymark.LinkID{}
	if len(hashes) == 0 {
		return found, nil
	}
	type row struct {
		id      waymark.LinkID
		hash    []byte
		created waymark.Time
	}
	a := q.Args(owner)
	for r, err := range database.QueryEach(ctx, q, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.id, &r.hash, &r.created) }, `
		SELECT e.id, e.url_hash, e.created_at
		FROM links AS e
		WHERE e.user_id = $1 AND e.visible_to IS NULL AND e.url_hash `+database.In(a, hashes)+`
		ORDER BY e.id`, a.Values...) {
		if err != nil {
			return nil, err
		}
		key := trashedKey{database.NewHex(r.hash), r.created}
		found[key] = append(found[key], r.id)
	}
	return found, nil
}

// attachArchived attaches the lists, or the tags. It adds the links that were saved before and got
// one to changed.
func (s *Store) attachArchived(ctx context.Context, q database.Querier, assoc *query.Association, all []ArchivedLink, imported []ImportedLink, changed map[int64]bool) error {
	limit := s.limitOf(assoc)
	idsOf := func(i int) []int64 {
		if assoc == &query.LinkTags {
			return table.PlainIDs(all[i].TagIDs)
		}
		return table.PlainIDs(all[i].ListIDs)
	}
	var existing []int64
	for i := range imported {
		if imported[i].Outcome != LinkAdded && len(idsOf(i)) > 0 {
			existing = append(existing, int64(imported[i].ID))
		}
	}
	has, count, err := attachedTo(ctx, q, assoc, existing)
	if err != nil {
		return err
	}
	var pairs [][2]int64
	for i := range imported {
		link := int64(imported[i].ID)
		for _, id := range idsOf(i) {
			pair := [2]int64{link, id}
			switch {
			case has[pair]:
				continue
			case count[link] >= limit:
				imported[i].tooMany(assoc)
				continue
			}
			has[pair] = true
			count[link]++
			pairs = append(pairs, pair)
			if imported[i].Outcome != LinkAdded {
				changed[link] = true
			}
		}
	}
	s.importedPairs(assoc, pairs)
	return insertAssociations(ctx, q, assoc, pairs)
}
