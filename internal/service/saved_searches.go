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
	return s.store.Accounts.CreateSavedSearch(ctx, search)
}
