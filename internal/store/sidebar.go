package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/accounts"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// maxSidebarLabels is the number of lists, and of tags, in the sidebar, if fewer are pinned.
const maxSidebarLabels = 7

// Sidebar returns what the pages show a user in their sidebar.
func (s *Store) Sidebar(ctx context.Context, user waymark.UserID) (sidebar waymark.Sidebar, err error) {
	if err := s.index.Sync(ctx); err != nil {
		return sidebar, err
	}
	q := s.db.Querier()
	if sidebar.Counts, err = s.counts(ctx, q, user); err != nil {
		return sidebar, err
	}
	if sidebar.Searches, err = accounts.ReadSavedSearches(ctx, q, user); err != nil {
		return sidebar, err
	}
	if sidebar.Bundles, err = accounts.ReadBundles(ctx, q, user); err != nil {
		return sidebar, err
	}
	if sidebar.Lists, err = sidebarLabels[waymark.ListID](ctx, s, q, &lists, user); err != nil {
		return sidebar, err
	}
	sidebar.Tags, err = sidebarLabels[waymark.TagID](ctx, s, q, &tags, user)
	return sidebar, err
}

// sidebarLabel is a list or tag that can be in the sidebar.
type sidebarLabel struct {
	id     int64
	name   string
	pinned bool
}

// sidebarLabels returns the lists or tags in the sidebar: the pinned ones, and as many of the user's own
// with the most links as there is space for.
func sidebarLabels[I waymark.ListID | waymark.TagID, T any](ctx context.Context, s *Store, q database.Querier, t *entityTable[T], user waymark.UserID) ([]waymark.SidebarLabel[I], error) {
	filter := waymark.LabelFilter{Owner: user}
	p := labelPlan(s, t, user, filter, waymark.Order{By: waymark.SortByLinks, Desc: true})
	_, mostUsed, err := s.labelsByLinks(ctx, q, t.assoc, p, filter, waymark.Pagination{Limit: maxSidebarLabels})
	if err != nil {
		return nil, err
	}
	found, err := readSidebarLabels(ctx, q, t, user, mostUsed)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	shown := chooseLabels(found, mostUsed)
	counts := s.countLinks(t.assoc, waymark.Map(shown, func(l sidebarLabel) int64 { return l.id }), user)
	return waymark.Map(shown, func(l sidebarLabel) waymark.SidebarLabel[I] {
		return waymark.SidebarLabel[I]{ID: I(l.id), Name: l.name, LinkCount: counts[l.id], Pinned: l.pinned}
	}), nil
}

// readSidebarLabels returns the lists or tags that the user has pinned, and those with some ids.
func readSidebarLabels[T any](ctx context.Context, q database.Querier, t *entityTable[T], user waymark.UserID, ids []int64) ([]sidebarLabel, error) {
	a := q.Args(user)
	text := `
		SELECT e.id, e.name, true
		FROM ` + t.assoc.Pins() + ` AS p` + database.JoinInOrder + t.Name + ` AS e
		WHERE p.user_id = $1 AND e.id = p.` + t.assoc.Column + ` AND ` + query.VisibleToUser(database.Unindexed("e.visible_to"), "$1")
	if len(ids) > 0 {
		text += `
		UNION ALL
		SELECT e.id, e.name, false
		FROM ` + t.Name + ` AS e
		WHERE e.id ` + database.In(a, ids) + ` AND ` + query.VisibleToUser(database.Unindexed("e.visible_to"), "$1")
	}
	return database.QueryAll(ctx, q, func(rows *sql.Rows, l *sidebarLabel) error { return rows.Scan(&l.id, &l.name, &l.pinned) }, text, a.Values...)
}

// chooseLabels returns the pinned ones among found, sorted by name, and then the most used ones.
func chooseLabels(found []sidebarLabel, mostUsed []int64) []sidebarLabel {
	var shown []sidebarLabel
	others := make(map[int64]sidebarLabel, len(mostUsed))
	for _, l := range found {
		if l.pinned {
			shown = append(shown, l)
		} else {
			others[l.id] = l
		}
	}
	slices.SortFunc(shown, func(a, b sidebarLabel) int {
		return cmp.Or(waymark.CompareNames(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	for _, l := range shown {
		delete(others, l.id)
	}
	for _, id := range mostUsed {
		if l, ok := others[id]; ok && len(shown) < maxSidebarLabels {
			shown = append(shown, l)
		}
	}
	return shown
}

// PinList pins a list to a user's sidebar, or removes it from there. It returns the
// error of List if the user may not see the list.
func (s *Store) PinList(ctx context.Context, user waymark.UserID, id waymark.ListID, pinned bool) error {
	return pin(ctx, s, &lists, user, int64(id), pinned)
}

// PinTag is PinList for tags.
func (s *Store) PinTag(ctx context.Context, user waymark.UserID, id waymark.TagID, pinned bool) error {
	return pin(ctx, s, &tags, user, int64(id), pinned)
}

func pin[T any](ctx context.Context, s *Store, t *entityTable[T], user waymark.UserID, id int64, pinned bool) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if _, err := t.GetVisible(ctx, q, user, id); err != nil {
			return err
		}
		text := `
			INSERT INTO ` + t.assoc.Pins() + ` (user_id, ` + t.assoc.Column + `)
			VALUES ($1, $2)
			ON CONFLICT DO NOTHING`
		if !pinned {
			text = `
			DELETE FROM ` + t.assoc.Pins() + `
			WHERE user_id = $1 AND ` + t.assoc.Column + ` = $2`
		}
		_, err := q.Exec(ctx, text, user, id)
		return err
	})
}

// ListPinned reports whether a user has pinned a list.
func (s *Store) ListPinned(ctx context.Context, user waymark.UserID, id waymark.ListID) (bool, error) {
	return database.Exists(ctx, s.db.Querier(), "pinned_lists WHERE user_id = $1 AND list_id = $2", user, id)
}

// TagPinned reports whether a user has pinned a tag.
func (s *Store) TagPinned(ctx context.Context, user waymark.UserID, id waymark.TagID) (bool, error) {
	return database.Exists(ctx, s.db.Querier(), "pinned_tags WHERE user_id = $1 AND tag_id = $2", user, id)
}
