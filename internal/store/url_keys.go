package store

import (
	"context"
	"database/sql"
	"iter"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// SavedURL is the URL of a link.
type SavedURL struct {
	Link waymark.LinkID
	URL  string
}

// LinksWithKeys returns owner's active links with the waymark.URLKey of these URLs, the oldest first.
func (s *Store) LinksWithKeys(ctx context.Context, owner waymark.UserID, urls []string) (map[string][]SavedURL, error) {
	found := map[string][]SavedURL{}
	if len(urls) == 0 {
		return found, nil
	}
	wanted := map[string]bool{}
	for _, url := range urls {
		wanted[waymark.URLKey(url)] = true
	}
	for saved, err := range s.similarURLs(ctx, owner, urls) {
		if err != nil {
			return nil, err
		}
		if key := waymark.URLKey(saved.URL); wanted[key] { // not only the hash is the same
			found[key] = append(found[key], saved)
		}
	}
	return found, nil
}

// SimilarURLs returns owner's active links that have nearly the same URL as url, the oldest first: all that
// LinksWithKeys returns, and those with the parameters in another order or encoding.
func (s *Store) SimilarURLs(ctx context.Context, owner waymark.UserID, url string) ([]SavedURL, error) {
	return collect(s.similarURLs(ctx, owner, []string{url}), 1)
}

func (s *Store) similarURLs(ctx context.Context, owner waymark.UserID, urls []string) iter.Seq2[SavedURL, error] {
	hashes := waymark.Map(urls, table.URLKey)
	q := s.db.Querier()
	a := q.Args(owner)
	return database.QueryEach(ctx, q, func(rows *sql.Rows, u *SavedURL) error { return rows.Scan(&u.Link, &u.URL) }, `
		SELECT e.id, e.url
		FROM links AS e
		WHERE e.user_id = $1 AND e.url_key `+database.In(a, table.Unique(hashes))+` AND e.visible_to IS NOT NULL
		ORDER BY e.id`, a.Values...)
}
