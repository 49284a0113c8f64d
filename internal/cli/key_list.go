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
	User string `arg:"" help:"Whose keys."`

	config.Store `embed:""`
}

// Help is what kong shows beneath the command's summary.
func (*keyList) Help() string {
	return `One line a key, after a line of headings. LAST USED is up to a minute late.`
}

func (c *keyList) Run(t *terminal) error {
	return open(c.Store, func(ctx context.Context, s *store.Store, lib *service.Service) error {
		user, err := userNamed(ctx, s, c.User)
		if err != nil {
			return err
		}
		keys, err := s.APIKeys(ctx, user.ID)
		if err != nil {
			return err
		}
		table := newTable(t.out, "NAME", "ACCESS", "STATE", "ADDED", "LAST USED", "EXPIRES")
		for _, key := range keys {
			table.row(key.Name, string(key.Access), pick(key.Expired(lib.Now()), "expired", "active"),
				moment(key.CreatedAt), moment(key.LastUsedAt), moment(key.ExpiresAt))
		}
		return table.Flush()
	})
}

// moment writes a time to the second, for people and scripts alike, in UTC.
func moment(t waymark.Time) string {
	if t == 0 {
		return "never"
	}
	return t.Time().Format(time.RFC3339)
}
