package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// syncGap is the longest time between two changes of a sync.
const syncGap = time.Minute

// Syncs returns the syncs of the last day that a user can undo, the latest first: the changes of programs
// that were made with Undoable.
func (s *Store) Syncs(ctx context.Context, user waymark.UserID) ([]waymark.Sync, error) {
	var syncs []waymark.Sync
	latest := map[waymark.APIKeyID]int{} // the index in syncs
	for c, err := range database.QueryEach(ctx, s.db.Querier(), func(rows *sql.Rows, c *waymark.Sync) error {
		return rows.Scan(&c.APIKey, &c.From)
	}, `
		SELECT api_key_id, created_at
		FROM undo_records
		WHERE user_id = $1 AND api_key_id IS NOT NULL AND part = 1 AND created_at >= $2
		ORDER BY id`, user, s.now().Add(-undoAge)) {
		if err != nil {
			return nil, err
		}
		i, known := latest[c.APIKey]
		if !known || c.From > syncs[i].To.Add(syncGap) {
			i = len(syncs)
			latest[c.APIKey] = i
			syncs = append(syncs, c)
		}
		syncs[i].To = c.From
		syncs[i].Changes++
	}
	slices.Reverse(syncs)
	return syncs, nil
}

// UndoSync undoes the changes of a sync, as Undo does. It returns waymark.ErrNotFound if it cannot.
func (s *Store) UndoSync(ctx context.Context, user waymark.User, sync waymark.Sync) (result waymark.UndoResult, err error) {
	err = s.bulk(ctx, user.ID, func(ctx context.Context, q database.Querier) error {
		parts, err := database.QueryAll(ctx, q, scanPart, `
			DELETE FROM undo_records
			WHERE user_id = $1 AND api_key_id = $2 AND created_at BETWEEN $3 AND $4 AND created_at >= $5
			RETURNING id, steps`, user.ID, sync.APIKey, sync.From, sync.To, s.now().Add(-undoAge))
		if err != nil {
			return err
		}
		result, err = s.undoParts(ctx, q, user.ID, parts)
		return err
	})
	return result, err
}
