package cli

import (
	"context"
	"time"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type keyList struct {
	User string `arg:"" help:"User name."`

	config.Store `embed:""`
}

// Help returns the help text below the summary.
func (*keyList) Help() string {
	return `Prints a header line and a line for each key, without the key itself. LAST USED is accurate to
about a minute.`
}

func (c *keyList) Run(t *terminal) error {
	return withReadOnlyStore(c.Store, func(ctx context.Context, s *store.Store, svc *service.Service) error {
		user, err := userByName(ctx, s, c.User)
		if err != nil {
			return err
		}
		keys, err := s.APIKeys(ctx, user.ID)
		if err != nil {
			return err
		}
		table := newTable(t.out, "NAME", "ACCESS", "STATE", "ADDED", "LAST USED", "EXPIRES")
		for _, key := range keys {
			table.row(key.Name, string(key.Access), choose(key.Expired(svc.Now()), "expired", "active"),
				formatTime(key.CreatedAt), formatTime(key.LastUsedAt), formatTime(key.ExpiresAt))
		}
		return table.Flush()
	})
}

// formatTime formats t as RFC 3339 in UTC, to the second.
func formatTime(t waymark.Time) string {
	if t == 0 {
		return "never"
	}
	return t.Time().Format(time.RFC3339)
}
