package accounts

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// TakeAuditEvents calls log with each change of a user, an API key or a one-time token since the
// last call, whichever process made it, and then deletes the events. If servers share a database,
// each event goes to one of them. After a failure an event may be logged twice.
func (s *Store) TakeAuditEvents(ctx context.Context, log func(waymark.AuditEvent)) error {
	some, err := database.Exists(ctx, s.db.Querier(), "audit_events")
	if err != nil || !some {
		return err
	}
	scan := func(rows *sql.Rows, e *waymark.AuditEvent) error {
		return rows.Scan(&e.ID, &e.At, &e.Event, &e.User, &e.Key, &e.Detail)
	}
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		events, err := database.QueryAll(ctx, q, scan, `
			DELETE FROM audit_events
			RETURNING id, at, event, user_name, key_name, detail`)
		if err != nil {
			return err
		}
		slices.SortFunc(events, func(a, b waymark.AuditEvent) int { return cmp.Compare(a.ID, b.ID) })
		for _, event := range events {
			log(event)
		}
		return nil
	})
}

// AddAuditEvent adds an event that no trigger adds, because it says who made the change.
func AddAuditEvent(ctx context.Context, q database.Querier, event, user, detail string) error {
	_, err := q.Exec(ctx, `
		INSERT INTO audit_events (event, user_name, key_name, detail)
		VALUES ($1, $2, '', $3)`, event, user, detail)
	return err
}
