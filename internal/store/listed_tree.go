package store

import (
	"cmp"
	"context"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// ListTree returns all lists that viewer sees, in the order of the tree: each before its sublists. The viewer's own
// come first. They have no LinkCount: see CountListLinks.
func (s *Store) ListTree(ctx context.Context, viewer waymark.UserID) ([]waymark.List, error) {
	return listTreeOf(ctx, s.db.Querier(), viewer)
}

func listTreeOf(ctx context.Context, q database.Querier, viewer waymark.UserID) ([]waymark.List, error) {
	a := q.Args()
	all, err := lists.All(ctx, q, query.VisibleTo(a, "e.visible_to", viewer)+" ORDER BY e.position, e.name_key, e.name_folded, e.name, e.id", a.Values...)
	if err != nil {
		return nil, err
	}
	above, below := make(listsAbove, len(all)), map[waymark.ListID][]*waymark.List{}
	for _, list := range all {
		above[list.ID] = listAbove{ListName: waymark.ListName{ID: list.ID, Name: list.Name}, parent: list.Parent, owner: list.Owner, editing: list.Editing}
	}
	if err := above.addNamed(ctx, q, viewer); err != nil {
		return nil, err
	}
	for i := range all {
		list := &all[i]
		if list.Path = above.path(list.Parent); len(list.Path) == 0 {
			list.Parent = 0
		}
		list.CanEdit = viewer != waymark.Guest && list.Owner == viewer || above.isEditor(viewer, list.ID)
		below[list.Parent] = append(below[list.Parent], list)
	}
	ordered := make([]waymark.List, 0, len(all))
	ownerRank := func(l *waymark.List) waymark.UserID {
		if l.Owner == viewer {
			return 0
		}
		return l.Owner
	}
	var add func(parent waymark.ListID)
	add = func(parent waymark.ListID) {
		siblings := below[parent]
		slices.SortStableFunc(siblings, func(a, b *waymark.List) int { return cmp.Compare(ownerRank(a), ownerRank(b)) })
		for _, list := range siblings {
			ordered = append(ordered, *list)
			add(list.ID)
		}
	}
	add(0)
	return ordered, nil
}

// CountListLinks returns how many links that viewer sees the lists have, by id. A list without links is missing.
func (s *Store) CountListLinks(ctx context.Context, viewer waymark.UserID, all []waymark.List) (map[int64]int, error) {
	if err := s.index.Sync(ctx); err != nil {
		return nil, err
	}
	ids := waymark.Map(all, func(list waymark.List) int64 { return int64(list.ID) })
	return s.countLinks(&query.LinkLists, ids, viewer), nil
}
