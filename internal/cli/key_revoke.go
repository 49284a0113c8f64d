package cli

import (
	"context"
	"fmt"
	"slices"

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
	return withStore(c.Store, func(ctx context.Context, s *store.Store) error {
		users := accounts.New(s, accounts.Options{})
		user, err := userByName(ctx, s, c.User)
		if err != nil {
			return err
		}
		keys, err := s.Accounts.APIKeys(ctx, user.ID)
		if err != nil {
			return err
		}
		exists := slices.ContainsFunc(keys, func(k waymark.APIKey) bool { return k.Name == c.KeyName })
		if exists && !c.Yes {
			if err := t.confirm(fmt.Sprintf("This permanently revokes the API key %q of user %s.", c.KeyName, user.Name), c.KeyName); err != nil {
				return err
			}
		}
		if err := users.RevokeAPIKey(ctx, c.User, c.KeyName); err != nil {
			return err
		}
		fmt.Fprintf(t.err, "API key %q of %s revoked.\n", c.KeyName, user.Name)
		return nil
	})
}
