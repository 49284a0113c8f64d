package store

import (
	"context"
	"errors"
)

// RefreshSearchIndex builds the search index, or applies to it what was changed since.
// Searches are exact without it, but slower. Call it regularly. Without Options.IndexBytes
// it builds none.
func (s *Store) RefreshSearchIndex(ctx context.Context) error {
	return errors.Join(s.Snapshots.LookForAny(ctx), s.index.Refresh(ctx))
}
