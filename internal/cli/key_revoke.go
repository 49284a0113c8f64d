package cli

import (
	"context"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
)

type keyRevoke struct {
	User    string `arg:"" help:"Whose key."`
	KeyName string `arg:"" name:"keyname" help:"Its name."`

	config.Store `embed:""`
}

// Help is what kong shows beneath the command's summary.
func (*keyRevoke) Help() string {
	return `The key opens nothing from the next request on, whether the server runs or not.

    waymark key revoke ann phone`
}

func (c *keyRevoke) Run() error {
	return open(c.Store, func(ctx context.Context, _ *store.Store, lib *service.Service) error {
		return lib.RevokeAPIKey(ctx, c.User, c.KeyName)
	})
}
