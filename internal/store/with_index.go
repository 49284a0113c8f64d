package store

import (
	"context"
	"errors"

	"waymark/internal/database"
	"waymark/internal/store/searchindex"
	"waymark/internal/waymark"
)

// RefreshSearchIndex builds the search index, or applies to it what was changed since.
// Searches are exact without it, but slower. Call it regularly. Without Options.IndexBytes
// it builds none.
func (s *Store) RefreshSearchIndex(ctx context.Context) error {
	return errors.Join(s.lookForSnapshots(ctx), s.index.Refresh(ctx))
}

// withIndex calls read in a read transaction, with the search index at its snapshot, or nil if
// there is no index. It calls read again while other searches bring the index to newer
// snapshots, and in the end without the index.
func (s *Store) withIndex(ctx context.Context, viewer waymark.UserID, read func(q database.Querier, at *searchindex.Snapshot) error) error {
	for range maxIndexAttempts {
		err := s.db.ReadTx(ctx, int64(viewer), func(q database.Querier) error {
			at, ok, err := s.index.Sync(ctx, q)
			if err != nil {
				return err
			}
			if !ok {
				return read(q, nil)
			}
			return read(q, &at)
		})
		if !errors.Is(err, searchindex.ErrMoved) {
			return err
		}
	}
	return s.db.ReadTx(ctx, int64(viewer), func(q database.Querier) error { return read(q, nil) })
}
