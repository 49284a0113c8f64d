package linkindex

import (
	"context"
	"database/sql"
	"errors"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// logPosition is how far the log of changes was read: up to the snapshot of one
// transaction. The zero value is the beginning of the log.
type logPosition struct {
	// In SQLite, transactions commit in the order of seq.
	seq  int64
	last change // the change with that seq

	// In PostgreSQL they commit in any order. So a position is the set of the transactions
	// that were visible, in the text form of pg_snapshot. Its numbers mean the same until
	// the server is restarted or replaced, or the table is restored: then origin changes.
	snapshot string
	origin   string
}

// change is a row of the log: an entity that was inserted, updated or deleted.
type change struct {
	entity string // links, lists or tags
	id     int64
}

// errLogIncomplete means that the log no longer contains all changes after a position.
var errLogIncomplete = errors.New("the log of changes is incomplete")

// changesSince returns the position of the transaction's snapshot, and at most limit
// changes after an earlier position that its snapshot includes. It must be the first
// statement of the transaction, so that the snapshot is not older than the position. It
// returns errLogIncomplete if changes are missing, or if there are more than limit.
func changesSince(ctx context.Context, q database.Querier, kind database.Kind, from logPosition, limit int) (logPosition, []change, error) {
	if kind == database.PostgreSQL {
		return postgresChangesSince(ctx, q, from, limit)
	}
	return sqliteChangesSince(ctx, q, from, limit)
}

// sqliteChangesSince reads the log from the last known change. If the log does not contain that
// change, old changes were deleted, or another file was restored.
func sqliteChangesSince(ctx context.Context, q database.Querier, from logPosition, limit int) (logPosition, []change, error) {
	type row struct {
		seq int64
		change
	}
	scan := func(rows *sql.Rows, r *row) error { return rows.Scan(&r.seq, &r.entity, &r.id) }
	to := from
	var changes []change
	first := true
	for r, err := range database.QueryEach(ctx, q, scan, `
		SELECT seq, entity, id
		FROM changes
		WHERE seq >= $1
		ORDER BY seq
		LIMIT $2`, from.seq, limit+2) {
		switch {
		case err != nil:
			return logPosition{}, nil, err
		case first && from.seq > 0 && (r.seq != from.seq || r.change != from.last), first && from.seq == 0 && r.seq != 1:
			return logPosition{}, nil, errLogIncomplete
		case from.seq == 0 || !first:
			changes = append(changes, r.change)
		}
		first = false
		to = logPosition{seq: r.seq, last: r.change}
	}
	if first && from.seq > 0 || len(changes) > limit {
		return logPosition{}, nil, errLogIncomplete
	}
	return to, changes, nil
}

// postgresOrigin is logPosition.origin: the server's start and the table's internal id.
const postgresOrigin = `CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) AS TEXT) || ' ' || CAST(CAST('changes' AS REGCLASS) AS OID)`

// The statements below sort changes by xid, so that PostgreSQL uses the index on xid. Without the
// sort, the planner expects many changes that are not in the snapshot, and reads the whole table.

// postgresChangesSince reads the changes that the earlier position does not include.
func postgresChangesSince(ctx context.Context, q database.Querier, from logPosition, limit int) (logPosition, []change, error) {
	type row struct {
		logPosition
		complete bool
		entity   sql.NullString
		id       sql.NullInt64
	}
	scan := func(rows *sql.Rows, r *row) error {
		return rows.Scan(&r.origin, &r.snapshot, &r.complete, &r.entity, &r.id)
	}
	var to logPosition
	var changes []change
	for r, err := range database.QueryEach(ctx, q, scan, `
		SELECT
			`+postgresOrigin+`,
			CAST(pg_current_snapshot() AS TEXT),
			p.before <= pg_snapshot_xmin(CAST($1 AS pg_snapshot)),
			c.entity, c.id
		FROM changes_pruned AS p
		LEFT JOIN LATERAL (
			SELECT entity, id
			FROM changes
			WHERE xid >= pg_snapshot_xmin(CAST($1 AS pg_snapshot)) AND NOT pg_visible_in_snapshot(xid, CAST($1 AS pg_snapshot))
			ORDER BY xid
			LIMIT $2) AS c ON TRUE`, from.snapshot, limit+1) {
		if err != nil {
			return logPosition{}, nil, err
		}
		if r.origin != from.origin || !r.complete {
			return logPosition{}, nil, errLogIncomplete
		}
		to = r.logPosition
		if r.entity.Valid {
			changes = append(changes, change{r.entity.String, r.id.Int64})
		}
	}
	if len(changes) > limit {
		return logPosition{}, nil, errLogIncomplete
	}
	return to, changes, nil
}

// currentPosition returns the position of the transaction's snapshot.
func currentPosition(ctx context.Context, q database.Querier, kind database.Kind) (logPosition, error) {
	if kind == database.PostgreSQL {
		scan := func(rows *sql.Rows, p *logPosition) error { return rows.Scan(&p.origin, &p.snapshot) }
		return database.QueryOne(ctx, q, scan, `
			SELECT
				`+postgresOrigin+`,
				CAST(pg_current_snapshot() AS TEXT)`)
	}
	scan := func(rows *sql.Rows, p *logPosition) error { return rows.Scan(&p.seq, &p.last.entity, &p.last.id) }
	p, err := database.QueryOne(ctx, q, scan, `
		SELECT seq, entity, id
		FROM changes
		ORDER BY seq DESC
		LIMIT 1`)
	if errors.Is(err, waymark.ErrNotFound) {
		return logPosition{}, nil
	}
	return p, err
}
