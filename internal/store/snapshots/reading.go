package snapshots

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// SaveReadingPosition stores how far a user has read the text of a link, in place of an earlier position. It returns
// waymark.ErrForbidden if the user does not see the link, and waymark.ErrNotFound if there is no such link or no text.
func (s *Store) SaveReadingPosition(ctx context.Context, user waymark.UserID, link waymark.LinkID, p waymark.ReadingPosition) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if seen, err := table.Links.GetVisible(ctx, q, user, int64(link)); err != nil || seen.Minutes == 0 {
			return table.OrNotFound(0, err)
		}
		return putPosition(ctx, q, user, link, p)
	})
}

func putPosition(ctx context.Context, q database.Querier, user waymark.UserID, link waymark.LinkID, p waymark.ReadingPosition) error {
	_, err := q.Exec(ctx, `
		INSERT INTO reading_positions (user_id, link_id, paragraph, per_mille)
		VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, link_id) DO UPDATE SET paragraph = excluded.paragraph, per_mille = excluded.per_mille`, user, link, p.Paragraph, p.PerMille)
	return err
}

// ReadingPositions returns how far a user has read the texts of some links, without those that were not begun.
func (s *Store) ReadingPositions(ctx context.Context, user waymark.UserID, links []waymark.LinkID) (map[waymark.LinkID]waymark.ReadingPosition, error) {
	return readPositions(ctx, s.db.Querier(), user, links)
}

func readPositions(ctx context.Context, q database.Querier, user waymark.UserID, links []waymark.LinkID) (map[waymark.LinkID]waymark.ReadingPosition, error) {
	positions := map[waymark.LinkID]waymark.ReadingPosition{}
	if len(links) == 0 {
		return positions, nil
	}
	type row struct {
		link waymark.LinkID
		waymark.ReadingPosition
	}
	scan := func(rows *sql.Rows, r *row) error { return rows.Scan(&r.link, &r.Paragraph, &r.PerMille) }
	a := q.Args(user)
	for r, err := range database.QueryEach(ctx, q, scan, `
		SELECT link_id, paragraph, per_mille
		FROM reading_positions
		WHERE user_id = $1 AND link_id `+database.In(a, links), a.Values...) {
		if err != nil {
			return nil, err
		}
		positions[r.link] = r.ReadingPosition
	}
	return positions, nil
}
