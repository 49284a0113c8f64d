package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// LinkLimits returns the limits of the lists and tags of a link.
func (s *Store) LinkLimits() waymark.LinkLimits { return s.limits }

// limitOf returns the maximum number of lists, or of tags, of a link, and the field that is
// wrong if there are more.
func (s *Store) limitOf(assoc *query.Association) (int, waymark.Field) {
	if assoc == &query.LinkTags {
		return s.limits.Tags, waymark.FieldTags
	}
	return s.limits.Lists, waymark.FieldLists
}

// checkRefs returns a waymark.ValidationError if refs name more lists or tags than a link
// may have. index is the position of the link in the change. Call it before creating lists
// and tags, so that a change that is refused costs little.
func (s *Store) checkRefs(assoc *query.Association, r resolvedRefs, refs []waymark.Ref, index int) error {
	limit, field := s.limitOf(assoc)
	distinct := map[any]bool{} // ids, and folded names that do not exist yet
	for _, ref := range refs {
		if id, ok := r.id(ref); ok {
			distinct[id] = true
		} else if ref.Name != "" {
			distinct[waymark.Fold(ref.Name)] = true
		}
		if len(distinct) > limit {
			return waymark.TooMany(field, index, limit)
		}
	}
	return nil
}

// checkLinks returns a waymark.ValidationError if one of the links has more lists or tags
// than it may have. The transaction must have locked the links, so that no concurrent one
// attaches more.
func (s *Store) checkLinks(ctx context.Context, q database.Querier, assoc *query.Association, links []int64) error {
	limit, field := s.limitOf(assoc)
	a := q.Args(limit)
	exceeded, err := database.QueryOne(ctx, q, database.ScanValue[bool], `
		SELECT EXISTS (
			SELECT 1
			FROM `+assoc.Table+`
			WHERE link_id `+database.In(a, links)+`
			GROUP BY link_id
			HAVING count(*) > $1)`, a.Values...)
	if err != nil || !exceeded {
		return err
	}
	return waymark.TooMany(field, 0, limit)
}
