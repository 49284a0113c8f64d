package store

import (
	"context"
	"math"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// SuggestLists returns a user's own active lists whose name contains text, ignoring case,
// sorted by name. It returns at most limit lists; limit 0 means all.
func (s *Store) SuggestLists(ctx context.Context, owner waymark.UserID, text string, limit int) ([]waymark.List, error) {
	return suggest(ctx, s, &lists, owner, text, limit)
}

// SuggestTags returns a user's own active tags whose name contains text, like
// SuggestLists.
func (s *Store) SuggestTags(ctx context.Context, owner waymark.UserID, text string, limit int) ([]waymark.Tag, error) {
	return suggest(ctx, s, &tags, owner, text, limit)
}

func suggest[T any](ctx context.Context, s *Store, t *entityTable[T], owner waymark.UserID, text string, limit int) ([]T, error) {
	if !storableText(text) {
		return nil, nil
	}
	if limit == 0 {
		limit = math.MaxInt
	}
	var found []T
	err := s.db.Search(ctx, int64(owner), func() (err error) {
		found, err = database.QueryAll(ctx, s.db.Querier(), t.scan, `
			SELECT `+t.selected+`
			FROM `+t.name+` AS e
			WHERE e.user_id = $1 AND e.visible_to IS NOT NULL AND `+s.dialect.Contains("e.name_folded", "$2")+`
			ORDER BY e.name_folded, e.name, e.id
			LIMIT $3`, owner, waymark.Fold(text), limit)
		return err
	})
	return found, err
}
