package linkindex

import (
	"context"

	"waymark/internal/database"
)

// prunedAtOnce is how many changes one transaction deletes in SQLite, where others wait.
const prunedAtOnce = 20_000

// pruneSQLite deletes all but the newest 100,000 rows of the log of changes. The statement has only
// one bound: with two, SQLite would use one of them and test the other on every row.
const pruneSQLite = `
	DELETE FROM changes
	WHERE seq < min(
		(SELECT min(seq) FROM changes) + $1,
		(SELECT max(seq) FROM changes) - 99999)`

// prunePostgres deletes rows that are older than an hour, unless their transactions may not be
// visible to all others yet. Another server may have deleted newer ones while the UPDATE has waited
// for it.
const prunePostgres = `
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
	SET before = greatest(before, newest.xid)
	FROM newest`

// A restored database has rows of another server's transactions, whose numbers may be larger.
const (
	pruneForeignPostgres = `
		DELETE FROM changes
		WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())`
	resetPrunedPostgres = `
		UPDATE changes_pruned
		SET before = pg_snapshot_xmin(pg_current_snapshot())
		WHERE before > pg_snapshot_xmax(pg_current_snapshot())`
)

// Prune deletes old rows of the log of changes. A reader that has not read them must read the
// tables again. A reader has missed rows if, in SQLite, the smallest seq does not follow the last
// one that it read or, in PostgreSQL, it has not read all changes before changes_pruned.
func Prune(ctx context.Context, db *database.DB) error {
	if db.Kind() == database.PostgreSQL {
		return db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
			for _, text := range []string{pruneForeignPostgres, resetPrunedPostgres, prunePostgres} {
				if _, err := q.Exec(ctx, text); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for {
		deleted, err := db.Exec(ctx, pruneSQLite, prunedAtOnce)
		if err != nil || deleted < prunedAtOnce {
			return err
		}
	}
}
