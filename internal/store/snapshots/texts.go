package snapshots

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/fetch/article"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Texts returns the texts of the snapshots of some links that viewer sees, by link, without those
// whose HTML has more than maxSize bytes. Guests see no snapshots.
func (s *Store) Texts(ctx context.Context, viewer waymark.UserID, ids []waymark.LinkID, maxSize int64) (map[waymark.LinkID]string, error) {
	texts := map[waymark.LinkID]string{}
	if viewer == waymark.Guest || len(ids) == 0 {
		return texts, nil
	}
	type row struct {
		link    waymark.LinkID
		content []byte
	}
	scan := func(rows *sql.Rows, r *row) error { return rows.Scan(&r.link, &r.content) }
	q := s.db.Querier()
	a := q.Args()
	for r, err := range database.QueryEach(ctx, q, scan, `
		SELECT c.link_id, c.content
		FROM text_snapshots AS c`+database.JoinInOrder+`links AS e
		WHERE c.link_id `+database.In(a, ids)+` AND c.size <= `+a.Add(maxSize)+` AND e.id = c.link_id AND `+query.VisibleTo(a, database.Unindexed("e.visible_to"), viewer), a.Values...) {
		if err != nil {
			return nil, err
		}
		html, err := decompress(r.content, maxTextSize)
		if err != nil {
			continue // waymark doctor reports it
		}
		texts[r.link] = article.Text(html)
	}
	return texts, nil
}
