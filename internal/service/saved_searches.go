package service

import (
	"context"

	"waymark/internal/query"
	"waymark/internal/waymark"
)

// AddSavedSearch saves a search of owner. It returns a ValidationError if there are too many, or if it would contain
// itself. The names of lists and tags in its query become ids, so that the search stays the same when they are renamed.
func (s *Service) AddSavedSearch(ctx context.Context, owner waymark.User, in waymark.SavedSearchInput) (waymark.SavedSearch, error) {
	search := waymark.SavedSearch{Owner: owner.ID}
	if err := s.nameLabelsByID(ctx, owner.ID, &in); err != nil {
		return waymark.SavedSearch{}, err
	}
	if err := s.applySearch(ctx, in, &search); err != nil {
		return waymark.SavedSearch{}, err
	}
	return s.Accounts.CreateSavedSearch(ctx, search)
}

// EditSavedSearch changes a saved search of owner, as AddSavedSearch does.
func (s *Service) EditSavedSearch(ctx context.Context, owner waymark.User, id waymark.SavedSearchID, in waymark.SavedSearchInput) (waymark.SavedSearch, error) {
	if err := s.nameLabelsByID(ctx, owner.ID, &in); err != nil {
		return waymark.SavedSearch{}, err
	}
	search, err := s.Accounts.SavedSearch(ctx, owner.ID, id)
	if err != nil {
		return search, err
	}
	if err := s.applySearch(ctx, in, &search); err != nil {
		return waymark.SavedSearch{}, err
	}
	return s.Accounts.ChangeSavedSearch(ctx, owner.ID, id, in.Apply)
}

// applySearch applies the input to a search, and checks that its query does not find the search itself as a smart list,
// not even through other smart lists.
func (s *Service) applySearch(ctx context.Context, in waymark.SavedSearchInput, search *waymark.SavedSearch) error {
	if err := in.Apply(search); err != nil {
		return err
	}
	all, err := s.Accounts.SavedSearches(ctx, search.Owner)
	if err != nil {
		return err
	}
	queries := map[string]string{} // of the others, by folded name
	for _, other := range all {
		if other.InLists && other.ID != search.ID {
			queries[waymark.Fold(other.Name)] = other.Query
		}
	}
	seen, name := map[string]bool{}, waymark.Fold(search.Name)
	for left := []string{search.Query}; len(left) > 0; left = left[1:] {
		for _, ref := range query.SavedRefs(left[0])[waymark.Lists] {
			folded := waymark.Fold(ref.Name)
			if folded == name {
				return waymark.Invalid(waymark.FieldQuery, waymark.RuleNotInside)
			}
			if other, ok := queries[folded]; ok && !seen[folded] {
				seen[folded] = true
				left = append(left, other)
			}
		}
	}
	return nil
}

// nameLabelsByID replaces names in the text of a query by ids of lists and tags that the owner sees.
func (s *Service) nameLabelsByID(ctx context.Context, owner waymark.UserID, in *waymark.SavedSearchInput) error {
	if in.Query == nil || len(*in.Query) > waymark.MaxSavedQuery {
		return nil
	}
	in.Query = new(query.SavedText(*in.Query))
	refs := query.SavedRefs(*in.Query)
	lists, err := s.FindLists(ctx, owner, refs[waymark.Lists])
	if err != nil {
		return err
	}
	tags, err := s.FindTags(ctx, owner, refs[waymark.Tags])
	if err != nil {
		return err
	}
	same := map[string][]waymark.Ref{}
	for ref, list := range lists {
		if list.Owner == owner && waymark.Fold(ref.Name) == waymark.Fold(list.Name) {
			if same[ref.Name], err = s.ListsOfName(ctx, owner, ref.Name); err != nil {
				return err
			}
		}
	}
	saved := query.MapSaved(*in.Query, func(c waymark.Condition) waymark.Condition {
		labeled, ok := c.(waymark.Labeled)
		if !ok || labeled.Refs[0].Name == "" {
			return c
		}
		if list, ok := lists[labeled.Refs[0]]; ok && labeled.Kind == waymark.Lists {
			if labeled.Refs = same[labeled.Refs[0].Name]; len(labeled.Refs) == 0 {
				labeled.Refs = []waymark.Ref{{ID: int64(list.ID)}}
			}
		}
		if tag, ok := tags[labeled.Refs[0]]; ok && labeled.Kind == waymark.Tags {
			labeled.Refs = []waymark.Ref{{ID: int64(tag.ID)}}
		}
		return labeled
	})
	in.Query = &saved
	return nil
}
