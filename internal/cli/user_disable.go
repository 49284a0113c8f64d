package cli

import (
	"context"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
)

type userDisable struct {
	Name string `arg:"" help:"User name."`

	config.Store `embed:""`
}

// Help returns the help text below the summary.
func (*userDisable) Help() string {
	return `The user's password and API keys stop working immediately, until "waymark user enable". Other
users still see the entities that the user shares.`
}

func (c *userDisable) Run() error { return disable(c.Store, c.Name, true) }

type userEnable struct {
	Name string `arg:"" help:"User name."`

	config.Store `embed:""`
}

// Help returns the help text below the summary.
func (*userEnable) Help() string { return `The user's password and API keys work again.` }

func (c *userEnable) Run() error { return disable(c.Store, c.Name, false) }

func disable(settings config.Store, name string, disabled bool) error {
	return withStore(settings, func(ctx context.Context, _ *store.Store, svc *service.Service) error {
		return svc.DisableUser(ctx, name, disabled)
	})
}
