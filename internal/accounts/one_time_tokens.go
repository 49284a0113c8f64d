package accounts

import (
	"context"
	"errors"
	"time"

	"waymark/internal/auth"
	"waymark/internal/waymark"
)

// How long one-time tokens are valid.
const (
	invitationLifetime    = 7 * 24 * time.Hour
	passwordResetLifetime = 24 * time.Hour
)

// SetupToken returns a new one-time token that creates the first user, an
// administrator. The latest ten are valid until there is a user. It returns waymark.ErrConflict
// if there is one.
func (a *Accounts) SetupToken(ctx context.Context) (string, error) {
	token, hash := auth.NewToken()
	_, err := a.store.Accounts.CreateInvitation(ctx, waymark.Invitation{Admin: true, Setup: true}, hash)
	return token, err
}

// NewInvitation returns a new one-time token that creates a user. name is a
// suggestion for its name and may be empty. Only administrators may invite. The link becomes
// invalid when they are removed, disabled or no longer administrators, and when their password
// changes.
func (a *Accounts) NewInvitation(ctx context.Context, by waymark.User, name string, admin bool) (token string, expires waymark.Time, err error) {
	if !by.Admin {
		return "", 0, waymark.ErrForbidden
	}
	if name != "" {
		if err := waymark.ValidateUserName(name); err != nil {
			return "", 0, err
		}
	}
	token, hash := auth.NewToken()
	expires = a.store.Now().Add(invitationLifetime)
	_, err = a.store.Accounts.CreateInvitation(ctx, waymark.Invitation{Name: name, Admin: admin, CreatedBy: by.ID, ExpiresAt: expires}, hash)
	return token, expires, err
}

// NewPasswordReset returns a new one-time token with which a user sets a new
// password. An earlier one of the user becomes invalid. Only administrators may create it, and
// it becomes invalid as in NewInvitation.
func (a *Accounts) NewPasswordReset(ctx context.Context, by waymark.User, user waymark.UserID) (token string, expires waymark.Time, err error) {
	if !by.Admin {
		return "", 0, waymark.ErrForbidden
	}
	token, hash := auth.NewToken()
	expires = a.store.Now().Add(passwordResetLifetime)
	return token, expires, a.store.Accounts.CreatePasswordReset(ctx, user, waymark.PasswordReset{CreatedBy: by.ID, ExpiresAt: expires}, hash)
}

// DeleteInvitation makes an invitation invalid. Only administrators may do it.
func (a *Accounts) DeleteInvitation(ctx context.Context, by waymark.User, id waymark.InvitationID) error {
	if !by.Admin {
		return waymark.ErrForbidden
	}
	return a.store.Accounts.DeleteInvitation(ctx, id, by)
}

// DeletePasswordReset makes the link with which a user can set a new password invalid. Only
// administrators may do it.
func (a *Accounts) DeletePasswordReset(ctx context.Context, by waymark.User, user waymark.UserID) error {
	if !by.Admin {
		return waymark.ErrForbidden
	}
	return a.store.Accounts.DeletePasswordReset(ctx, user, by)
}

// OneTimeToken returns what the one-time token with this token is for. It returns
// waymark.ErrNotFound if it is not valid, or no longer.
func (a *Accounts) OneTimeToken(ctx context.Context, token string) (waymark.OneTimeToken, error) {
	hash, ok := auth.TokenHash(token)
	if !ok {
		return waymark.OneTimeToken{}, waymark.ErrNotFound
	}
	invitation, err := a.store.Accounts.Invitation(ctx, hash)
	switch {
	case err == nil:
		found := waymark.OneTimeToken{Purpose: waymark.PurposeInvitation, Name: invitation.Name, ExpiresAt: invitation.ExpiresAt}
		if invitation.Setup {
			found.Purpose = waymark.PurposeSetup
		}
		return found, nil
	case !errors.Is(err, waymark.ErrNotFound):
		return waymark.OneTimeToken{}, err
	}
	user, expires, err := a.store.Accounts.PasswordReset(ctx, hash)
	if err != nil {
		return waymark.OneTimeToken{}, err
	}
	return waymark.OneTimeToken{Purpose: waymark.PurposePassword, Name: user.Name, ExpiresAt: expires}, nil
}

// UseSetup creates the first user with the token of SetupToken and returns the secret of a
// session. Its error can be a waymark.ValidationError.
func (a *Accounts) UseSetup(ctx context.Context, token, name, password string, from Client) (secret string, err error) {
	return a.createInvited(ctx, waymark.PurposeSetup, token, name, password, from)
}

// UseInvitation creates a user with the token of NewInvitation and returns the secret of a
// session. Its error can be a waymark.ValidationError, or waymark.ErrConflict if another
// user has the name. The token then stays valid. If the settings allow no passwords, it returns
// waymark.ErrForbidden.
func (a *Accounts) UseInvitation(ctx context.Context, token, name, password string, from Client) (secret string, err error) {
	if !a.signInSettings.Passwords() {
		return "", waymark.ErrForbidden
	}
	return a.createInvited(ctx, waymark.PurposeInvitation, token, name, password, from)
}

func (a *Accounts) createInvited(ctx context.Context, purpose waymark.Purpose, token, name, password string, from Client) (secret string, err error) {
	found, err := a.OneTimeToken(ctx, token)
	if err != nil {
		return "", err
	}
	if found.Purpose != purpose {
		return "", waymark.ErrNotFound
	}
	if err := waymark.JoinInvalid(waymark.ValidateUserName(name), auth.ValidatePassword(name, password)); err != nil {
		return "", err
	}
	passwordHash, err := auth.HashPassword(ctx, name, password)
	if err != nil {
		return "", err
	}
	hash, _ := auth.TokenHash(token)
	user, err := a.store.Accounts.AcceptInvitation(ctx, hash, newUser(name), passwordHash, nil)
	if err != nil {
		return "", err
	}
	return a.startSession(ctx, user, waymark.Session{Method: waymark.ByPassword, Persistent: true}, "", nil, from)
}

// UsePasswordReset takes a token of NewPasswordReset. It sets the user's password, ends their sessions,
// and returns the secret of a new session. With revoke it also revokes all API keys of the user and
// renews the URLs of their feeds. Its error can be a waymark.ValidationError. The token then stays
// valid. Its error is a *SecondStep if the password was set but the user has an authenticator app: who
// makes such tokens must not get past it.
func (a *Accounts) UsePasswordReset(ctx context.Context, token, password string, revoke bool, from Client) (secret string, err error) {
	found, err := a.OneTimeToken(ctx, token)
	if err != nil {
		return "", err
	}
	if found.Purpose != waymark.PurposePassword || !a.signInSettings.Passwords() {
		return "", waymark.ErrNotFound
	}
	passwordHash, err := auth.HashPassword(ctx, found.Name, password)
	if err != nil {
		return "", err
	}
	hash, _ := auth.TokenHash(token)
	user, err := a.store.Accounts.UsePasswordReset(ctx, hash, passwordHash, renewedFeedToken(revoke))
	if err != nil {
		return "", err
	}
	return a.afterFirstStep(ctx, user, waymark.Session{Method: waymark.ByPassword, Persistent: true}, passwordHash, from)
}
