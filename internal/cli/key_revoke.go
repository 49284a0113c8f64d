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
	User    string `arg:"" help:"User name."`
	KeyName string `arg:"" name:"keyname" help:"Name of the key."`

	Yes bool `help:"Do not ask for confirmation."`

	config.Store `embed:""`
}

func (*keyRevoke) Help() string {
	return `Takes effect immediately, also on a running server, and cannot be undone. Asks for confirmation;
use --yes in scripts.

    waymark key revoke ann phone
    waymark key revoke ann phone --yes`
}

func (c *keyRevoke) Run(t *terminal) error {
	return withUser(c.Store, c.User, func(ctx context.Context, s *store.Store, user waymark.User) error {
		if !c.Yes {
			if err := t.confirm(fmt.Sprintf("This permanently revokes the API key %q of user %s.", c.KeyName, user.Name), c.KeyName); err != nil {
				return err
			}
		}
		if err := accounts.New(s, accounts.Options{}).RevokeAPIKey(ctx, c.User, c.KeyName); err != nil {
			return err
		}
		fmt.Fprintf(t.err, "API key %q of %s revoked.\n", c.KeyName, user.Name)
		return nil
	})
}
