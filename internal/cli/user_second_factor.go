package cli

import (
	"context"
	"fmt"

	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type userSecondFactor struct {
	Name string `arg:"" help:"User name."`

	Remove bool `help:"Remove the app, the recovery codes, the passkeys and the trust in browsers."`

	config.Store `embed:""`
}

func (*userSecondFactor) Help() string {
	return `Prints what a user signs in with besides the password. With --remove, for a user who has lost their phone,
the password alone is enough again: be sure that it is they who ask.

    waymark user second-factor ann
    waymark user second-factor ann --remove`
}

func (c *userSecondFactor) Run(t *terminal) error {
	return withUser(c.Store, c.Name, func(ctx context.Context, s *store.Store, user waymark.User) error {
		factors, err := s.Accounts.Factors(ctx, user.ID)
		if err != nil {
			return err
		}
		if c.Remove {
			if err := s.Accounts.RemoveFactors(ctx, user.ID); err != nil {
				return err
			}
			fmt.Fprintf(t.err, "Second factors of %s removed.\n", user.Name)
			if !factors.Password {
				fmt.Fprintf(t.err, "To sign in to the pages, %s needs a password: %s\n", user.Name, commandLine("user password", c.Store, user.Name))
			}
			return nil
		}
		_, err = fmt.Fprintf(t.out, "authenticator app: %s\nrecovery codes: %d\npasskeys: %d\ntrusted browsers: %d\nrequired: %s\n",
			choose(factors.App(), "on", "off"), factors.RecoveryCodes, factors.Passkeys, factors.Trusted, choose(factors.Required, "yes", "no"))
		return err
	})
}
