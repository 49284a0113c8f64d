package store

import (
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// SuggestLists lists a user's own active lists whose name contains text, ignoring case,
// sorted by name: at most limit of them, or all with waymark.NoLimit.
func (s *Store) SuggestLists(owner waymark.UserID, text string, limit int) Listing[waymark.List] {
	return named(newPlainListing(s, &lists, owner, byName, waymark.Pagination{Limit: limit}), text)
}

// SuggestTags lists a user's own active tags whose name contains text, like SuggestLists.
func (s *Store) SuggestTags(owner waymark.UserID, text string, limit int) Listing[waymark.Tag] {
	return named(newPlainListing(s, &tags, owner, byName, waymark.Pagination{Limit: limit}), text)
}

var byName = waymark.Order{By: waymark.SortByName}

// named limits a listing to those entities of the viewer whose name contains text.
func named[T any](l Listing[T], text string) Listing[T] {
	l.scopes = nil
	l.scansNames = true
	l.empty = !storableText(text)
	l.predicates = []query.Predicate{{Kind: query.OwnedNamed, User: l.viewer, Text: query.TextPredicate{Text: waymark.Fold(text)}}}
	return l
}
