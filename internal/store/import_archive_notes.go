package store

import (
	"context"
	"crypto/sha256"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// ArchivedNote is a note of an archive.
type ArchivedNote struct {
	waymark.Note
	Undated    bool // the archive does not say when it was created: notes with the same text are equal
	Duplicates int  // the number of equal notes on its link that the archive has so far
}

// noteKey identifies equal notes of a link.
type noteKey struct {
	link    waymark.LinkID
	created waymark.Time // 0 for any
	text    [sha256.Size]byte
}

func keyOfNote(n *waymark.Note) noteKey {
	return noteKey{n.Link, n.CreatedAt, sha256.Sum256([]byte(n.Text))}
}

// insertArchivedNotes inserts notes, except for those that their links have already. known are the
// links that were saved before. It returns the links that got a note.
func (s *Store) insertArchivedNotes(ctx context.Context, q database.Querier, owner waymark.UserID, all []ArchivedNote, known map[waymark.LinkID]bool) (added map[waymark.LinkID]bool, err error) {
	var linkIDs, times []int64
	undated := false
	for i := range all {
		if known[all[i].Link] {
			linkIDs, times = append(linkIDs, int64(all[i].Link)), append(times, int64(all[i].CreatedAt))
			undated = undated || all[i].Undated
		}
	}
	duplicates := map[noteKey]int{}
	if len(linkIDs) > 0 {
		a := q.Args(owner)
		where := "e.link_id " + database.In(a, table.Unique(linkIDs)) + " AND e.user_id = $1"
		if !undated {
			where += " AND e.created_at " + database.In(a, table.Unique(times))
		}
		for n, err := range database.QueryEach(ctx, q, func(rows *sql.Rows, n *waymark.Note) error { return rows.Scan(&n.Link, &n.CreatedAt, &n.Text) }, `
		SELECT e.link_id, e.created_at, e.note
		FROM notes AS e
		WHERE `+where, a.Values...) {
			if err != nil {
				return nil, err
			}
			key := keyOfNote(&n)
			duplicates[key]++
			key.created = 0
			duplicates[key]++
		}
	}
	var rows []waymark.Note
	for i := range all {
		key := keyOfNote(&all[i].Note)
		if all[i].Undated {
			key.created = 0
		}
		if duplicates[key] < all[i].Duplicates {
			duplicates[key]++
			rows = append(rows, all[i].Note)
		}
	}
	ids, err := table.InsertBatches[waymark.NoteID](ctx, ctx, q, &notes.Table, rows)
	if err != nil {
		return nil, err
	}
	added = map[waymark.LinkID]bool{}
	for i := range ids {
		if known[rows[i].Link] {
			added[rows[i].Link] = true
		}
	}
	s.imported(func(i *undo.Import) { i.Add(waymark.Notes, table.PlainIDs(ids)...) })
	return added, nil
}

// ArchivedOtherNote is a note of an archive on a link of another user.
type ArchivedOtherNote struct {
	ArchivedNote
	URL, Title string // of the link
}

// ImportNotesOnOtherLinks saves notes on links of other users: on a link of another user with the
// URL that owner sees, otherwise on owner's link with the URL, otherwise on a new private one. It returns the number of
// new links.
func (s *Store) ImportNotesOnOtherLinks(ctx context.Context, owner waymark.UserID, all []ArchivedOtherNote) (added int, err error) {
	err = s.writeTx(ctx, func(ctx context.Context, q database.Querier) error {
		hashes := make([]database.Hex, len(all))
		for i := range all {
			hashes[i] = table.URLHash(all[i].URL)
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
			found[table.URLHash(missing[i].Link.URL)] = imported[i].ID
		}
		notes, known := make([]ArchivedNote, len(all)), map[waymark.LinkID]bool{}
		for i := range all {
			notes[i] = all[i].ArchivedNote
			notes[i].Link = found[hashes[i]]
			known[notes[i].Link] = true
		}
		added = len(missing)
		_, err = s.insertArchivedNotes(ctx, q, owner, notes, known)
		return err
	})
	return added, err
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
		hash := database.NewHex(r.hash)
		if _, ok := found[hash]; !ok || isOwn[hash] && !r.own {
			found[hash], isOwn[hash] = r.id, r.own
		}
	}
	return found, nil
}
