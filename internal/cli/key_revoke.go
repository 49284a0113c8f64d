package cli

import (
	"context"
	"fmt"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type keyRevoke struct {
	Arguments []string `arg:"" name:"keyname" help:"Name of the key."`
	keyOwner  `embed:""`

	Yes bool `help:"Do not ask for confirmation."`

	config.Store `embed:""`
}

func (*keyRevoke) Help() string {
	return `Takes effect at once, also on a running server, and cannot be undone. Asks for confirmation.

    waymark key revoke --user ann phone
    waymark key revoke --user ann phone --yes`
}

func (c *keyRevoke) Run(t *terminal) error {
	owner, names, err := c.take(c.Arguments, 1)
	if err != nil {
		return err
	}
	name := names[0]
	return withUser(c.Store, owner, func(ctx context.Context, s *store.Store, user waymark.User) error {
		if !c.Yes {
			if err := t.confirm(fmt.Sprintf("This permanently revokes the API key %q of user %s.", name, user.Name), name); err != nil {
				return err
			}
		}
		if err := accounts.New(s, accounts.Options{}).RevokeAPIKey(ctx, owner, name); err != nil {
			return err
		}
		fmt.Fprintf(t.err, "API key %q of %s revoked.\n", name, user.Name)
		return nil
	})
}
