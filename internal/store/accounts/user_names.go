package accounts

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// UserNames returns the names of users by their ids. Ids of no user are not in the result.
func (s *Store) UserNames(ctx context.Context, ids []waymark.UserID) (map[waymark.UserID]string, error) {
	names := map[waymark.UserID]string{}
	if len(ids) == 0 {
		return names, nil
	}
	q := s.db.Querier()
	a := q.Args()
	scan := func(rows *sql.Rows, user *waymark.User) error { return rows.Scan(&user.ID, &user.Name) }
	for user, err := range database.QueryEach(ctx, q, scan, `
		SELECT e.id, e.name
		FROM users AS e
		WHERE e.id `+database.In(a, ids), a.Values...) {
		if err != nil {
			return nil, err
		}
		names[user.ID] = user.Name
	}
	return names, nil
}
