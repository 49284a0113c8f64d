package accounts

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// FeedToken returns the token in the URLs of a user's feeds, or waymark.ErrNotFound if
// the user has none.
func (s *Store) FeedToken(ctx context.Context, user waymark.UserID) (string, error) {
	return database.QueryOne(ctx, s.db.Querier(), database.ScanValue[string], `
		SELECT token
		FROM feed_tokens
		WHERE user_id = $1`, user)
}

// SetFeedToken replaces the token in the URLs of a user's feeds.
func (s *Store) SetFeedToken(ctx context.Context, user waymark.UserID, token string) error {
	_, err := s.db.Exec(ctx, `
		INSERT INTO feed_tokens (user_id, token)
		VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET token = excluded.token`, user, token)
	return err
}

// FeedTokenOwner returns the user whose feeds have that token in their URLs.
func (s *Store) FeedTokenOwner(ctx context.Context, token string) (waymark.User, error) {
	if !table.StorableText(token) {
		return waymark.User{}, waymark.ErrNotFound
	}
	row, err := table.Users.Get(ctx, s.db.Querier(), `e.id = (
		SELECT user_id
		FROM feed_tokens
		WHERE token = $1)`, token)
	return row.User, err
}
