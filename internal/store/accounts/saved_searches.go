package accounts

import (
	"cmp"
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// SavedSearches returns a user's saved searches, sorted by name.
func (s *Store) SavedSearches(ctx context.Context, owner waymark.UserID) ([]waymark.SavedSearch, error) {
	return ReadSavedSearches(ctx, s.db.Querier(), owner)
}

// ReadSavedSearches returns the saved searches of owner, sorted by name, as a part of a transaction.
func ReadSavedSearches(ctx context.Context, q database.Querier, owner waymark.UserID) ([]waymark.SavedSearch, error) {
	all, err := SavedSearches.All(ctx, q, "e.user_id = $1", owner)
	slices.SortFunc(all, func(a, b waymark.SavedSearch) int {
		return cmp.Or(waymark.CompareNames(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return all, err
}

// SavedSearch returns a saved search that the viewer may see: one of the viewer's own, or for a guest a
// public one. Otherwise it returns waymark.ErrNotFound.
func (s *Store) SavedSearch(ctx context.Context, viewer waymark.UserID, id waymark.SavedSearchID) (waymark.SavedSearch, error) {
	if viewer == waymark.Guest {
		return SavedSearches.Get(ctx, s.db.Querier(), "e.id = $1 AND e.public", id)
	}
	return SavedSearches.Get(ctx, s.db.Querier(), "e.id = $1 AND e.user_id = $2", id, viewer)
}

// CreateSavedSearch creates a saved search. It returns a waymark.ValidationError if the owner has
// as many as are allowed.
func (s *Store) CreateSavedSearch(ctx context.Context, search waymark.SavedSearch) (waymark.SavedSearch, error) {
	err := table.UserTx(ctx, s.db, search.Owner, func(ctx context.Context, q database.Querier) error {
		existing, err := database.Count(ctx, q, "saved_searches WHERE user_id = $1", search.Owner)
		if err != nil {
			return err
		}
		if existing >= waymark.MaxSavedSearches {
			return waymark.TooMany(waymark.FieldSavedSearches, 0, waymark.MaxSavedSearches)
		}
		search.CreatedAt = s.now()
		ids, err := table.Insert[waymark.SavedSearchID](ctx, q, &SavedSearches, []waymark.SavedSearch{search})
		if err == nil {
			search.ID = ids[0]
		}
		return err
	})
	return search, err
}

// ChangeSavedSearch updates an owner's saved search with the function change. If change returns
// an error, nothing is stored.
func (s *Store) ChangeSavedSearch(ctx context.Context, owner waymark.UserID, id waymark.SavedSearchID, change func(*waymark.SavedSearch) error) (waymark.SavedSearch, error) {
	var search waymark.SavedSearch
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		if search, err = SavedSearches.Get(ctx, q, "e.id = $1 AND e.user_id = $2"+q.RowLock(), id, owner); err != nil {
			return err
		}
		if err := change(&search); err != nil {
			return err
		}
		return SavedSearches.Update(ctx, q, int64(id), &search)
	})
	return search, err
}

// DeleteSavedSearch deletes an owner's saved search.
func (s *Store) DeleteSavedSearch(ctx context.Context, owner waymark.UserID, id waymark.SavedSearchID) error {
	return table.OrNotFound(s.db.Exec(ctx, `
		DELETE FROM saved_searches
		WHERE id = $1 AND user_id = $2`, id, owner))
}

// renameInSearches changes the saved searches of all users that find the links of a user.
func renameInSearches(ctx context.Context, q database.Querier, before, after string) error {
	if waymark.Fold(before) == waymark.Fold(after) {
		return nil
	}
	all, err := SavedSearches.All(ctx, q, "e.query LIKE '%by%' ORDER BY e.id"+q.RowLock())
	if err != nil {
		return err
	}
	for _, search := range all {
		renamed := query.MapSaved(search.Query, func(c waymark.Condition) waymark.Condition {
			if owned, ok := c.(waymark.OwnedBy); ok && waymark.Fold(owned.Name) == waymark.Fold(before) {
				return waymark.OwnedBy{Name: after}
			}
			return c
		})
		if renamed == search.Query {
			continue
		}
		search.Query = renamed
		if err := SavedSearches.Update(ctx, q, int64(search.ID), &search); err != nil {
			return err
		}
	}
	return nil
}
