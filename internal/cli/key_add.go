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
	User    string `arg:"" help:"Whose key."`
	KeyName string `arg:"" name:"keyname" help:"What it is for, such as the program that gets it."`

	Access  waymark.Access  `enum:"full,read,add" default:"full" help:"What the key may do: full, everything that its user may; read, look and change nothing; add, create entries and nothing else."`
	Expires config.Duration `placeholder:"TIME" help:"When it ends from now, such as 90d, 2w or 12h. Never, if this is not given."`

	config.Store `embed:""`
}

// Help is what kong shows beneath the command's summary.
func (*keyAdd) Help() string {
	return `Prints the key, and nothing else, on standard output. It is shown this once: Waymark keeps
only its hash. Give each program a key of its own, so that each can be revoked alone.

    waymark key add ann miniflux
    waymark key add ann phone --access read --expires 90d
    KEY=$(waymark key add ann backup --access read)`
}

func (c *keyAdd) Run(t *terminal) error {
	return open(c.Store, func(ctx context.Context, _ *store.Store, lib *service.Service) error {
		var expires waymark.Time
		if c.Expires != 0 {
			expires = lib.Now().Add(time.Duration(c.Expires))
		}
		secret, key, err := lib.AddAPIKey(ctx, c.User, c.KeyName, c.Access, expires)
		if err != nil {
			return err
		}
		end := "It does not expire."
		if key.ExpiresAt != 0 {
			end = "It expires on " + moment(key.ExpiresAt) + "."
		}
		fmt.Fprintf(t.err, "Key %s of %s, access %s. %s It is shown this once:\n", key.Name, c.User, key.Access, end)
		_, err = fmt.Fprintln(t.out, secret)
		return err
	})
}
