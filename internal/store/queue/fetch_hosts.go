package queue

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// ClaimHost claims the next request to a host of another server, for all processes on the database:
// no other one can claim it before next. If it cannot be claimed now, ClaimHost returns the time
// until then, else 0.
func (s *Store) ClaimHost(ctx context.Context, host string, now, next waymark.Time) (busyUntil waymark.Time, err error) {
	err = s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		busyUntil = 0
		claimed, err := q.Exec(ctx, `
			INSERT INTO fetch_hosts (host, next_at)
			VALUES ($1, $2)
			ON CONFLICT (host) DO UPDATE SET next_at = excluded.next_at
			WHERE fetch_hosts.next_at <= $3`, host, next, now)
		if err != nil || claimed > 0 {
			return err
		}
		busyUntil, err = database.QueryOne(ctx, q, database.ScanValue[waymark.Time], `
			SELECT next_at
			FROM fetch_hosts
			WHERE host = $1`, host)
		return err
	})
	return busyUntil, err
}

// HoldHost lets no process claim requests to a host before a time.
func (s *Store) HoldHost(ctx context.Context, host string, until waymark.Time) error {
	_, err := s.db.Exec(ctx, `
		INSERT INTO fetch_hosts (host, next_at)
		VALUES ($1, $2)
		ON CONFLICT (host) DO UPDATE SET next_at = excluded.next_at WHERE fetch_hosts.next_at < excluded.next_at`, host, until)
	return err
}

// PruneHosts deletes the hosts that can be claimed again.
func (s *Store) PruneHosts(ctx context.Context) error {
	_, err := s.db.Exec(ctx, `
		DELETE FROM fetch_hosts
		WHERE next_at <= $1`, s.now())
	return err
}
