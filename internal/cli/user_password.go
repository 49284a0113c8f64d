package cli

import (
	"context"

	"waymark/internal/config"
	"waymark/internal/service"
	"waymark/internal/store"
)

type userPassword struct {
	Name string `arg:"" help:"Whose password."`

	PasswordStdin bool `help:"Read the password from the first line of standard input."`

	config.Store `embed:""`
}

// Help is what kong shows beneath the command's summary.
func (*userPassword) Help() string {
	return `Asks for a password of 8 characters or more. API keys stay as they are.

    waymark user password ann
    waymark user password ann --password-stdin < password.txt`
}

func (c *userPassword) Run(t *terminal) error {
	return open(c.Store, func(ctx context.Context, s *store.Store, lib *service.Service) error {
		if _, err := userNamed(ctx, s, c.Name); err != nil {
			return err
		}
		password, err := t.newPassword(c.Name, c.PasswordStdin, "")
		if err != nil {
			return err
		}
		return lib.SetPassword(ctx, c.Name, password)
	})
}
