package store

import (
	"context"
	"fmt"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// ListTexts returns a text for each list that means no other list of its owner: its name, its path, or else its name
// and id, as waymark.NumberedName reads it. FindLists finds the lists with all of them.
func (s *Store) ListTexts(ctx context.Context, viewer waymark.UserID, all []waymark.List) (map[waymark.ListID]string, error) {
	texts, err := s.listTexts(ctx, viewer, all)
	for _, list := range all {
		if _, id := waymark.NumberedName(texts[list.ID]); id != 0 && id != int64(list.ID) || texts[list.ID] == list.Name && id != 0 {
			texts[list.ID] = numberedText(list.Name, list.ID) // it looks like that of another list
		}
	}
	return texts, err
}

func numberedText(name string, id waymark.ListID) string { return fmt.Sprintf("%s #%d", name, id) }

func (s *Store) listTexts(ctx context.Context, viewer waymark.UserID, all []waymark.List) (map[waymark.ListID]string, error) {
	texts := make(map[waymark.ListID]string, len(all))
	var names []string
	for _, list := range all {
		texts[list.ID] = list.Name
		names = append(names, waymark.Fold(list.Name))
	}
	if len(names) == 0 {
		return texts, nil
	}
	a := s.db.Querier().Args()
	several, err := database.QueryAll(ctx, s.db.Querier(), database.ScanValue[string], `
		SELECT e.name_folded
		FROM lists AS e
		WHERE `+query.VisibleTo(a, "e.visible_to", viewer)+` AND e.name_folded `+database.In(a, table.Unique(names))+`
		GROUP BY e.user_id, e.name_folded
		HAVING count(*) > 1`, a.Values...)
	if err != nil || len(several) == 0 {
		return texts, err
	}
	var ids []waymark.ListID
	for _, list := range all {
		if slices.Contains(several, waymark.Fold(list.Name)) {
			ids = append(ids, list.ID)
		}
	}
	paths, err := s.ListPaths(ctx, viewer, ids)
	if err != nil {
		return texts, err
	}
	var refs []waymark.Ref
	for id, path := range paths {
		texts[id] = waymark.PathText(path)
		refs = append(refs, waymark.Ref{Name: texts[id]})
	}
	found, err := s.FindLists(ctx, viewer, refs)
	for id := range paths {
		if found[waymark.Ref{Name: texts[id]}].ID != id {
			texts[id] = numberedText(paths[id][len(paths[id])-1].Name, id)
		}
	}
	return texts, err
}
