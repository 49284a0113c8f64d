package service

import (
	"context"

	"waymark/internal/waymark"
)

// AddSavedSearch saves a search of owner. It returns a ValidationError if there are too many.
func (s *Service) AddSavedSearch(ctx context.Context, owner waymark.User, in waymark.SavedSearchInput) (waymark.SavedSearch, error) {
	search := waymark.SavedSearch{Owner: owner.ID}
	if err := in.Apply(&search); err != nil {
		return waymark.SavedSearch{}, err
	}
	return s.store.CreateSavedSearch(ctx, search)
}

// EditSavedSearch changes a saved search of owner. That of another user is
// waymark.ErrNotFound.
func (s *Service) EditSavedSearch(ctx context.Context, owner waymark.User, id waymark.SavedSearchID, in waymark.SavedSearchInput) (waymark.SavedSearch, error) {
	return s.store.ChangeSavedSearch(ctx, owner.ID, id, in.Apply)
}

// DeleteSavedSearch deletes a saved search of owner permanently. That of another user is
// waymark.ErrNotFound.
func (s *Service) DeleteSavedSearch(ctx context.Context, owner waymark.User, id waymark.SavedSearchID) error {
	return s.store.DeleteSavedSearch(ctx, owner.ID, id)
}
