package cli

import (
	"context"
	"io"

	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type keyList struct {
	Arguments []string `arg:"" optional:"" name:"user" help:"User name."`
	keyOwner  `embed:""`

	JSON bool `name:"json" help:"Print a JSON array."`

	config.Store `embed:""`
}

func (*keyList) Help() string {
	return `Prints a line for each key, without the key itself. LAST USED is accurate to about a minute.

    waymark key list --user ann
    waymark key list --user ann --json | jq -r '.[] | select(.expired) | .name'`
}

func (c *keyList) Run(t *terminal) error {
	owner, _, err := c.take(c.Arguments, 0)
	if err != nil {
		return err
	}
	return withUser(c.Store, owner, func(ctx context.Context, s *store.Store, user waymark.User) error {
		keys, err := s.Accounts.APIKeys(ctx, user.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			return printKeys(t.out, keys, s.Now())
		}
		table := newTable(t.out, "NAME", "ACCESS", "STATE", "ADDED", "LAST USED", "EXPIRES")
		for _, key := range keys {
			table.row(key.Name, string(key.Access), choose(key.Expired(s.Now()), "expired", "active"),
				formatTime(key.CreatedAt), formatTime(key.LastUsedAt), formatTime(key.ExpiresAt))
		}
		return table.Flush()
	})
}

func printKeys(w io.Writer, keys []waymark.APIKey, now waymark.Time) error {
	type key struct {
		Name       string         `json:"name"`
		Access     waymark.Access `json:"access"`
		Expired    bool           `json:"expired"`
		CreatedAt  string         `json:"created_at"`
		LastUsedAt *string        `json:"last_used_at"` // null for never
		ExpiresAt  *string        `json:"expires_at"`   // null for never
	}
	var list []key
	for _, k := range keys {
		list = append(list, key{k.Name, k.Access, k.Expired(now), formatTime(k.CreatedAt), jsonTime(k.LastUsedAt), jsonTime(k.ExpiresAt)})
	}
	return printJSONList(w, list)
}
