package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// PinList pins a list to a user's sidebar, or removes it from there. It returns the
// error of List if the user may not see the list.
func (s *Store) PinList(ctx context.Context, user waymark.UserID, id waymark.ListID, pinned bool) error {
	return pin(ctx, s, &lists, user, int64(id), pinned)
}

// PinTag is PinList for tags.
func (s *Store) PinTag(ctx context.Context, user waymark.UserID, id waymark.TagID, pinned bool) error {
	return pin(ctx, s, &tags, user, int64(id), pinned)
}

func pin[T any](ctx context.Context, s *Store, t *entityTable[T], user waymark.UserID, id int64, pinned bool) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if _, err := t.GetVisible(ctx, q, user, id); err != nil {
			return err
		}
		text := `
			INSERT INTO ` + t.assoc.Pins() + ` (user_id, ` + t.assoc.Column + `)
			VALUES ($1, $2)
			ON CONFLICT DO NOTHING`
		if !pinned {
			text = `
			DELETE FROM ` + t.assoc.Pins() + `
			WHERE user_id = $1 AND ` + t.assoc.Column + ` = $2`
		}
		_, err := q.Exec(ctx, text, user, id)
		return err
	})
}

// ListPinned reports whether a user has pinned a list.
func (s *Store) ListPinned(ctx context.Context, user waymark.UserID, id waymark.ListID) (bool, error) {
	return s.pinned(ctx, &query.LinkLists, user, int64(id))
}

// TagPinned reports whether a user has pinned a tag.
func (s *Store) TagPinned(ctx context.Context, user waymark.UserID, id waymark.TagID) (bool, error) {
	return s.pinned(ctx, &query.LinkTags, user, int64(id))
}

func (s *Store) pinned(ctx context.Context, assoc *query.Association, user waymark.UserID, id int64) (bool, error) {
	return database.QueryOne(ctx, s.db.Querier(), database.ScanValue[bool], `
		SELECT EXISTS (
			SELECT 1
			FROM `+assoc.Pins()+`
			WHERE user_id = $1 AND `+assoc.Column+` = $2)`, user, id)
}
