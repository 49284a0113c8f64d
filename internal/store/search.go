package store

import (
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// SearchLinks lists the links that viewer sees and that satisfy a filter. Without a
// condition it is Links.
func (s *Store) SearchLinks(viewer waymark.UserID, filter waymark.LinkFilter, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Link] {
	l := s.Links(viewer, order, pagination)
	if !filter.IsZero() {
		l.filter = &filter
	}
	return l
}

// LinksOfList lists the links in a list.
func (s *Store) LinksOfList(viewer waymark.UserID, list waymark.ListID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Link] {
	l := s.Links(viewer, order, pagination)
	l.predicates = []query.Predicate{{Kind: query.InAny, Association: &query.LinkLists, IDs: []int64{int64(list)}}}
	return l
}

// LinksOfTag lists the links with a tag.
func (s *Store) LinksOfTag(viewer waymark.UserID, tag waymark.TagID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Link] {
	l := s.Links(viewer, order, pagination)
	l.predicates = []query.Predicate{{Kind: query.InAny, Association: &query.LinkTags, IDs: []int64{int64(tag)}}}
	return l
}
