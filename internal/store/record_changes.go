package store

import (
	"context"
	"errors"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/queue"
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
	s.imported(func(i *undo.Import) { i.Add(assoc.Kind, ids...) })
	s.recordCreated(undo.IDs{Kind: assoc.Kind, At: at, IDs: ids, IfUnused: true})
}

// recordPairs records pairs that were attached and detached.
func (s *Store) recordPairs(assoc *query.Association, attached, detached [][2]int64) {
	s.record(func(r *undo.Record) { pairsOf(r, assoc).Add(attached, detached) })
}

// pairsOf returns the pairs of a record for lists, or for tags.
func pairsOf(r *undo.Record, assoc *query.Association) *undo.Pairs {
	if assoc == &query.LinkTags {
		return &r.WithTags
	}
	return &r.InLists
}

// assocOf returns the association of links with lists, or with tags.
func assocOf(kind waymark.EntityKind) *query.Association {
	if kind == waymark.Tags {
		return &query.LinkTags
	}
	return &query.LinkLists
}

// recordCheck records what was found about a link, before another URL deletes it.
func (s *Store) recordCheck(ctx context.Context, q database.Querier, link waymark.Link) error {
	if s.recording == nil {
		return nil
	}
	checks, err := queue.ChecksOf(ctx, q, link.ID)
	if errors.Is(err, waymark.ErrNotFound) {
		return nil
	}
	s.record(func(r *undo.Record) {
		r.Checks = append(r.Checks, undo.Check{Link: link.ID, URL: link.URL, Checks: checks})
	})
	return err
}
