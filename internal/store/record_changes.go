package store

import (
	"waymark/internal/store/query"
	"waymark/internal/store/undo"
	"waymark/internal/waymark"
)

// recordCreated records entities that were created or restored.
func (s *Store) recordCreated(created undo.IDs) {
	if len(created.IDs) > 0 {
		s.record(func(r *undo.Record) { r.Created = append(r.Created, created) })
	}
}

// recordCreatedFor records lists or tags that were created for links.
func (s *Store) recordCreatedFor(assoc *query.Association, at waymark.Time, ids []int64) {
	kind := waymark.Lists
	if assoc == &query.LinkTags {
		kind = waymark.Tags
	}
	s.recordCreated(undo.IDs{Kind: kind, At: at, IDs: ids, IfUnused: true})
}

// recordPairs records pairs that were attached and detached. before is the result of aboveLimit for
// the links of detached, before the change.
func (s *Store) recordPairs(assoc *query.Association, attached, detached [][2]int64, before map[int64]int) {
	s.record(func(r *undo.Record) { pairsOf(r, assoc).Add(attached, detached, before) })
}

// pairsOf returns the pairs of a record for lists, or for tags.
func pairsOf(r *undo.Record, assoc *query.Association) *undo.Pairs {
	if assoc == &query.LinkTags {
		return &r.WithTags
	}
	return &r.InLists
}

// recordNotes records notes that an import has created, and those on links that it has created.
func (s *Store) recordNotes(created, withLinks undo.IDs) {
	s.recordCreated(created)
	if len(withLinks.IDs) > 0 {
		s.record(func(r *undo.Record) { r.LinkNotes = append(r.LinkNotes, withLinks) })
	}
}
