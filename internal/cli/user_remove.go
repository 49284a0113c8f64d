package cli

import (
	"context"
	"fmt"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type userRemove struct {
	Name string `arg:"" help:"User name."`

	TransferTo string `help:"Transfer the user's links, lists, tags and notes to this user instead of deleting them." placeholder:"NAME"`
	Yes        bool   `help:"Do not ask for confirmation."`

	config.Store `embed:""`
}

func (*userRemove) Help() string {
	return `Permanently deletes the user's links, lists, tags, notes and API keys, and other users' notes on
these links. "waymark user disable" keeps the data. Asks for confirmation; use --yes in scripts.
The last administrator can be removed only if there is no other user.

With --transfer-to, another user gets all these entities except the trash. Links with the same URL
are merged, and lists and tags with the same name.

    waymark user remove ann
    waymark user remove ann --transfer-to ben
    waymark user remove ann --yes`
}

func (c *userRemove) Run(t *terminal) error {
	return withUser(c.Store, c.Name, func(ctx context.Context, s *store.Store, user waymark.User) error {
		if !c.Yes {
			question := "This permanently deletes user " + user.Name + " and all their data."
			if c.TransferTo != "" {
				question = "This permanently deletes user " + user.Name + " and transfers their links to " + c.TransferTo + "."
			}
			if err := t.confirm(question, user.Name); err != nil {
				return err
			}
		}
		if err := accounts.New(s, accounts.Options{}).RemoveUser(ctx, c.Name, c.TransferTo); err != nil {
			return onlyAdministrator(err, user.Name, c.Store)
		}
		fmt.Fprintf(t.err, "User %s removed.\n", user.Name)
		return nil
	})
}
