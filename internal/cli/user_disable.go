package cli

import (
	"context"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
)

type userDisable struct {
	Name string `arg:"" help:"Whom to shut out."`

	config.Store `embed:""`
}

// Help is what kong shows beneath the command's summary.
func (*userDisable) Help() string {
	return `Their password and all their keys open nothing from the next request on, until
"waymark user enable". What they share stays where others see it.`
}

func (c *userDisable) Run() error { return disable(c.Store, c.Name, true) }

type userEnable struct {
	Name string `arg:"" help:"Whom to let in."`

	config.Store `embed:""`
}

// Help is what kong shows beneath the command's summary.
func (*userEnable) Help() string { return `Their password and their keys work again.` }

func (c *userEnable) Run() error { return disable(c.Store, c.Name, false) }

func disable(settings config.Store, name string, disabled bool) error {
	return open(settings, func(ctx context.Context, _ *store.Store, lib *service.Service) error {
		return lib.DisableUser(ctx, name, disabled)
	})
}
