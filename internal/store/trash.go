package store

import (
	"context"

	"waymark/internal/waymark"
)

// TrashedLinks shows a user's own trashed links, by id, with their lists and tags.
func (s *Store) TrashedLinks(ctx context.Context, owner waymark.UserID, show Emit[waymark.Link]) error {
	return browseTrash(ctx, s, &links, owner, show)
}

// TrashedLists shows a user's own trashed lists, by id.
func (s *Store) TrashedLists(ctx context.Context, owner waymark.UserID, show Emit[waymark.List]) error {
	return browseTrash(ctx, s, &lists, owner, show)
}

// TrashedTags shows a user's own trashed tags, by id.
func (s *Store) TrashedTags(ctx context.Context, owner waymark.UserID, show Emit[waymark.Tag]) error {
	return browseTrash(ctx, s, &tags, owner, show)
}

// TrashedNotes shows a user's own trashed notes, by id.
func (s *Store) TrashedNotes(ctx context.Context, owner waymark.UserID, show Emit[waymark.Note]) error {
	return browseTrash(ctx, s, &notes, owner, show)
}

func browseTrash[T any](ctx context.Context, s *Store, k *entityTable[T], owner waymark.UserID, show Emit[T]) error {
	w := walk{
		viewer:  owner,
		shelves: []waymark.UserID{owner},
		order:   waymark.Order{By: waymark.SortByID},
		from: func(a *args, _ waymark.UserID) string {
			return "FROM " + k.table + " AS e WHERE e.user_id = " + a.add(owner) + " AND e.shelf IS NULL"
		},
		id: "e.id",
	}
	return browse(ctx, s, k, w, waymark.Pagination{Limit: waymark.NoLimit}, show)
}

// Trash moves those of the entries into the trash that are active and the editor's
// own, and returns which those were.
func (s *Store) Trash(ctx context.Context, editor waymark.UserID, kind waymark.Kind, ids []int64) (map[int64]bool, error) {
	var trashed map[int64]bool
	err := s.change(ctx, func(ctx context.Context, q querier) error {
		trashed = map[int64]bool{}
		a := q.args(editor, s.now())
		for id, err := range queryEach(ctx, q, scanValue[int64], `
			UPDATE `+tableOf(kind)+`
			SET deleted_at = $2, updated_at = $2
			WHERE id `+in(a, unique(ids))+` AND user_id = $1 AND shelf IS NOT NULL
			RETURNING id`, a.values...) {
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
	return s.change(ctx, func(ctx context.Context, q querier) error {
		_, err := q.exec(ctx, `
			DELETE FROM `+tableOf(kind)+`
			WHERE user_id = $1 AND shelf IS NULL`, owner)
		return err
	})
}

// Restore makes a user's own entry active again; one that is active stays so. What
// is not the user's is waymark.ErrNotFound; where its address or name has been
// taken meanwhile, that is waymark.ErrConflict.
func (s *Store) Restore(ctx context.Context, owner waymark.UserID, kind waymark.Kind, id int64) error {
	return s.change(ctx, func(ctx context.Context, q querier) error {
		if _, err := queryOne(ctx, q, scanValue[int64], `
			SELECT e.id
			FROM `+tableOf(kind)+` AS e
			WHERE e.id = $1 AND e.user_id = $2`+q.rowLock, id, owner); err != nil {
			return err
		}
		_, err := q.exec(ctx, `
			UPDATE `+tableOf(kind)+`
			SET deleted_at = 0, updated_at = $1
			WHERE id = $2 AND shelf IS NULL`, s.now(), id)
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
