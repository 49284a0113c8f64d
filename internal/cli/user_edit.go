package cli

import (
	"context"
	"errors"
	"fmt"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type userEdit struct {
	User string `arg:"" name:"name" help:"User name."`

	Name  *string `placeholder:"NAME" help:"New user name, without spaces."`
	Admin *bool   `negatable:"" help:"Make the user an administrator, or remove that role."`

	DefaultVisibility []string `placeholder:"KIND=VISIBILITY" help:"Visibility of new links, lists, tags or notes: public, internal or private. Without KIND, of all four."`

	config.Store `embed:""`
}

func (*userEdit) Help() string {
	return `Changes only what a flag names. With --no-admin, one-time URLs of the user stop working.

    waymark user edit ann --name anna
    waymark user edit ann --admin
    waymark user edit ann --default-visibility links=public,lists=internal`
}

func (c *userEdit) Run(t *terminal) error {
	visibility, err := waymark.ParseDefaultVisibility(c.DefaultVisibility)
	if err != nil {
		return usageError{fmt.Errorf("--default-visibility: %w", err)}
	}
	edit := accounts.UserEdit{Name: c.Name, Admin: c.Admin, DefaultVisibility: visibility}
	if edit == (accounts.UserEdit{}) {
		return usageError{errors.New("nothing to change: use --name, --admin, --no-admin or --default-visibility")}
	}
	if edit.Name != nil {
		if err := waymark.ValidateUserName(*edit.Name); err != nil {
			return usageError{err}
		}
	}
	return withStore(c.Store, func(ctx context.Context, s *store.Store) error {
		users := accounts.New(s, accounts.Options{})
		user, err := users.EditUser(ctx, c.User, edit)
		if err != nil {
			return onlyAdministrator(err, c.User, c.Store)
		}
		fmt.Fprintf(t.err, "User %s changed.\n", user.Name)
		return nil
	})
}
