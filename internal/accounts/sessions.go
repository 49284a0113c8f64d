package accounts

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"
	"unicode"

	"waymark/internal/auth"
	"waymark/internal/waymark"
)

// Client is a browser from which a request comes.
type Client struct {
	Address netip.Addr // the zero Addr if it is not known
	Browser string     // the User-Agent header
	Device  string     // the last result of Device for this browser, or ""
	Trust   string     // Entered.Trust of the last sign-in with this browser, or ""
}

// Visitor is a user who is signed in.
type Visitor struct {
	User     waymark.User
	Session  waymark.Session
	Settings waymark.Settings // with defaults

	// LacksFactor means that the user must set up a second factor before they do anything else.
	LacksFactor bool
}

// SignIn creates a session for the user with this name and password and returns its secret.
// With keep it lasts longer. Its error can be a *SecondStep, a *waymark.TooManyAttempts,
// waymark.ErrWrongPassword, or waymark.ErrForbidden if the settings allow no passwords. A wrong password
// takes at least FailedSignIn, so that the time does not reveal which names exist, and which users still have
// the hash of another program.
func (a *Accounts) SignIn(ctx context.Context, name, password string, keep bool, from Client) (secret string, err error) {
	if !a.signInSettings.Passwords() {
		return "", waymark.ErrForbidden
	}
	earliest := time.After(a.failedSignIn)
	secret, err = a.signIn(ctx, name, password, keep, from)
	if errors.Is(err, waymark.ErrWrongPassword) {
		select {
		case <-earliest:
		case <-ctx.Done():
		}
	}
	return secret, err
}

// signIn is SignIn without the minimum time of a failed attempt.
func (a *Accounts) signIn(ctx context.Context, name, password string, keep bool, from Client) (secret string, err error) {
	user, hash, err := a.store.Accounts.PasswordHash(ctx, name)
	if err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return "", err
	}
	if err := a.verifyPassword(ctx, waymark.Fold(name), hash, password, false, from); err != nil {
		return "", err
	}
	if user.Disabled {
		return "", a.logFailure(from, waymark.ErrWrongPassword)
	}
	if hash, err = a.rehash(ctx, user, hash, password); err != nil {
		return "", err
	}
	secret, err = a.afterFirstStep(ctx, user, waymark.Session{Method: waymark.ByPassword, Persistent: keep}, hash, from)
	if errors.Is(err, waymark.ErrWrongPassword) { // it was changed while it was verified
		return "", a.logFailure(from, waymark.ErrWrongPassword)
	}
	return secret, err
}

// rehash replaces the hash of a user who was migrated from another program, and returns the new
// hash. Passwords that Waymark would refuse keep it until they are changed.
func (a *Accounts) rehash(ctx context.Context, user waymark.User, hash, password string) (string, error) {
	valid := auth.ValidatePassword(user.Name, password) == nil
	if !auth.NeedsRehash(hash) || !valid {
		return hash, nil
	}
	replacement, err := auth.HashPassword(ctx, user.Name, password)
	if err != nil {
		return "", err
	}
	return replacement, a.store.Accounts.ReplacePasswordHash(ctx, user.ID, hash, replacement)
}

// verifyPassword returns waymark.ErrWrongPassword or a *waymark.TooManyAttempts if the
// password does not belong to hash.
func (a *Accounts) verifyPassword(ctx context.Context, account, hash, password string, known bool, from Client) error {
	if waymark.ValidateUserName(account) != nil {
		account = "" // all malformed names are one account, so that they take no memory
	}
	end, err := a.beginAttempt(account, hash, known, from)
	if err != nil {
		return err
	}
	ok, err := auth.CheckPassword(ctx, hash, password)
	end(ok)
	switch {
	case err != nil:
		return err
	case !ok:
		return a.logFailure(from, waymark.ErrWrongPassword)
	}
	return nil
}

// beginAttempt begins an attempt of the user with this hash of a password; known if they are signed in. The
// caller calls end. Its error is a *waymark.TooManyAttempts.
func (a *Accounts) beginAttempt(account, hash string, known bool, from Client) (end func(ok bool), err error) {
	source := auth.Source{Address: from.Address, Known: known}
	if auth.CheckDevice(from.Device, hash) {
		source.Device = from.Device
	}
	end, wait := a.attempts.Begin(account, source, a.store.Now())
	if wait > 0 {
		return nil, a.logFailure(from, &waymark.TooManyAttempts{Wait: wait})
	}
	return end, nil
}

// logFailure logs a failed attempt to sign in, and returns its error. It does not log the
// name, which can be a password that was typed into the wrong field.
func (a *Accounts) logFailure(from Client, err error) error {
	a.log.Info("sign-in failed", "address", from.Address.String(), "reason", err.Error())
	return err
}

// startSession creates a session, logs that, and returns its secret. The session has the method, the passkey,
// the trust, the ID token and the persistence of how. trusted is the hash of the secret of a browser that the user trusts
// from now on, nil for none.
func (a *Accounts) startSession(ctx context.Context, user waymark.User, how waymark.Session, passwordHash string, trusted []byte, from Client) (secret string, err error) {
	now := a.store.Now()
	lifetime := a.sessions.Lifetime
	if how.Persistent {
		lifetime = a.sessions.PersistentLifetime
	}
	browser := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(from.Browser[:min(len(from.Browser), waymark.MaxBrowser)], ""))
	session := waymark.Session{
		UserID: user.ID, Persistent: how.Persistent,
		CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(lifetime), ConfirmedAt: now,
		Method: how.Method, PasskeyID: how.PasskeyID, TrustID: how.TrustID, IDToken: how.IDToken, Browser: browser,
	}
	if from.Address.IsValid() {
		session.Address = from.Address.Unmap().WithZone("").String()
	}
	secret, hash := auth.NewToken()
	if _, err := a.store.Accounts.CreateSession(ctx, session, hash, passwordHash, trusted); err != nil {
		return "", fmt.Errorf("create a session: %w", err)
	}
	a.log.InfoContext(ctx, "signed in", "user", user.Name, "method", string(how.Method), "address", from.Address.String())
	return secret, nil
}

// Device returns a token for the browser of the session with this secret. A browser that sends
// it when its user signs in again has to wait for no failed attempts but its own.
func (a *Accounts) Device(ctx context.Context, secret string) (string, error) {
	visitor, err := a.Visitor(ctx, secret)
	if err != nil {
		return "", err
	}
	_, hash, err := a.store.Accounts.PasswordHash(ctx, visitor.User.Name)
	if err != nil {
		return "", err
	}
	return auth.NewDevice(hash), nil
}

// Visitor returns the user with the session that has this secret. It returns
// waymark.ErrNotFound if there is none, if it has ended, and if its user is disabled, or has a second factor
// that is required but was not used. The time is recorded in memory only, so that reads do not write to the
// database.
func (a *Accounts) Visitor(ctx context.Context, secret string) (Visitor, error) {
	hash, ok := auth.TokenHash(secret)
	if !ok {
		return Visitor{}, waymark.ErrNotFound
	}
	owner, err := a.store.Accounts.SessionOwner(ctx, hash)
	if err != nil {
		return Visitor{}, err
	}
	session, now := owner.Session, a.store.Now()
	knownElsewhere := session.Method == waymark.ByProvider || session.Method == waymark.ByHeader
	required := owner.FactorRequired && !knownElsewhere
	if owner.User.Disabled || a.sessions.Ended(session, now) || required && owner.SecondFactor && session.Method == waymark.ByPassword {
		return Visitor{}, waymark.ErrNotFound
	}
	a.sessionUse.record(session.ID, session.LastSeenAt, now)
	return Visitor{owner.User, session, owner.Settings.WithDefaults(), required && !owner.SecondFactor}, nil
}

// SaveSessionUse writes the times at which sessions were seen since the last call, in one
// transaction. If that fails, they are kept for the next call.
func (a *Accounts) SaveSessionUse(ctx context.Context) error {
	if err := a.sessionUse.save(ctx, a.store.Accounts.SaveSessionUse); err != nil {
		return fmt.Errorf("save when sessions were seen: %w", err)
	}
	return nil
}

// SessionEnded reports whether a session has ended, and is about to be deleted.
func (a *Accounts) SessionEnded(session waymark.Session) bool {
	return a.sessions.Ended(session, a.store.Now())
}

// PruneCredentials deletes sessions that have ended, one-time tokens that have expired, and API
// keys whose revocation can no longer be undone.
func (a *Accounts) PruneCredentials(ctx context.Context) error {
	return a.store.Accounts.PruneCredentials(ctx, a.sessions)
}

// EditSettings changes the settings and the default visibility of a user with the function
// change, and returns the result. Its error is a waymark.ValidationError for settings that
// have no valid value.
func (a *Accounts) EditSettings(ctx context.Context, user waymark.UserID, change func(*waymark.Settings, *waymark.DefaultVisibility)) (waymark.Settings, waymark.DefaultVisibility, error) {
	return a.store.Accounts.ChangeSettings(ctx, user, func(settings *waymark.Settings, visibility *waymark.DefaultVisibility) error {
		change(settings, visibility)
		return settings.Validate()
	})
}

// SaveSettings replaces the settings of a user, as EditSettings does.
func (a *Accounts) SaveSettings(ctx context.Context, user waymark.UserID, settings waymark.Settings) error {
	_, _, err := a.EditSettings(ctx, user, func(old *waymark.Settings, _ *waymark.DefaultVisibility) { *old = settings })
	return err
}
