package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"waymark/internal/auth"
	"waymark/internal/waymark"
)

// ChangePassword changes the password of a user who is signed in and knows the current one.
// Their other sessions end, and the one-time tokens that they created become invalid. Its error
// can be waymark.ErrWrongPassword, a waymark.ValidationError, both of them, or a
// *waymark.TooManyAttempts.
func (s *Service) ChangePassword(ctx context.Context, visitor Visitor, current, password string, from Client) error {
	invalid := auth.ValidatePassword(password)
	err := s.confirmPassword(ctx, visitor, current, from)
	if errors.Is(err, waymark.ErrWrongPassword) {
		return errors.Join(invalid, err)
	}
	if err := cmp.Or(err, invalid); err != nil {
		return err
	}
	hash, err := auth.HashPassword(ctx, password)
	if err != nil {
		return err
	}
	return s.store.SetPasswordHash(ctx, visitor.User.ID, hash, visitor.Session.ID)
}

// DeleteAccount permanently deletes a user who is signed in and knows their password, with
// all their data. The last administrator cannot be deleted: waymark.ErrLastAdministrator.
func (s *Service) DeleteAccount(ctx context.Context, visitor Visitor, password string, from Client) error {
	if err := s.confirmPassword(ctx, visitor, password, from); err != nil {
		return err
	}
	return s.store.RemoveUser(ctx, visitor.User.ID, waymark.Guest, keepAdministrator)
}

// confirmPassword returns waymark.ErrWrongPassword if the password is not that of the
// visitor. The attempts are limited as those to sign in, because another person may be using the
// visitor's browser.
func (s *Service) confirmPassword(ctx context.Context, visitor Visitor, password string, from Client) error {
	_, hash, err := s.store.PasswordHash(ctx, visitor.User.Name)
	if err != nil {
		return err
	}
	return s.verifyPassword(ctx, waymark.Fold(visitor.User.Name), hash, password, true, from)
}

// keepAdministrator permits to remove a user unless they are the last administrator.
func keepAdministrator(user waymark.User, others int) error {
	if user.Admin && !user.Disabled && others == 0 {
		return waymark.ErrLastAdministrator
	}
	return nil
}

// SetUserState makes a user an administrator or not, and disables or enables them; nil keeps
// what they are. Only administrators may do it, and one must be left:
// waymark.ErrLastAdministrator.
func (s *Service) SetUserState(ctx context.Context, by waymark.User, user waymark.UserID, admin, disabled *bool) (waymark.User, error) {
	if !by.Admin {
		return waymark.User{}, waymark.ErrForbidden
	}
	change := func(u *waymark.User) {
		if admin != nil {
			u.Admin = *admin
		}
		if disabled != nil {
			u.Disabled = *disabled
		}
	}
	return s.store.SetUserState(ctx, user, change, func(u waymark.User, others int) error {
		if others == 0 && (!u.Admin || u.Disabled) {
			return waymark.ErrLastAdministrator
		}
		return nil
	})
}

// RemoveUserAsAdmin permanently deletes a user and transfers their links, lists, tags and notes to
// another user, or deletes them too if transferTo is zero. Only administrators may do it, and
// one must be left: waymark.ErrLastAdministrator.
func (s *Service) RemoveUserAsAdmin(ctx context.Context, by waymark.User, user, transferTo waymark.UserID) error {
	if !by.Admin {
		return waymark.ErrForbidden
	}
	if transferTo == user {
		return waymark.ErrNotFound // the new owner would be deleted
	}
	return s.store.RemoveUser(ctx, user, transferTo, keepAdministrator)
}

// RevokeOwnAPIKey revokes an API key of a user. It stops working immediately.
// RestoreOwnAPIKey undoes it, within store.UndoRevocation.
func (s *Service) RevokeOwnAPIKey(ctx context.Context, user waymark.UserID, id waymark.APIKeyID) error {
	return s.store.RevokeAPIKey(ctx, user, id)
}

// RestoreOwnAPIKey makes an API key valid again that was revoked a moment ago. It returns
// waymark.ErrNotFound if that is too long ago, and waymark.ErrConflict if the user has
// another key with its name.
func (s *Service) RestoreOwnAPIKey(ctx context.Context, user waymark.UserID, id waymark.APIKeyID) error {
	return s.store.RestoreAPIKey(ctx, user, id)
}

// NewFeedToken replaces the token in the addresses of a user's feeds. The old addresses stop
// working.
func (s *Service) NewFeedToken(ctx context.Context, user waymark.UserID) (string, error) {
	token, _ := auth.NewToken()
	if err := s.store.SetFeedToken(ctx, user, token); err != nil {
		return "", fmt.Errorf("set the token of feeds: %w", err)
	}
	return token, nil
}
