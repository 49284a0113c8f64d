package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// LinkEdits returns how the texts of a link of another user were edited in the last day, the newest edit first: those
// that the user can undo, because they have made them, or because their list gave the right to it.
func (s *Store) LinkEdits(ctx context.Context, user waymark.User, id waymark.LinkID) ([]waymark.SharedChange, error) {
	changes, err := database.QueryAll(ctx, s.db.Querier(), scanChange, selectChange+`
		JOIN shared_change_links AS m ON m.change_id = c.id
		JOIN lists AS e ON e.id = c.list_id
		WHERE m.link_id = $1 AND c.created_at >= $2 AND c.kind = 'edited' AND (c.user_id = $3 OR e.user_id = $3)
		ORDER BY c.id DESC
		LIMIT $4`, id, s.now().Add(-undoAge), user.ID, maxChanges)
	for i := range changes {
		changes[i].Links = []waymark.LinkID{id}
	}
	return changes, err
}
