package store

import (
	"cmp"
	"context"
	"slices"

	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// TagsAlike returns groups of owner's tags that have one waymark.TagKey, sorted by name, those with the most links first
// in each. A tag that is kept apart from all others of a group is left out.
func (s *Store) TagsAlike(ctx context.Context, owner waymark.UserID) ([][]waymark.Tag, error) {
	if err := s.index.Sync(ctx); err != nil {
		return nil, err
	}
	q := s.db.Querier()
	named := tags.Without("created_at", "updated_at", "deleted_at") // which nobody shows
	all, err := named.All(ctx, q, "e.user_id = $1 AND e.visible_to IS NOT NULL", owner)
	if err != nil {
		return nil, err
	}
	byKey := map[string][]waymark.Tag{}
	for _, tag := range all {
		key := waymark.TagKey(tag.Name)
		byKey[key] = append(byKey[key], tag)
	}
	apart, err := pairSet(table.KeptApart.All(ctx, q, "e.user_id = $1 AND e.entity = $2", owner, waymark.Tags.String()))
	if err != nil {
		return nil, err
	}
	isPair := func(a, b waymark.Tag) bool {
		one, other := waymark.Fold(a.Name), waymark.Fold(b.Name)
		return a.ID != b.ID && !apart[[2]string{min(one, other), max(one, other)}]
	}
	var groups [][]waymark.Tag
	var ids []int64
	for _, group := range byKey {
		if len(group) < 2 {
			continue
		}
		joined := slices.DeleteFunc(slices.Clone(group), func(tag waymark.Tag) bool {
			return !slices.ContainsFunc(group, func(other waymark.Tag) bool { return isPair(tag, other) })
		})
		if len(joined) > 1 {
			groups = append(groups, joined)
			for _, tag := range joined {
				ids = append(ids, int64(tag.ID))
			}
		}
	}
	counts := s.countLinks(tags.assoc, ids, owner)
	for _, group := range groups {
		for i := range group {
			group[i].LinkCount = counts[int64(group[i].ID)]
		}
		slices.SortFunc(group, func(a, b waymark.Tag) int {
			return cmp.Or(cmp.Compare(b.LinkCount, a.LinkCount), cmp.Compare(a.ID, b.ID))
		})
	}
	slices.SortFunc(groups, func(a, b []waymark.Tag) int {
		return cmp.Or(cmp.Compare(waymark.Fold(a[0].Name), waymark.Fold(b[0].Name)), cmp.Compare(a[0].ID, b[0].ID))
	})
	return groups, nil
}
