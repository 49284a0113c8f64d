package cli

import (
	"context"
	"errors"
	"fmt"

	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// userCommands are the commands of "waymark user".
type userCommands struct {
	Add          userAdd          `cmd:"" help:"Create a user."`
	List         userList         `cmd:"" help:"List users."`
	Edit         userEdit         `cmd:"" help:"Change a user's name, role or default visibility."`
	Password     userPassword     `cmd:"" help:"Change a user's password."`
	SecondFactor userSecondFactor `cmd:"" help:"Show or remove a user's second factors."`
	Disable      userDisable      `cmd:"" help:"Disable a user without deleting their data."`
	Enable       userEnable       `cmd:"" help:"Re-enable a user."`
	Identity     userIdentity     `cmd:"" help:"Show or remove a user's accounts at sign-in providers."`
	Remove       userRemove       `cmd:"" help:"Delete a user and all their data."`
}

// userByName returns a user. If there is none the error contains the name.
func userByName(ctx context.Context, s *store.Store, name string) (waymark.User, error) {
	user, err := s.Accounts.UserByName(ctx, name)
	if errors.Is(err, waymark.ErrNotFound) {
		return user, fmt.Errorf("user %q %w", name, waymark.ErrNotFound)
	}
	return user, err
}

// onlyAdministrator adds to an error what to do if the user is the last administrator.
func onlyAdministrator(err error, name string, settings config.Store) error {
	if !errors.Is(err, waymark.ErrLastAdministrator) {
		return err
	}
	return fmt.Errorf("%s is the only enabled administrator: make another user administrator first, with: %s",
		name, commandLine("user edit --admin", settings, "NAME"))
}
