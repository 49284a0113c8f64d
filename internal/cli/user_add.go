package cli

import (
	"context"
	"fmt"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type userAdd struct {
	Name string `arg:"" help:"User name, without spaces."`

	Admin         bool `help:"Make the user an administrator."`
	PasswordStdin bool `help:"Read the password from the first line of standard input." xor:"password"`
	NoPassword    bool `help:"Create a user who can only use API keys." xor:"password"`

	config.Store `embed:""`
}

func (*userAdd) Help() string {
	return `Prompts for a password of at least 8 characters. The first user is an administrator.

    waymark user add ann --admin
    waymark user add ben --password-stdin < password.txt
    waymark user add robot --no-password`
}

func (c *userAdd) Run(t *terminal) error {
	if err := waymark.ValidateUserName(c.Name); err != nil {
		return usageError{err}
	}
	var password string
	if !c.NoPassword {
		var err error
		if password, err = t.newPassword(c.Name, c.PasswordStdin, "--password-stdin to read it from standard input, or --no-password for a user with API keys only"); err != nil {
			return err
		}
	}
	return withStore(c.Store, func(ctx context.Context, s *store.Store) error {
		users := accounts.New(s, accounts.Options{})
		add := users.AddUser
		if c.Admin {
			add = users.AddAdmin
		}
		user, err := add(ctx, c.Name, password)
		if err != nil {
			return err
		}
		role := ""
		if user.Admin {
			role = ", an administrator"
		}
		fmt.Fprintf(t.err, "User %s created%s. Create an API key with: %s\n",
			user.Name, role, keyCommand(c.Store, user.Name))
		if c.NoPassword {
			fmt.Fprintf(t.err, "To sign in to the pages, %s needs a password: %s\n", user.Name, commandLine("user password", c.Store, user.Name))
		}
		return nil
	})
}
