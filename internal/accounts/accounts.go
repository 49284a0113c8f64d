// Package accounts has the use cases of users and of what signs them in: passwords, sessions, API keys
// and one-time tokens. It decides who may manage users, and limits attempts to sign in.
package accounts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"waymark/internal/auth"
	"waymark/internal/config"
	"waymark/internal/identity"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// Accounts runs the use cases on a store.
type Accounts struct {
	store        *store.Store
	sessions     waymark.SessionLimits
	failedSignIn time.Duration
	log          *slog.Logger
	provider     *identity.Provider // nil if there is none
	attempts     auth.Attempts
	keyUse       usage[waymark.APIKeyID]
	sessionUse   usage[waymark.SessionID]

	signInSettings config.SignIn
}

// Options are what a server sets. Commands need none of it.
type Options struct {
	// SessionIdle and SessionLifetime say when persistent sessions end: after they were last used, and after
	// the user signed in. 0 is 30 days and a year. Other sessions end after 12 and 24 hours at the latest.
	SessionIdle, SessionLifetime time.Duration

	FailedSignIn time.Duration // minimum time of an attempt to sign in with a wrong name or password
	Log          *slog.Logger  // gets failed attempts to sign in; nil to discard

	SignIn   config.SignIn
	Provider *identity.Provider // of SignIn.OIDC; nil if there is none
}

// New returns Accounts on s. The caller closes the store.
func New(s *store.Store, o Options) *Accounts {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	idle, lifetime := cmp.Or(o.SessionIdle, 30*24*time.Hour), cmp.Or(o.SessionLifetime, 365*24*time.Hour)
	return &Accounts{
		store: s, failedSignIn: o.FailedSignIn, log: o.Log, signInSettings: o.SignIn, provider: o.Provider,
		sessions: waymark.SessionLimits{
			Idle: min(12*time.Hour, idle), Lifetime: min(24*time.Hour, lifetime),
			PersistentIdle: idle, PersistentLifetime: lifetime,
		},
	}
}

// ChangePassword changes the password of a user who is signed in and knows the current one. It ends
// their sessions and returns the secret of a new one in place of the visitor's. The one-time tokens that
// they created become invalid. With revoke it also revokes all their API keys and renews the URLs of
// their feeds. Its error can be waymark.ErrWrongPassword, a waymark.ValidationError, both of them, or
// a *waymark.TooManyAttempts.
func (a *Accounts) ChangePassword(ctx context.Context, visitor Visitor, current, password string, revoke bool, from Client) (secret string, err error) {
	invalid := auth.ValidatePassword(visitor.User.Name, password)
	_, known, err := a.store.Accounts.PasswordHash(ctx, visitor.User.Name)
	if err != nil {
		return "", err
	}
	// The attempts are limited as those to sign in, because another person may be using the browser.
	err = a.verifyPassword(ctx, waymark.Fold(visitor.User.Name), known, current, true, from)
	if errors.Is(err, waymark.ErrWrongPassword) {
		return "", errors.Join(invalid, err)
	}
	if err := cmp.Or(err, invalid); err != nil {
		return "", err
	}
	hash, err := auth.HashPassword(ctx, visitor.User.Name, password)
	if err != nil {
		return "", err
	}
	if err := a.store.Accounts.SetPasswordHash(ctx, visitor.User.ID, hash, renewedFeedToken(revoke)); err != nil {
		return "", err
	}
	how := visitor.Session
	how.TrustID = 0 // it has ended
	return a.startSession(ctx, visitor.User, how, hash, nil, from)
}

// renewedFeedToken returns a new token for feeds if what a user's old password may have given to others
// is to be revoked, and "" otherwise.
func renewedFeedToken(revoke bool) string {
	if !revoke {
		return ""
	}
	token, _ := auth.NewToken()
	return token
}

// Confirm records that the user of a session has just proved who they are. It returns a new secret of the session: who
// has stolen the one before stays outside. A password is no proof of a user with an authenticator app. Its error can be waymark.ErrWrongPassword, waymark.ErrWrongCode or a
// *waymark.TooManyAttempts.
func (a *Accounts) Confirm(ctx context.Context, visitor Visitor, proof Proof, from Client) (secret string, err error) {
	user, hash, err := a.store.Accounts.CredentialsOf(ctx, visitor.User.ID)
	if err != nil {
		return "", err
	}
	factors, err := a.store.Accounts.Factors(ctx, user.ID)
	if err != nil {
		return "", err
	}
	var used waymark.Session
	if factors.App() || proof.Passkey.Response != "" {
		used, err = a.verifyFactor(ctx, user, hash, factorProof{Proof: proof}, true, from)
	} else {
		err = a.verifyPassword(ctx, waymark.Fold(user.Name), hash, proof.Password, true, from)
	}
	if err != nil {
		return "", err
	}
	return a.confirmSession(ctx, visitor, used)
}

// confirmSession stores what Confirm says.
func (a *Accounts) confirmSession(ctx context.Context, visitor Visitor, used waymark.Session) (secret string, err error) {
	secret, hash := auth.NewToken()
	return secret, a.store.Accounts.ConfirmSession(ctx, visitor.Session.ID, hash, used)
}

// Confirmed reports whether the user of a session need not be asked again to prove who they are. Whom a
// proxy signs in is never asked: the proxy knows them, and they may have no password here.
func (a *Accounts) Confirmed(session waymark.Session) bool {
	return session.Method == waymark.ByHeader || session.Confirmed(a.store.Now())
}

// DeleteAccount permanently deletes a user with all their data. Call it for users who have just proved who they
// are: see Confirmed. The last administrator cannot be deleted: waymark.ErrLastAdministrator.
func (a *Accounts) DeleteAccount(ctx context.Context, user waymark.UserID) error {
	return a.store.RemoveUser(ctx, user, waymark.Guest, keepAdministrator)
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
func (a *Accounts) SetUserState(ctx context.Context, by waymark.User, user waymark.UserID, admin, disabled *bool) (waymark.User, error) {
	if !by.Admin {
		return waymark.User{}, waymark.ErrForbidden
	}
	change := func(u *waymark.User) {
		setTo(&u.Admin, admin)
		setTo(&u.Disabled, disabled)
	}
	return a.store.Accounts.SetUserState(ctx, user, change, oneIsLeft)
}

// oneIsLeft permits a change after which the user or one of the others is an administrator.
func oneIsLeft(user waymark.User, others int) error {
	if others == 0 && (!user.Admin || user.Disabled) {
		return waymark.ErrLastAdministrator
	}
	return nil
}

// RemoveUserAsAdmin permanently deletes a user and transfers their links, lists, tags and notes to
// another user, or deletes them too if transferTo is zero. Only administrators may do it, and
// one must be left: waymark.ErrLastAdministrator.
func (a *Accounts) RemoveUserAsAdmin(ctx context.Context, by waymark.User, user, transferTo waymark.UserID) error {
	if !by.Admin {
		return waymark.ErrForbidden
	}
	if transferTo == user {
		return waymark.ErrNotFound // the new owner would be deleted
	}
	return a.store.RemoveUser(ctx, user, transferTo, keepAdministrator)
}

// NewFeedToken replaces the token in the URLs of a user's feeds. The old URLs stop
// working.
func (a *Accounts) NewFeedToken(ctx context.Context, user waymark.UserID) (string, error) {
	token, _ := auth.NewToken()
	if err := a.store.Accounts.SetFeedToken(ctx, user, token); err != nil {
		return "", fmt.Errorf("set the token of feeds: %w", err)
	}
	return token, nil
}
