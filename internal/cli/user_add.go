package cli

import (
	"context"
	"fmt"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
)

type userAdd struct {
	Name string `arg:"" help:"What to call them: letters of any script, no spaces."`

	Admin         bool `help:"Make them an administrator."`
	PasswordStdin bool `help:"Read the password from the first line of standard input." xor:"password"`
	NoPassword    bool `help:"Let them in by API keys alone." xor:"password"`

	config.Store `embed:""`
}

// Help is what kong shows beneath the command's summary.
func (*userAdd) Help() string {
	return `Asks for a password of 8 characters or more. What the user adds is private until they, or
"waymark user visibility", say otherwise.

    waymark user add ann --admin
    waymark user add ben --password-stdin < password.txt
    waymark user add robot --no-password`
}

func (c *userAdd) Run(t *terminal) error {
	var password string
	if !c.NoPassword {
		var err error
		if password, err = t.newPassword(c.Name, c.PasswordStdin, ", or --no-password for a user with API keys only"); err != nil {
			return err
		}
	}
	return open(c.Store, func(ctx context.Context, _ *store.Store, lib *service.Service) error {
		user, err := lib.AddUser(ctx, c.Name, password, c.Admin)
		if err != nil {
			return err
		}
		fmt.Fprintf(t.err, "User %s is added. A key for a program: %s key add %s PROGRAM%s\n",
			user.Name, called(), user.Name, commandFlags(c.Store))
		return nil
	})
}
