package cli

import (
	"context"
	"fmt"
	"time"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type keyAdd struct {
	User    string `arg:"" help:"User name."`
	KeyName string `arg:"" name:"keyname" help:"Name of the key, such as the client that uses it."`

	Access  waymark.Access  `enum:"full,read,add" default:"full" help:"Access level: full, read (read-only) or add (create only)."`
	Expires config.Duration `placeholder:"TIME" help:"Time until the key expires, such as 90d, 2w or 12h. Default: never."`

	config.Store `embed:""`
}

// Help returns the help text below the summary.
func (*keyAdd) Help() string {
	return `Prints the key, and nothing else, on standard output. It cannot be shown again: Waymark stores
only its hash. Create a key for each client, so that you can revoke them separately.

    waymark key add ann miniflux
    waymark key add ann phone --access read --expires 90d
    KEY=$(waymark key add ann backup --access read)`
}

func (c *keyAdd) Run(t *terminal) error {
	if err := service.ValidateKeyName(c.KeyName); err != nil {
		return usageError{err}
	}
	return withStore(c.Store, func(ctx context.Context, _ *store.Store, svc *service.Service) error {
		var expires waymark.Time
		if c.Expires != 0 {
			expires = svc.Now().Add(time.Duration(c.Expires))
		}
		secret, key, err := svc.AddAPIKey(ctx, c.User, c.KeyName, c.Access, expires)
		if err != nil {
			return err
		}
		expiry := "never expires"
		if key.ExpiresAt != 0 {
			expiry = "expires " + formatTime(key.ExpiresAt)
		}
		fmt.Fprintf(t.err, "API key %q for %s created (%s access, %s). Store it now; it cannot be shown again.\n",
			key.Name, c.User, key.Access, expiry)
		_, err = fmt.Fprintln(t.out, secret)
		return err
	})
}
