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
	Admin *bool   `negatable:"" help:"Make the user an administrator, who can manage users in the web interface, or remove that role."`

	DefaultVisibility []string `placeholder:"KIND=VISIBILITY" help:"Visibility of new links, lists, tags or notes if the client sends none: public (everyone), internal (all users) or private (only the owner). Without KIND, it applies to all four."`

	config.Store `embed:""`
}

func (*userEdit) Help() string {
	return `Changes only the properties for which a flag is given. A renamed user keeps links, lists, tags, notes, API
keys and password. With --no-admin, the one-time URLs that the user made stop working.

    waymark user edit ann --name anna
    waymark user edit ann --admin
    waymark user edit ann --no-admin
    waymark user edit ann --default-visibility links=public,lists=internal

A default visibility applies to entities that are created later; existing ones are not changed.`
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
