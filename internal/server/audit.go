package server

import (
	"context"
	"log/slog"

	"waymark/internal/waymark"
)

// logAuditEvents logs the changes of users, API keys and one-time tokens since its last call,
// including changes made by commands. While the log level omits such lines, the events stay in the database.
func (s *server) logAuditEvents(ctx context.Context) error {
	if !s.log.Enabled(ctx, slog.LevelInfo) {
		return nil
	}
	return s.store.Accounts.TakeAuditEvents(ctx, func(e waymark.AuditEvent) {
		attrs := []slog.Attr{slog.String("event", e.Event), slog.String("user", e.User)}
		if e.Key != "" {
			attrs = append(attrs, slog.String("key", e.Key))
		}
		if e.Detail != "" {
			attrs = append(attrs, slog.String("detail", e.Detail))
		}
		s.log.LogAttrs(ctx, slog.LevelInfo, "audit", append(attrs, slog.String("at", e.At.String()))...)
	})
}
