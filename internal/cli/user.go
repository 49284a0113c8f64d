package cli

import (
	"context"
	"errors"
	"fmt"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// userCommands are the commands about people, one file each.
type userCommands struct {
	Add        userAdd        `cmd:"" help:"Give somebody an account."`
	List       userList       `cmd:"" help:"Show who has an account."`
	Password   userPassword   `cmd:"" help:"Give a user another password."`
	Visibility userVisibility `cmd:"" help:"Say who sees what a user adds from now on."`
	Disable    userDisable    `cmd:"" help:"Shut a user out, and keep what is theirs."`
	Enable     userEnable     `cmd:"" help:"Let a disabled user in again."`
	Remove     userRemove     `cmd:"" help:"Erase a user and everything of theirs."`
}

// userNamed returns the user of that name, or an error that names it.
func userNamed(ctx context.Context, s *store.Store, name string) (waymark.User, error) {
	user, err := s.UserByName(ctx, name)
	if errors.Is(err, waymark.ErrNotFound) {
		return user, fmt.Errorf("user %q %w", name, waymark.ErrNotFound)
	}
	return user, err
}
