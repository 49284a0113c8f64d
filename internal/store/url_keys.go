package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// SavedURL is the URL of a link.
type SavedURL struct {
	Link waymark.LinkID
	URL  string
}

// SimilarURLs returns owner's active links with the waymark.URLKey of a URL, the oldest first.
func (s *Store) SimilarURLs(ctx context.Context, owner waymark.UserID, url string) ([]SavedURL, error) {
	scan := func(rows *sql.Rows, u *SavedURL) error { return rows.Scan(&u.Link, &u.URL) }
	return database.QueryAll(ctx, s.db.Querier(), scan, `
		SELECT e.id, e.url
		FROM links AS e
		WHERE e.user_id = $1 AND e.url_key = $2 AND e.visible_to IS NOT NULL
		ORDER BY e.id`, owner, table.URLKey(url))
}
