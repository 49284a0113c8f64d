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

	TransferTo string `help:"Transfer everything but the trash to this user instead, and merge what has the same URL or name." placeholder:"NAME"`
	Yes        bool   `help:"Do not ask for confirmation."`

	config.Store `embed:""`
}

func (*userRemove) Help() string {
	return `Deletes the user's links, lists, tags, notes and API keys for good, and notes of others on these links.
"waymark user disable" keeps them. Asks for confirmation.

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
