package cli

import (
	"context"
	"errors"
	"fmt"

	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// withStore opens the store, calls do, and closes the store. A server may be running
// on the same database. It does not create a database: only the server does, so that a
// mistyped directory is an error.
func withStore(settings config.Store, do func(context.Context, *store.Store) error) error {
	return openStore(store.Options{MustExist: true}, settings, do)
}

// withUser is withStore for a command about one user.
func withUser(settings config.Store, name string, do func(context.Context, *store.Store, waymark.User) error) error {
	return withStore(settings, func(ctx context.Context, s *store.Store) error {
		user, err := userByName(ctx, s, name)
		if err != nil {
			return err
		}
		return do(ctx, s, user)
	})
}

// withStoreForImports is withStore for imports, which end on Ctrl-C. The server fetches the pages that the policy says.
func withStoreForImports(settings config.Store, fetch waymark.FetchPolicy, do func(context.Context, *store.Store) error) error {
	return openStore(store.Options{MustExist: true, Fetch: fetch}, settings, func(ctx context.Context, s *store.Store) error {
		ctx, stop := untilInterrupted(ctx)
		defer stop()
		return do(ctx, s)
	})
}

func openStore(o store.Options, settings config.Store, do func(context.Context, *store.Store) error) (err error) {
	ctx := context.Background()
	o.Dir, o.Database, o.Connections = settings.Data, settings.Database, settings.DatabaseConnections
	s, err := store.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(ctx, s)
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
