package cli

import (
	"context"
	"fmt"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type userDisable struct {
	Name string `arg:"" help:"User name."`

	config.Store `embed:""`
}

func (*userDisable) Help() string {
	return `The user's password and API keys stop working at once, until "waymark user enable", one-time URLs
for good. Other users still see what the user shares.`
}

func (c *userDisable) Run(t *terminal) error { return disable(t, c.Store, c.Name, true) }

type userEnable struct {
	Name string `arg:"" help:"User name."`

	config.Store `embed:""`
}

func (*userEnable) Help() string { return `The user's password and API keys work again.` }

func (c *userEnable) Run(t *terminal) error { return disable(t, c.Store, c.Name, false) }

func disable(t *terminal, settings config.Store, name string, disabled bool) error {
	return withUser(settings, name, func(ctx context.Context, s *store.Store, user waymark.User) error {
		if err := accounts.New(s, accounts.Options{}).SetUserDisabled(ctx, name, disabled); err != nil {
			return onlyAdministrator(err, user.Name, settings)
		}
		fmt.Fprintf(t.err, "User %s %s.\n", user.Name, choose(disabled, "disabled", "enabled"))
		return nil
	})
}
