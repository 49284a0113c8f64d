package accounts

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// Bundles returns a user's bundles in the order of their positions.
func (s *Store) Bundles(ctx context.Context, owner waymark.UserID) ([]waymark.Bundle, error) {
	return ReadBundles(ctx, s.db.Querier(), owner)
}

// ReadBundles returns owner's bundles, sorted by position, as a part of a transaction.
func ReadBundles(ctx context.Context, q database.Querier, owner waymark.UserID) ([]waymark.Bundle, error) {
	return Bundles.All(ctx, q, "e.user_id = $1 ORDER BY e.position, e.id", owner)
}

// Bundle returns a bundle of a user's own, or waymark.ErrNotFound.
func (s *Store) Bundle(ctx context.Context, owner waymark.UserID, id waymark.BundleID) (waymark.Bundle, error) {
	return Bundles.Get(ctx, s.db.Querier(), "e.id = $1 AND e.user_id = $2", id, owner)
}

// CreateBundle creates a bundle, after all others of its owner if it is to be the last one. It returns a
// waymark.ValidationError if the owner has as many as are allowed.
func (s *Store) CreateBundle(ctx context.Context, bundle waymark.Bundle, last bool) (waymark.Bundle, error) {
	err := table.UserTx(ctx, s.db, bundle.Owner, func(ctx context.Context, q database.Querier) error {
		existing, err := ReadBundles(ctx, q, bundle.Owner)
		if err != nil {
			return err
		}
		if len(existing) >= waymark.MaxBundles {
			return waymark.TooMany(waymark.FieldBundles, 0, waymark.MaxBundles)
		}
		if last {
			bundle.Position = 0
			if n := len(existing); n > 0 {
				bundle.Position = existing[n-1].Position + 1
			}
		}
		bundle.CreatedAt = s.now()
		bundle.UpdatedAt = bundle.CreatedAt
		ids, err := table.Insert[waymark.BundleID](ctx, q, &Bundles, []waymark.Bundle{bundle})
		if err == nil {
			bundle.ID = ids[0]
		}
		return err
	})
	return bundle, err
}

// ChangeBundle updates an owner's bundle with the function change.
func (s *Store) ChangeBundle(ctx context.Context, owner waymark.UserID, id waymark.BundleID, change func(*waymark.Bundle)) (waymark.Bundle, error) {
	var bundle waymark.Bundle
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		if bundle, err = Bundles.Get(ctx, q, "e.id = $1 AND e.user_id = $2"+q.RowLock(), id, owner); err != nil {
			return err
		}
		change(&bundle)
		bundle.UpdatedAt = s.now()
		return Bundles.Update(ctx, q, int64(id), &bundle)
	})
	return bundle, err
}

// DeleteBundle deletes an owner's bundle. The positions of the others become 0, 1, 2 and so on.
func (s *Store) DeleteBundle(ctx context.Context, owner waymark.UserID, id waymark.BundleID) error {
	return table.UserTx(ctx, s.db, owner, func(ctx context.Context, q database.Querier) error {
		if err := table.OrNotFound(q.Exec(ctx, `
			DELETE FROM bundles
			WHERE id = $1 AND user_id = $2`, id, owner)); err != nil {
			return err
		}
		left, err := ReadBundles(ctx, q, owner)
		if err != nil {
			return err
		}
		for i, bundle := range left {
			if bundle.Position == int64(i) {
				continue
			}
			bundle.Position = int64(i)
			if err := Bundles.Update(ctx, q, int64(bundle.ID), &bundle); err != nil {
				return err
			}
		}
		return nil
	})
}
