package cli

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type keyAdd struct {
	Arguments []string `arg:"" name:"keyname" help:"Name of the key, such as the client that uses it."`
	keyOwner  `embed:""`

	Access  waymark.Access `enum:"full,read,add" default:"full" help:"Access level: full, read (read-only) or add (create only)."`
	Expires expiry         `placeholder:"TIME" help:"When the key expires: after a time such as 90d, 2w or 12h, or at the end (UTC) of a date such as 2027-01-31."`

	config.Store `embed:""`
}

func (*keyAdd) Help() string {
	return `Prints the key, and nothing else, on standard output. It cannot be shown again. Create a key for each
client, so that you can revoke them separately.

    waymark key add --user ann miniflux
    waymark key add --user ann phone --access read --expires 90d
    KEY=$(waymark key add --user ann backup --access read)`
}

func (c *keyAdd) Run(t *terminal) error {
	owner, names, err := c.take(c.Arguments, 1)
	if err != nil {
		return err
	}
	if err := waymark.ValidateKeyName(names[0]); err != nil {
		return usageError{err}
	}
	expires, err := c.Expires.time(time.Now())
	if err != nil {
		return err
	}
	return withStore(c.Store, func(ctx context.Context, s *store.Store) error {
		users := accounts.New(s, accounts.Options{})
		secret, key, err := users.AddAPIKey(ctx, owner, names[0], c.Access, expires)
		if err != nil {
			return err
		}
		signal.Ignore(syscall.SIGPIPE) // so that a key that nobody reads is revoked
		if _, err := fmt.Fprintln(t.out, secret); err != nil {
			return errors.Join(fmt.Errorf("the API key was revoked, because it could not be printed: %w", err),
				users.RevokeAPIKey(ctx, owner, names[0]))
		}
		expiry := "never expires"
		if key.ExpiresAt != 0 {
			expiry = "expires " + formatTime(key.ExpiresAt)
		}
		fmt.Fprintf(t.err, "API key %q for %s created (%s access, %s). Store it now; it cannot be shown again.\n",
			key.Name, owner, key.Access, expiry)
		return nil
	})
}
