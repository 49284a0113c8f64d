package cli

import (
	"context"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type userVisibility struct {
	Name       string `arg:"" help:"User name."`
	Visibility string `arg:"" enum:"public,internal,private" help:"public (everyone), internal (all users) or private (only the owner)."`

	config.Store `embed:""`
}

// Help returns the help text below the summary.
func (*userVisibility) Help() string {
	return `Applies when the client does not specify a visibility. Existing entities are not changed.

    waymark user visibility ann internal`
}

func (c *userVisibility) Run() error {
	visibility, err := waymark.ParseVisibility(c.Visibility)
	if err != nil {
		return usageError{err}
	}
	return withStore(c.Store, func(ctx context.Context, _ *store.Store, svc *service.Service) error {
		return svc.SetDefaultVisibility(ctx, c.Name, visibility)
	})
}
