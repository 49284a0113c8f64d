package store

import (
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/accounts"
	"waymark/internal/store/table"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// ImportSettings sets the settings and the default visibility of an account without links, lists,
// tags, notes and saved searches. It leaves the entities of another account as they are.
func (s *Store) ImportSettings(ctx context.Context, id waymark.UserID, settings waymark.Settings, visibility waymark.DefaultVisibility) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		for _, table := range []string{"links", "lists", "tags", "notes", "saved_searches"} {
			used, err := database.QueryOne(ctx, q, database.ScanValue[bool], `
		SELECT EXISTS (
			SELECT 1
			FROM `+table+`
			WHERE user_id = $1)`, id)
			if used || err != nil {
				return err
			}
		}
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

// ImportSavedSearches saves searches until there are waymark.MaxSavedSearches. It leaves out those
// that owner has with the same name and the same query or time of creation. It returns the indexes
// of those beyond the limit.
func (s *Store) ImportSavedSearches(ctx context.Context, owner waymark.UserID, all []waymark.SavedSearch) (left []int, err error) {
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		existing, err := accounts.ReadSavedSearches(ctx, q, owner)
		if err != nil {
			return err
		}
		count := len(existing)
		var rows []waymark.SavedSearch
		left = nil
		for i, search := range all {
			same := slices.IndexFunc(existing, func(e waymark.SavedSearch) bool {
				return e.Name == search.Name && (e.Query == search.Query || e.CreatedAt == search.CreatedAt)
			})
			switch {
			case same >= 0:
				existing = slices.Delete(existing, same, same+1)
			case count == waymark.MaxSavedSearches:
				left = append(left, i)
			default:
				count++
				rows = append(rows, search)
			}
		}
		ids, err := table.Insert[waymark.SavedSearchID](ctx, q, &accounts.SavedSearches, rows)
		if len(ids) > 0 {
			s.imported(func(i *undo.Import) { i.SavedSearches = append(i.SavedSearches, ids...) })
		}
		return err
	})
	return left, err
}
