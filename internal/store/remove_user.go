package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/accounts"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// RemoveUser deletes a user. Their active links, lists, tags and notes, and their passages get another owner,
// transferTo, or are deleted if that is zero. A link whose URL the new owner has is merged with
// theirs, and so are lists and tags of the same name. The user's trash and the one-time tokens
// that they created are deleted.
func (s *Store) RemoveUser(ctx context.Context, id, transferTo waymark.UserID, permit waymark.UserPermit) error {
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		for _, locked := range table.Unique([]int64{int64(id), int64(transferTo)}) { // in the order of ids, against deadlocks
			if err := table.LockUser(ctx, q, waymark.UserID(locked)); err != nil {
				return err
			}
		}
		if _, err := accounts.PermitUser(ctx, q, id, permit); err != nil {
			return err
		}
		if transferTo != waymark.Guest {
			if _, err := table.Users.Get(ctx, q, "e.id = $1"+q.RowLock(), transferTo); err != nil {
				return err
			}
			if err := s.transferEntities(ctx, q, id, transferTo); err != nil {
				return err
			}
		}
		return table.OrNotFound(q.Exec(ctx, `
			DELETE FROM users
			WHERE id = $1`, id))
	})
	if err != nil {
		return err
	}
	s.eraseDeleted(ctx)
	return nil
}
