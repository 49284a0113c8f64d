package cli

import (
	"context"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
)

type keyRevoke struct {
	User    string `arg:"" help:"User name."`
	KeyName string `arg:"" name:"keyname" help:"Name of the key."`

	config.Store `embed:""`
}

// Help returns the help text below the summary.
func (*keyRevoke) Help() string {
	return `Takes effect immediately, also on a running server.

    waymark key revoke ann phone`
}

func (c *keyRevoke) Run() error {
	return withStore(c.Store, func(ctx context.Context, _ *store.Store, svc *service.Service) error {
		return svc.RevokeAPIKey(ctx, c.User, c.KeyName)
	})
}
