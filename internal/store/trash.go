package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// TrashedLinks lists a user's own links in the trash, by id, with their lists and tags.
func (s *Store) TrashedLinks(owner waymark.UserID) Listing[waymark.Link] {
	return newTrashListing(s, &links, owner)
}

// TrashedLists lists a user's own lists in the trash, by id.
func (s *Store) TrashedLists(owner waymark.UserID) Listing[waymark.List] {
	return newTrashListing(s, &lists, owner)
}

// TrashedTags lists a user's own tags in the trash, by id.
func (s *Store) TrashedTags(owner waymark.UserID) Listing[waymark.Tag] {
	return newTrashListing(s, &tags, owner)
}

// TrashedNotes lists a user's own notes in the trash, by id.
func (s *Store) TrashedNotes(owner waymark.UserID) Listing[waymark.Note] {
	return newTrashListing(s, &notes, owner)
}

func newTrashListing[T any](s *Store, t *entityTable[T], owner waymark.UserID) Listing[T] {
	l := newListing(s, t, owner, waymark.Order{By: waymark.SortByID}, waymark.Pagination{})
	l.scopes = nil
	l.predicates = []predicate{{kind: trashedBy, user: owner}}
	return l
}

// Trash moves those of the entries into the trash that are active and the editor's
// own, and returns which those were.
func (s *Store) Trash(ctx context.Context, editor waymark.UserID, kind waymark.Kind, ids []int64) (map[int64]bool, error) {
	var trashed map[int64]bool
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		trashed = map[int64]bool{}
		a := q.Args(editor, s.now())
		for id, err := range database.QueryEach(ctx, q, database.ScanValue[int64], `
			UPDATE `+tableOf(kind)+`
			SET deleted_at = $2, updated_at = $2
			WHERE id `+database.In(a, unique(ids))+` AND user_id = $1 AND visible_to IS NOT NULL
			RETURNING id`, a.Values...) {
			if err != nil {
				return err
			}
			trashed[id] = true
		}
		return nil
	})
	return trashed, err
}

// ClearTrash erases a user's trashed entries of a kind for good, with what hangs
// on them: the notes of links, and what stood in lists and bore tags.
func (s *Store) ClearTrash(ctx context.Context, owner waymark.UserID, kind waymark.Kind) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		_, err := q.Exec(ctx, `
			DELETE FROM `+tableOf(kind)+`
			WHERE user_id = $1 AND visible_to IS NULL`, owner)
		return err
	})
}

// Restore makes a user's own entry active again; one that is active stays so. What
// is not the user's is waymark.ErrNotFound; where its address or name has been
// taken meanwhile, that is waymark.ErrConflict.
func (s *Store) Restore(ctx context.Context, owner waymark.UserID, kind waymark.Kind, id int64) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if _, err := database.QueryOne(ctx, q, database.ScanValue[int64], `
			SELECT e.id
			FROM `+tableOf(kind)+` AS e
			WHERE e.id = $1 AND e.user_id = $2`+q.RowLock(), id, owner); err != nil {
			return err
		}
		_, err := q.Exec(ctx, `
			UPDATE `+tableOf(kind)+`
			SET deleted_at = 0, updated_at = $1
			WHERE id = $2 AND visible_to IS NULL`, s.now(), id)
		return err
	})
}

// tableOf returns the table of a kind. It panics for a word that is none, since
// doors check what they are sent.
func tableOf(kind waymark.Kind) string {
	switch kind {
	case waymark.Links, waymark.Lists, waymark.Tags, waymark.Notes:
		return string(kind)
	}
	panic("store: no kind of entries: " + string(kind))
}
