package cli

import (
	"context"
	"fmt"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

type userPassword struct {
	Name string `arg:"" help:"User name."`

	PasswordStdin bool `help:"Read the password from the first line of standard input."`

	KeepKeys bool `help:"Keep the user's API keys and the URLs of their feeds."`

	config.Store `embed:""`
}

func (*userPassword) Help() string {
	return `Prompts for a password of at least 8 characters. The user is signed out everywhere. API keys are revoked,
and feeds get new URLs, because another person who knew the old password could have them: --keep-keys
keeps both.

    waymark user password ann
    waymark user password ann --keep-keys
    waymark user password ann --password-stdin < password.txt`
}

func (c *userPassword) Run(t *terminal) error {
	return withUser(c.Store, c.Name, func(ctx context.Context, s *store.Store, user waymark.User) error {
		password, err := t.newPassword(c.Name, c.PasswordStdin, "--password-stdin to read it from standard input")
		if err != nil {
			return err
		}
		if err := accounts.New(s, accounts.Options{}).SetPassword(ctx, c.Name, password, !c.KeepKeys); err != nil {
			return err
		}
		fmt.Fprintf(t.err, "Password of %s changed.\n", user.Name)
		return nil
	})
}
