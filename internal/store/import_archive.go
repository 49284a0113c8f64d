package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"maps"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// The methods of this file save the entities of an archive for their owner, who is set in all of
// them. They keep all times and the order. Each can be called again with the same entities and
// finds them: an import that was interrupted can start again. Call them in StepImport.

// ImportSettings sets the settings and the default visibility of an account without links, lists,
// tags, notes and saved searches. It leaves those of another account as they are.
func (s *Store) ImportSettings(ctx context.Context, id waymark.UserID, settings waymark.Settings, visibility waymark.DefaultVisibility) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		for _, table := range []string{"links", "lists", "tags", "notes", "saved_searches"} {
			used, err := database.QueryOne(ctx, q, database.ScanValue[bool], `
		SELECT EXISTS (
			SELECT 1
			FROM `+table+`
			WHERE user_id = $1)`, id)
			if used || err != nil {
				return err
			}
		}
		row, err := users.get(ctx, q, "e.id = $1"+q.RowLock(), id)
		if err != nil {
			return err
		}
		before := undo.Account{Settings: row.Settings, DefaultVisibility: row.DefaultVisibility}
		row.Settings, row.DefaultVisibility = settings, row.DefaultVisibility.Edit(visibility)
		after := undo.Account{Settings: row.Settings, DefaultVisibility: row.DefaultVisibility}
		if before == after {
			return nil
		}
		s.record(func(r *undo.Record) {
			r.Accounts = append(r.Accounts, undo.Row[undo.Account]{Before: before, After: after})
		})
		return users.update(ctx, q, int64(id), &row)
	})
}

// ImportLists saves lists, and returns their ids. If owner has the list already, with the same name
// and time of creation, in the trash or not, or else an active one of its name, that one stays as
// it is. used reports whether another list of the archive is that one.
func (s *Store) ImportLists(ctx context.Context, owner waymark.UserID, all []CollectedList, used func(waymark.ListID) bool) ([]waymark.ListID, error) {
	entities := make([]waymark.List, len(all))
	for i := range all {
		entities[i] = all[i].List
	}
	return importLabels(ctx, s, &lists, waymark.Lists, owner, entities, used,
		func(l *waymark.List) labelTimes { return labelTimes{l.CreatedAt, l.UpdatedAt, l.DeletedAt} },
		func(i int) bool { return all[i].Pinned })
}

// ImportTags saves tags as ImportLists saves lists, but several can be the same one: a name is
// unique.
func (s *Store) ImportTags(ctx context.Context, owner waymark.UserID, all []CollectedTag) ([]waymark.TagID, error) {
	entities := make([]waymark.Tag, len(all))
	for i := range all {
		entities[i] = all[i].Tag
	}
	return importLabels[waymark.TagID](ctx, s, &tags, waymark.Tags, owner, entities, nil,
		func(t *waymark.Tag) labelTimes { return labelTimes{t.CreatedAt, t.UpdatedAt, t.DeletedAt} },
		func(i int) bool { return all[i].Pinned })
}

type labelTimes struct{ created, updated, deleted waymark.Time }

// labelKey identifies a list or tag of an archive.
type labelKey struct {
	folded  string
	created waymark.Time
	trashed bool
}

func importLabels[ID waymark.ID, T any](ctx context.Context, s *Store, t *entityTable[T], kind waymark.EntityKind, owner waymark.UserID, all []T, used func(ID) bool,
	timesOf func(*T) labelTimes, pinned func(i int) bool,
) (ids []ID, err error) {
	key := func(i int) labelKey {
		times := timesOf(&all[i])
		return labelKey{waymark.Fold(t.nameOf(&all[i])), times.created, times.deleted != 0}
	}
	err = s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		folded := make([]string, len(all))
		for i := range all {
			folded[i] = key(i).folded
		}
		existing, err := labelsNamed[ID](ctx, q, t, owner, folded)
		if err != nil {
			return err
		}
		ids = make([]ID, len(all))
		taken := map[ID]bool{}
		take := func(i int, fits func(found labelKey) bool) {
			for _, found := range existing[key(i).folded] {
				free := used == nil && !found.key.trashed || !taken[found.id] && (used == nil || !used(found.id))
				if ids[i] == 0 && free && fits(found.key) {
					ids[i], taken[found.id] = found.id, true
				}
			}
		}
		for i := range all {
			take(i, func(found labelKey) bool { return found == key(i) })
		}
		var missing []int
		first := map[string]int{} // of the active tags to insert, by name
		same := map[int]int{}
		for i := range all {
			if ids[i] == 0 && !key(i).trashed {
				take(i, func(found labelKey) bool { return !found.trashed })
			}
			if ids[i] != 0 {
				continue
			}
			if n, ok := first[key(i).folded]; ok && !key(i).trashed {
				same[i] = n
				continue
			}
			if used == nil && !key(i).trashed {
				first[key(i).folded] = i
			}
			missing = append(missing, i)
		}
		if err := insertLabels(ctx, s, q, t, kind, owner, all, missing, ids, timesOf, pinned); err != nil {
			return err
		}
		for i, n := range same {
			ids[i] = ids[n]
		}
		return nil
	})
	return ids, err
}

// existingLabel is a list or tag of the account.
type existingLabel[ID waymark.ID] struct {
	id  ID
	key labelKey
}

// labelsNamed returns the lists or tags of owner with these folded names, the oldest first and
// those in the trash last.
func labelsNamed[ID waymark.ID, T any](ctx context.Context, q database.Querier, t *entityTable[T], owner waymark.UserID, folded []string) (map[string][]existingLabel[ID], error) {
	existing := map[string][]existingLabel[ID]{}
	scan := func(rows *sql.Rows, l *existingLabel[ID]) error {
		return rows.Scan(&l.id, &l.key.folded, &l.key.created, &l.key.trashed)
	}
	// Two statements, because there is an index for those in the trash, and one for the others.
	for _, trashed := range []string{"IS NOT NULL", "IS NULL"} {
		a := q.Args(owner)
		for l, err := range database.QueryEach(ctx, q, scan, `
		SELECT e.id, e.name_folded, e.created_at, e.visible_to IS NULL
		FROM `+t.name+` AS e
		WHERE e.user_id = $1 AND e.name_folded `+database.In(a, unique(folded))+` AND e.visible_to `+trashed+`
		ORDER BY e.id`, a.Values...) {
			if err != nil {
				return nil, err
			}
			existing[l.key.folded] = append(existing[l.key.folded], l)
		}
	}
	return existing, nil
}

// insertLabels inserts the missing lists or tags, and sets their ids.
func insertLabels[ID waymark.ID, T any](ctx context.Context, s *Store, q database.Querier, t *entityTable[T], kind waymark.EntityKind, owner waymark.UserID, all []T,
	missing []int, ids []ID, timesOf func(*T) labelTimes, pinned func(i int) bool,
) error {
	rows := make([]T, len(missing))
	for n, i := range missing {
		rows[n] = all[i]
	}
	inserted, err := insertBatches[ID](ctx, ctx, q, &t.table, rows)
	if err != nil {
		return err
	}
	created := undo.IDs{Kind: kind, IfUnused: true}
	var pins [][2]int64
	for n, i := range missing {
		ids[i] = inserted[n]
		times := timesOf(&all[i])
		if times.deleted == 0 {
			created.IDs, created.Times = append(created.IDs, int64(ids[i])), append(created.Times, times.updated)
		}
		if pinned(i) {
			pins = append(pins, [2]int64{int64(owner), int64(ids[i])})
		}
	}
	if len(created.IDs) > 0 {
		s.record(func(r *undo.Record) { r.Created = append(r.Created, created) })
	}
	if len(pins) == 0 {
		return nil
	}
	a := q.Args()
	_, err = q.Exec(ctx, insertSQL(a, pinsOf(t.assoc), []columnType{{"user_id", "BIGINT"}, {t.assoc.Column, "BIGINT"}}, anyRows(pins)), a.Values...)
	return err
}

func anyRows(pairs [][2]int64) [][]any {
	rows := make([][]any, len(pairs))
	for i, pair := range pairs {
		rows[i] = []any{pair[0], pair[1]}
	}
	return rows
}

// ArchivedLink is a link of an archive with its lists, tags and notes.
type ArchivedLink struct {
	CollectedLink // with an ID, it was saved before, and only the notes are new
	Notes         []ArchivedNote
	// Copies is the number of links in the trash with the same URL and time of creation that the
	// archive has so far, this one included.
	Copies int
}

// ArchivedNote is a note of an archive.
type ArchivedNote struct {
	waymark.Note
	Copies int // the number of equal notes on its link that the archive has so far
}

// ImportArchivedLinks saves links with their lists, tags and notes. A link with a URL that owner has
// already gets the lists, tags and notes in addition. A link that is to be in the trash is created
// unless there is the same number of copies. More lists or tags than a link may have are left out.
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
		return s.touchLinks(ctx, q, slices.Sorted(maps.Keys(changed)), nil)
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
			trashed = append(trashed, urlHash(all[i].URL))
		default:
			hashes = append(hashes, urlHash(all[i].URL))
		}
	}
	active := map[database.Hex]waymark.LinkID{}
	var err error
	if len(hashes) > 0 {
		if active, err = linksByHash(ctx, q, owner, hashes, "e.visible_to IS NOT NULL"); err != nil {
			return nil, err
		}
	}
	inTrash, err := trashedCopies(ctx, q, owner, trashed)
	if err != nil {
		return nil, err
	}
	imported := make([]ImportedLink, len(all))
	for i := range all {
		hash := urlHash(all[i].URL)
		switch {
		case all[i].ID != 0:
			imported[i].ID = all[i].ID
		case all[i].DeletedAt != 0:
			copies := inTrash[trashedCopy{hash, all[i].CreatedAt}]
			if len(copies) >= all[i].Copies {
				imported[i].ID = copies[all[i].Copies-1]
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

// trashedCopy identifies links in the trash.
type trashedCopy struct {
	hash    database.Hex
	created waymark.Time
}

// trashedCopies returns the links in owner's trash with these hashes of URLs.
func trashedCopies(ctx context.Context, q database.Querier, owner waymark.UserID, hashes []database.Hex) (map[trashedCopy][]waymark.LinkID, error) {
	found := map[trashedCopy][]waymark.LinkID{}
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
		key := trashedCopy{database.Hex(hex.EncodeToString(r.hash)), r.created}
		found[key] = append(found[key], r.id)
	}
	return found, nil
}

// attachArchived attaches the lists, or the tags. It adds the links that were saved before and got
// one to changed.
func (s *Store) attachArchived(ctx context.Context, q database.Querier, assoc *query.Association, all []ArchivedLink, imported []ImportedLink, changed map[int64]bool) error {
	limit, _ := s.limitOf(assoc)
	idsOf := func(i int) []int64 {
		if assoc == &query.LinkTags {
			return plainIDs(all[i].TagIDs)
		}
		return plainIDs(all[i].ListIDs)
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
	var pairs, attached [][2]int64
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
				attached = append(attached, pair)
			}
		}
	}
	if len(attached) > 0 {
		s.recordPairs(assoc, attached, nil)
	}
	return insertAssociations(ctx, q, assoc, pairs)
}

// noteKey identifies equal notes of a link.
type noteKey struct {
	link    waymark.LinkID
	created waymark.Time
	text    [sha256.Size]byte
}

func keyOfNote(n *waymark.Note) noteKey {
	return noteKey{n.Link, n.CreatedAt, sha256.Sum256([]byte(n.Text))}
}

// insertArchivedNotes inserts notes, except for those that their links have already. known are the
// links that were saved before. It returns those of them that got a note.
func (s *Store) insertArchivedNotes(ctx context.Context, q database.Querier, owner waymark.UserID, all []ArchivedNote, known map[waymark.LinkID]bool) (added map[waymark.LinkID]bool, err error) {
	var linkIDs, times []int64
	for i := range all {
		if known[all[i].Link] {
			linkIDs, times = append(linkIDs, int64(all[i].Link)), append(times, int64(all[i].CreatedAt))
		}
	}
	copies := map[noteKey]int{}
	if len(linkIDs) > 0 {
		a := q.Args(owner)
		for n, err := range database.QueryEach(ctx, q, func(rows *sql.Rows, n *waymark.Note) error { return rows.Scan(&n.Link, &n.CreatedAt, &n.Text) }, `
		SELECT e.link_id, e.created_at, e.note
		FROM notes AS e
		WHERE e.link_id `+database.In(a, unique(linkIDs))+` AND e.user_id = $1 AND e.created_at `+database.In(a, unique(times)), a.Values...) {
			if err != nil {
				return nil, err
			}
			copies[keyOfNote(&n)]++
		}
	}
	var rows []waymark.Note
	for i := range all {
		if key := keyOfNote(&all[i].Note); copies[key] < all[i].Copies {
			copies[key]++
			rows = append(rows, all[i].Note)
		}
	}
	ids, err := insertBatches[waymark.NoteID](ctx, ctx, q, &notes.table, rows)
	if err != nil {
		return nil, err
	}
	added = map[waymark.LinkID]bool{}
	created := undo.IDs{Kind: waymark.Notes}
	for i, id := range ids {
		if !known[rows[i].Link] {
			continue // the note goes with its link
		}
		added[rows[i].Link] = true
		if rows[i].DeletedAt == 0 {
			created.IDs, created.Times = append(created.IDs, int64(id)), append(created.Times, rows[i].UpdatedAt)
		}
	}
	if len(created.IDs) > 0 {
		s.record(func(r *undo.Record) { r.Created = append(r.Created, created) })
	}
	return added, nil
}

// ArchivedOtherNote is a note of an archive on a link of another user.
type ArchivedOtherNote struct {
	ArchivedNote
	URL, Title string // of the link
}

// ImportNotesOnOtherLinks saves notes on links of other users: on a link of another user with the
// URL that owner sees, otherwise on owner's link with the URL, otherwise on a new private one.
func (s *Store) ImportNotesOnOtherLinks(ctx context.Context, owner waymark.UserID, all []ArchivedOtherNote) error {
	return s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		hashes := make([]database.Hex, len(all))
		for i := range all {
			hashes[i] = urlHash(all[i].URL)
		}
		found, err := linksForNotes(ctx, q, owner, hashes)
		if err != nil {
			return err
		}
		var missing []waymark.LinkImport
		for i := range all {
			if _, ok := found[hashes[i]]; !ok {
				found[hashes[i]] = 0
				now := all[i].CreatedAt
				missing = append(missing, waymark.LinkImport{Link: waymark.Link{
					Owner: owner, URL: all[i].URL, Title: all[i].Title, Visibility: waymark.Private, Status: waymark.StatusOK, CreatedAt: now, UpdatedAt: now,
				}})
			}
		}
		imported := make([]ImportedLink, len(missing))
		for i := range imported {
			imported[i].Outcome = LinkAdded
		}
		if err := s.insertImported(ctx, q, owner, missing, imported); err != nil {
			return err
		}
		for i := range missing {
			found[urlHash(missing[i].Link.URL)] = imported[i].ID
		}
		notes, known := make([]ArchivedNote, len(all)), map[waymark.LinkID]bool{}
		for i := range all {
			notes[i] = all[i].ArchivedNote
			notes[i].Link = found[hashes[i]]
			known[notes[i].Link] = true
		}
		_, err = s.insertArchivedNotes(ctx, q, owner, notes, known)
		return err
	})
}

// linksForNotes returns the links with these hashes of URLs to which an archive adds notes.
func linksForNotes(ctx context.Context, q database.Querier, owner waymark.UserID, hashes []database.Hex) (map[database.Hex]waymark.LinkID, error) {
	type row struct {
		id   waymark.LinkID
		hash []byte
		own  bool
	}
	found, isOwn := map[database.Hex]waymark.LinkID{}, map[database.Hex]bool{}
	a := q.Args(owner)
	for r, err := range database.QueryEach(ctx, q, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.id, &r.hash, &r.own) }, `
		SELECT e.id, e.url_hash, e.user_id = $1
		FROM links AS e
		WHERE e.url_hash `+database.In(a, hashes)+` AND `+query.VisibleTo(a, "e.visible_to", owner)+`
		ORDER BY e.id`, a.Values...) {
		if err != nil {
			return nil, err
		}
		hash := database.Hex(hex.EncodeToString(r.hash))
		if _, ok := found[hash]; !ok || isOwn[hash] && !r.own {
			found[hash], isOwn[hash] = r.id, r.own
		}
	}
	return found, nil
}

// ImportSavedSearches saves searches until there are waymark.MaxSavedSearches. It leaves out those
// that owner has with the same name and the same query or time of creation. It returns the number
// of those beyond the limit.
func (s *Store) ImportSavedSearches(ctx context.Context, owner waymark.UserID, all []waymark.SavedSearch) (left int, err error) {
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		existing, err := readSavedSearches(ctx, q, owner)
		if err != nil {
			return err
		}
		count := len(existing)
		var rows []waymark.SavedSearch
		left = 0
		for _, search := range all {
			same := slices.IndexFunc(existing, func(e waymark.SavedSearch) bool {
				return e.Name == search.Name && (e.Query == search.Query || e.CreatedAt == search.CreatedAt)
			})
			switch {
			case same >= 0:
				existing = slices.Delete(existing, same, same+1)
			case count == waymark.MaxSavedSearches:
				left++
			default:
				count++
				rows = append(rows, search)
			}
		}
		ids, err := insert[waymark.SavedSearchID](ctx, q, &savedSearches, rows)
		if len(ids) > 0 {
			s.record(func(r *undo.Record) { r.SavedSearches = append(r.SavedSearches, ids...) })
		}
		return err
	})
	return left, err
}
