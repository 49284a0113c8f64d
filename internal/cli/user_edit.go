package cli

import (
	"context"
	"errors"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type userEdit struct {
	User string `arg:"" name:"name" help:"User name."`

	Name  *string `placeholder:"NAME" help:"New user name, without spaces."`
	Admin *bool   `negatable:"" help:"Make the user an administrator, or no longer one. Without effect until there is a web interface."`

	config.Store `embed:""`
}

// Help returns the help text below the summary.
func (*userEdit) Help() string {
	return `Changes what the flags name and keeps the rest. A renamed user keeps links, lists, tags, notes, API
keys and password.

    waymark user edit ann --name anna
    waymark user edit ann --admin
    waymark user edit ann --no-admin`
}

func (c *userEdit) Run() error {
	edit := service.UserEdit{Name: c.Name, Admin: c.Admin}
	if edit == (service.UserEdit{}) {
		return usageError{errors.New("nothing to change: use --name, --admin or --no-admin")}
	}
	if edit.Name != nil {
		if err := waymark.ValidateUserName(*edit.Name); err != nil {
			return usageError{err}
		}
	}
	return withStore(c.Store, func(ctx context.Context, _ *store.Store, svc *service.Service) error {
		_, err := svc.EditUser(ctx, c.User, edit)
		return err
	})
}
