package service

import (
	"context"
	"errors"
	"fmt"

	"waymark/internal/auth"
	"waymark/internal/waymark"
)

// AddUser gives somebody an account. Their entries are private until they say
// otherwise. An empty password opens nothing: such a user has API keys only.
func (s *Service) AddUser(ctx context.Context, name, password string) (waymark.User, error) {
	if err := waymark.ValidateUserName(name); err != nil {
		return waymark.User{}, err
	}
	var hash string
	if password != "" {
		var err error
		if hash, err = auth.HashPassword(ctx, password); err != nil {
			return waymark.User{}, err
		}
	}
	user, err := s.store.CreateUser(ctx, waymark.User{Name: name, Visibility: waymark.Private}, hash)
	return user, wrapUser(name, err)
}

// SetPassword gives a user another password.
func (s *Service) SetPassword(ctx context.Context, name, password string) error {
	user, err := s.store.UserByName(ctx, name)
	if err != nil {
		return wrapUser(name, err)
	}
	hash, err := auth.HashPassword(ctx, password)
	if err != nil {
		return err
	}
	return wrapUser(name, s.store.SetPasswordHash(ctx, user.ID, hash))
}

// RemoveUser erases a user and everything of theirs. Their keys open nothing from
// now on, and nothing brings their entries back.
func (s *Service) RemoveUser(ctx context.Context, name string) error {
	user, err := s.store.UserByName(ctx, name)
	if err != nil {
		return wrapUser(name, err)
	}
	return wrapUser(name, s.store.DeleteUser(ctx, user.ID))
}

// DisableUser shuts a user out, or lets them in again. What is theirs stays as it
// is. Their keys and password open nothing from the next request on.
func (s *Service) DisableUser(ctx context.Context, name string, disabled bool) error {
	_, err := s.store.ChangeUser(ctx, name, func(user *waymark.User) error {
		user.Disabled = disabled
		return nil
	})
	return wrapUser(name, err)
}

// SetDefaultVisibility sets what a user's new entries get where a request does not
// say. Those that exist stay as they are.
func (s *Service) SetDefaultVisibility(ctx context.Context, name string, v waymark.Visibility) error {
	_, err := s.store.ChangeUser(ctx, name, func(user *waymark.User) error {
		user.Visibility = v
		return nil
	})
	return wrapUser(name, err)
}

// wrapUser says whom an error that a caller may act on is about.
func wrapUser(name string, err error) error { return wrapNamed("user", name, err) }

func wrapNamed(what, name string, err error) error {
	for _, kind := range []error{waymark.ErrNotFound, waymark.ErrConflict} {
		if errors.Is(err, kind) {
			return fmt.Errorf("%s %q %w", what, name, kind)
		}
	}
	return err
}
