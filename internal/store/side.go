package store

import (
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/searchindex"
	"waymark/internal/waymark"
)

// maxSideLabels is the number of lists, and of tags, at the side of a page, unless more are
// pinned.
const maxSideLabels = 7

// Side returns what the pages show a user at their side.
func (s *Store) Side(ctx context.Context, user waymark.UserID) (side waymark.Side, err error) {
	err = s.withIndex(ctx, user, func(q database.Querier, at *searchindex.Snapshot) (err error) {
		if side.Counts, err = s.readCounts(ctx, q, at, user); err != nil {
			return err
		}
		if side.Searches, err = readSavedSearches(ctx, q, user); err != nil {
			return err
		}
		if side.Lists, err = sideLabels(ctx, s, q, at, &lists, user, side.Counts.Links); err != nil {
			return err
		}
		side.Tags, err = sideLabels(ctx, s, q, at, &tags, user, side.Counts.Links)
		return err
	})
	return side, err
}

// sideLabels returns the lists or tags at the side.
func sideLabels[T any](ctx context.Context, s *Store, q database.Querier, at *searchindex.Snapshot, t *entityTable[T], user waymark.UserID, linkCount int) ([]T, error) {
	a := q.Args(user)
	pinned, err := database.QueryAll(ctx, q, t.scan, `
		SELECT `+t.selected+`
		FROM `+pinsOf(t.assoc)+` AS p`+database.JoinInOrder+t.name+` AS e
		WHERE p.user_id = $1 AND e.id = p.`+t.assoc.Column+` AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), user)+`
		ORDER BY e.name_folded, e.name, e.id`, a.Values...)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(pinned))
	for i := range pinned {
		ids[i] = t.idOf(&pinned[i])
	}
	if at == nil && linkCount > maxCountedBySQL {
		for i := range pinned {
			*t.linkCount(&pinned[i]) = -1
		}
		return pinned, nil
	}
	counts, err := s.countLinks(ctx, q, at, t.assoc, ids, query.ScopesOf(user))
	if err != nil {
		return nil, err
	}
	for i := range pinned {
		*t.linkCount(&pinned[i]) = counts[ids[i]]
	}
	if len(pinned) >= maxSideLabels {
		return pinned, nil
	}
	mostUsed, err := labelPage(ctx, s, q, at, t, user, waymark.LabelFilter{Owner: user}, waymark.Order{By: waymark.SortByLinks, Desc: true}, waymark.Pagination{Limit: maxSideLabels})
	for _, label := range mostUsed.Entities {
		if len(pinned) < maxSideLabels && !slices.Contains(ids, t.idOf(&label)) {
			pinned = append(pinned, label)
		}
	}
	return pinned, err
}
