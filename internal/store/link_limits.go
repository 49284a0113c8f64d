package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// limitOf returns the maximum number of lists, or tags, of a link. ofLists is that of lists: waymark.MaxLinkLists or
// waymark.MaxLinkFolders.
func limitOf(assoc *query.Association, ofLists int) int {
	if assoc.Kind == waymark.Tags {
		return waymark.MaxLinkTags
	}
	return ofLists
}

// inputField returns the field of an input that names the lists, or the tags, of a link.
func inputField(assoc *query.Association) waymark.Field {
	if assoc.Kind == waymark.Tags {
		return waymark.FieldTags
	}
	return waymark.FieldLists
}

// checkRefs returns a waymark.ValidationError if refs name more lists or tags than limit.
// A link may keep the number that it had before the change. index is the position of the link in the change. Call it
// before creating lists and tags, so that a refused change costs little.
func checkRefs(assoc *query.Association, r resolvedRefs, refs []waymark.Ref, index, before, limit int) error {
	distinct := map[any]bool{} // ids, and folded names that do not exist yet
	for _, ref := range refs {
		if id, ok := r.id(ref); ok {
			distinct[id] = true
		} else if ref.Name != "" {
			distinct[waymark.Fold(ref.Name)] = true
		}
		if len(distinct) > max(limit, before) {
			return waymark.TooMany(inputField(assoc), index, limit)
		}
	}
	return nil
}

// aboveLimit returns the number of lists or tags of those links that have more than the limit. The lists into which
// others have put a link count for themselves, so that nobody can fill it up for its owner. The
// transaction must have locked the links, so that no concurrent one attaches more.
func aboveLimit(ctx context.Context, q database.Querier, assoc *query.Association, links []int64, byOthers bool, limit int) (map[int64]int, error) {
	a, counted := q.Args(limit), ""
	if assoc.Kind == waymark.Lists {
		counted = " AND by_saver <> " + a.Add(byOthers)
	}
	return database.QueryMap[int64, int](ctx, q, `
		SELECT link_id, count(*)
		FROM `+assoc.Table+`
		WHERE link_id `+database.In(a, links)+counted+`
		GROUP BY link_id
		HAVING count(*) > $1`, a.Values...)
}

// checkLinks returns a waymark.ValidationError if one of the links has more lists or tags than it
// may have, and more than before the change. before is the result of aboveLimit.
func checkLinks(ctx context.Context, q database.Querier, assoc *query.Association, links []int64, byOthers bool, before map[int64]int, limit int) error {
	after, err := aboveLimit(ctx, q, assoc, links, byOthers, limit)
	for link, n := range after {
		if n > before[link] {
			return waymark.TooMany(inputField(assoc), 0, limit)
		}
	}
	return err
}
