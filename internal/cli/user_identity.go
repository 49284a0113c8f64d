package cli

import (
	"context"
	"errors"
	"fmt"

	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type userIdentity struct {
	Name string `arg:"" help:"User name."`

	Remove string `placeholder:"ISSUER" help:"Remove the user's account at this provider."`

	config.Store `embed:""`
}

func (*userIdentity) Help() string {
	return `Prints a line for each account at a sign-in provider. With --remove, the user can no longer sign in with it,
even if it is their only way; sessions go on.

    waymark user identity ann
    waymark user identity ann --remove https://sso.example.org`
}

func (c *userIdentity) Run(t *terminal) error {
	return withUser(c.Store, c.Name, func(ctx context.Context, s *store.Store, user waymark.User) error {
		if c.Remove == "" {
			identities, err := s.Accounts.Identities(ctx, user.ID)
			if err != nil {
				return err
			}
			table := newTable(t.out, "ISSUER", "SUBJECT", "ACCOUNT", "CONNECTED", "LAST USED")
			for _, i := range identities {
				table.row(i.Issuer, i.Subject, i.Name, formatTime(i.CreatedAt), formatTime(i.LastSeenAt))
			}
			return table.Flush()
		}
		err := s.Accounts.DeleteIdentity(ctx, user.ID, c.Remove, func(waymark.SignInWays) error { return nil })
		if errors.Is(err, waymark.ErrNotFound) {
			return fmt.Errorf("%s has no account at %s", user.Name, c.Remove)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(t.err, "Account of %s at %s removed.\n", user.Name, c.Remove)
		return nil
	})
}
