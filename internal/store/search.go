package store

import (
	"context"
	"errors"

	"waymark/internal/waymark"
)

// SearchLinks lists the links that viewer sees and a filter selects, all without a condition.
func (s *Store) SearchLinks(viewer waymark.UserID, filter waymark.LinkFilter, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Link] {
	l := s.Links(viewer, order, pagination)
	l.filter, l.scansTexts = filter, !filter.IsZero()
	return l
}

// MatchingLinks returns the sorted ids of all links that viewer sees and a filter selects.
func (s *Store) MatchingLinks(ctx context.Context, viewer waymark.UserID, filter waymark.LinkFilter) ([]int64, error) {
	found, err := s.SearchLinks(viewer, filter, waymark.Order{By: waymark.SortByID}, waymark.Pagination{}).find(ctx)
	return found.ids, err
}

// WithFlags leaves only the links of a listing in which all flags that have a value have it.
func WithFlags(l Listing[waymark.Link], flags waymark.FlagsInput) Listing[waymark.Link] {
	for _, flag := range flags.Values() {
		var has waymark.Condition = waymark.Is(flag.Flag.String())
		if !flag.On {
			has = waymark.Not{Condition: has}
		}
		l.where = waymark.AndOf(l.where, has)
	}
	return l
}

// UnarchivedLinks lists the links that viewer sees and that are not archived.
func (s *Store) UnarchivedLinks(viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Link] {
	return WithFlags(s.Links(viewer, order, pagination), waymark.FlagsInput{Archived: new(false)})
}

// LinksOfList lists the links in a list.
func (s *Store) LinksOfList(viewer waymark.UserID, list waymark.ListID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Link] {
	l := s.Links(viewer, order, pagination)
	l.where = waymark.Labeled{Kind: waymark.Lists, Refs: []waymark.Ref{{ID: int64(list)}}, Direct: true}
	return l
}

// OwnLinksOfList lists the links of owner in a list, without those that others have put there.
func (s *Store) OwnLinksOfList(owner waymark.UserID, list waymark.ListID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Link] {
	l := s.LinksOfList(owner, list, order, pagination)
	l.where = waymark.And{l.where, waymark.IsMine}
	return l
}

// LinksOfTag lists the links with a tag.
func (s *Store) LinksOfTag(viewer waymark.UserID, tag waymark.TagID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Link] {
	l := s.Links(viewer, order, pagination)
	l.where = waymark.Labeled{Kind: waymark.Tags, Refs: []waymark.Ref{{ID: int64(tag)}}}
	return l
}

// RefreshSearchIndex builds the search index, or applies to it what was changed since. The first search builds it,
// too. Call it regularly, so that searches do not have to apply many changes.
func (s *Store) RefreshSearchIndex(ctx context.Context) error {
	return errors.Join(s.Snapshots.LookForAny(ctx), s.index.Refresh(ctx))
}
