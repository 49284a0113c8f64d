package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/accounts"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// HasEntities reports whether an account has a link, list, tag, note or saved search, also in the trash.
func (s *Store) HasEntities(ctx context.Context, id waymark.UserID) (bool, error) {
	for _, table := range []string{"links", "lists", "tags", "notes", "saved_searches"} {
		used, err := database.QueryOne(ctx, s.db.Querier(), database.ScanValue[bool], `
		SELECT EXISTS (
			SELECT 1
			FROM `+table+`
			WHERE user_id = $1)`, id)
		if used || err != nil {
			return used, err
		}
	}
	return false, nil
}

// ImportSettings sets the settings and the default visibility of an account.
func (s *Store) ImportSettings(ctx context.Context, id waymark.UserID, settings waymark.Settings, visibility waymark.DefaultVisibility) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		row, err := table.Users.Get(ctx, q, "e.id = $1"+q.RowLock(), id)
		if err != nil {
			return err
		}
		before := undo.Account{Settings: row.Settings, DefaultVisibility: row.DefaultVisibility}
		row.Settings, row.DefaultVisibility = settings, row.DefaultVisibility.Edit(visibility)
		after := undo.Account{Settings: row.Settings, DefaultVisibility: row.DefaultVisibility}
		if before == after {
			return nil
		}
		s.imported(func(i *undo.Import) {
			i.Accounts = append(i.Accounts, undo.Row[undo.Account]{Before: before, After: after})
		})
		return table.Users.Update(ctx, q, int64(id), &row)
	})
}

// InsertImportedBundles inserts bundles. Their owner is set.
func (s *Store) InsertImportedBundles(ctx context.Context, rows []waymark.Bundle) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		ids, err := table.Insert[waymark.BundleID](ctx, q, &accounts.Bundles, rows)
		if len(ids) > 0 {
			s.imported(func(i *undo.Import) { i.Bundles = append(i.Bundles, ids...) })
		}
		return err
	})
}

// InsertImportedSearches inserts saved searches. Their owner is set.
func (s *Store) InsertImportedSearches(ctx context.Context, rows []waymark.SavedSearch) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		ids, err := table.Insert[waymark.SavedSearchID](ctx, q, &accounts.SavedSearches, rows)
		if len(ids) > 0 {
			s.imported(func(i *undo.Import) { i.SavedSearches = append(i.SavedSearches, ids...) })
		}
		return err
	})
}
