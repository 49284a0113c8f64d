package accounts

import (
	"context"
	"errors"

	"waymark/internal/config"
	"waymark/internal/waymark"
)

// SignInByHeader creates a session for the user whom a proxy names, and returns its secret. Their account
// exists, or is created if the settings allow it. Its error is ErrRefused if the user is disabled, and
// ErrNoIdentity if there is none. The caller has checked that the name comes from a proxy.
func (a *Accounts) SignInByHeader(ctx context.Context, name string, from Client) (secret string, err error) {
	user, err := a.store.Accounts.UserByName(ctx, name)
	if errors.Is(err, waymark.ErrNotFound) && a.signInSettings.NewUsers == config.CreateUsers && waymark.ValidateUserName(name) == nil {
		user, err = a.createByHeader(ctx, name)
	}
	switch {
	case errors.Is(err, waymark.ErrNotFound):
		return "", a.logFailure(from, ErrNoIdentity)
	case err != nil:
		return "", err
	case user.Disabled:
		return "", a.logFailure(from, ErrRefused)
	}
	secret, err = a.startSession(ctx, user, waymark.Session{Method: waymark.ByHeader}, "", nil, from)
	if errors.Is(err, waymark.ErrWrongPassword) { // the user was just disabled
		err = a.logFailure(from, ErrRefused)
	}
	return secret, err
}

// createByHeader creates a user whom a proxy names. The first user is not created so: it would be an
// administrator.
func (a *Accounts) createByHeader(ctx context.Context, name string) (waymark.User, error) {
	some, err := a.store.Accounts.HasUsers(ctx)
	if err != nil {
		return waymark.User{}, err
	}
	if !some {
		return waymark.User{}, waymark.ErrNotFound
	}
	user, err := a.store.Accounts.CreateUser(ctx, newUser(name), "")
	if errors.Is(err, waymark.ErrConflict) { // another request has just created it
		return a.store.Accounts.UserByName(ctx, name)
	}
	return user, err
}
