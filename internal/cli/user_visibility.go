package cli

import (
	"context"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type userVisibility struct {
	Name       string `arg:"" help:"Whose new entries."`
	Visibility string `arg:"" enum:"public,internal,private" help:"public: everybody with an account sees them, and guests where the server lets them in. internal: everybody with an account. private: they alone."`

	config.Store `embed:""`
}

// Help is what kong shows beneath the command's summary.
func (*userVisibility) Help() string {
	return `Counts where a program does not say it itself. What is there already stays as it is.

    waymark user visibility ann internal`
}

func (c *userVisibility) Run() error {
	visibility, err := waymark.ParseVisibility(c.Visibility)
	if err != nil {
		return usageError{err}
	}
	return open(c.Store, func(ctx context.Context, _ *store.Store, lib *service.Service) error {
		return lib.SetDefaultVisibility(ctx, c.Name, visibility)
	})
}
