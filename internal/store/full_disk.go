package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// A deletion on a full disk can write as much as the disk reserve has. This file divides
// larger ones into several transactions.

// IsDiskFull reports whether the database found no space on its disk: see database.IsDiskFull.
func IsDiskFull(err error) bool { return database.IsDiskFull(err) }

// smallerIfFull calls change with all ids. If the disk is too full for that, it calls change
// with as many of them at a time as succeed.
func smallerIfFull(ctx context.Context, ids []int64, change func(ids []int64) error) error {
	n := len(ids)
	for {
		n = min(n, len(ids))
		err := change(ids[:n])
		switch {
		case database.IsTooLargeForDisk(err) && n > 1:
			n /= 2
			continue
		case err != nil:
			return err
		}
		if ids = ids[n:]; len(ids) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// deleteInPieces permanently deletes the entities of a user for which condition is true, and
// the stored responses of the user, in several transactions.
func (s *Store) deleteInPieces(ctx context.Context, owner waymark.UserID, kind waymark.EntityKind, condition string) error {
	ids, err := database.QueryAll(ctx, s.db.Querier(), database.ScanValue[int64], `
		SELECT e.id
		FROM `+tableOf(kind)+` AS e
		WHERE e.user_id = $1 AND `+condition+`
		ORDER BY e.id`, owner)
	if err != nil {
		return err
	}
	if err := s.deleteByID(ctx, owner, tableOf(kind), "id", condition, ids); err != nil {
		return err
	}
	positions, err := database.QueryAll(ctx, s.db.Querier(), database.ScanValue[int64], `
		SELECT position
		FROM idempotency_keys
		WHERE user_id = $1
		ORDER BY position`, owner)
	if err != nil {
		return err
	}
	return s.deleteByID(ctx, owner, "idempotency_keys", "position", "true", positions)
}

// deleteByID deletes the rows of a user with these ids in a column, if condition is still true.
func (s *Store) deleteByID(ctx context.Context, owner waymark.UserID, table, column, condition string, ids []int64) error {
	return smallerIfFull(ctx, ids, func(ids []int64) error {
		return s.bulk(ctx, owner, s.db.DeleteTx, func(ctx context.Context, q database.Querier) error {
			if err := lockUser(ctx, q, owner); err != nil {
				return err
			}
			a := q.Args(owner)
			_, err := q.Exec(ctx, `
				DELETE FROM `+table+` AS e
				WHERE e.user_id = $1 AND `+condition+` AND e.`+column+` `+database.In(a, ids), a.Values...)
			return err
		})
	})
}
