package store

import (
	"context"

	"waymark/internal/database"
)

// pruneChanges are the statements that delete old rows of the log of changes. SQLite keeps
// the newest 100,000 rows. PostgreSQL keeps those of the last hour, and of transactions
// that may not be visible to all others yet.
var pruneChanges = map[database.Kind]string{
	database.SQLite: `
		DELETE FROM changes
		WHERE seq <= (SELECT max(seq) FROM changes) - 100000`,
	database.PostgreSQL: `
		WITH newest AS (
			SELECT xid
			FROM changes
			WHERE at < now() - INTERVAL '1 hour' AND xid < pg_snapshot_xmin(pg_current_snapshot())
			ORDER BY xid DESC
			LIMIT 1
		), deleted AS (
			DELETE FROM changes
			WHERE xid < (SELECT xid FROM newest)
		)
		UPDATE changes_pruned
		SET before = newest.xid
		FROM newest`,
}

// PruneChanges deletes old rows of the log of changes. A reader that has not read them must
// read the tables again. In SQLite that is so if the smallest seq does not follow the last
// one that it read, in PostgreSQL if it has not read all changes before changes_pruned.
func (s *Store) PruneChanges(ctx context.Context) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		_, err := q.Exec(ctx, pruneChanges[s.db.Kind()])
		return err
	})
}
