package service

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
}

// Visitor is a user who is signed in.
type Visitor struct {
	User     waymark.User
	Session  waymark.Session
	Settings waymark.Settings // with defaults
}

// SignIn creates a session for the user with this name and password and returns its secret.
// With keep it lasts longer. Its error can be a *waymark.TooManyAttempts, or
// waymark.ErrWrongPassword. The latter takes at least FailedSignIn, so that the time does not
// reveal which names exist, and which users still have the hash of another program.
func (s *Service) SignIn(ctx context.Context, name, password string, keep bool, from Client) (secret string, err error) {
	earliest := time.After(s.FailedSignIn)
	secret, err = s.signIn(ctx, name, password, keep, from)
	if errors.Is(err, waymark.ErrWrongPassword) {
		select {
		case <-earliest:
		case <-ctx.Done():
		}
	}
	return secret, err
}

// signIn is SignIn without the minimum time of a failed attempt.
func (s *Service) signIn(ctx context.Context, name, password string, keep bool, from Client) (secret string, err error) {
	user, hash, err := s.store.PasswordHash(ctx, name)
	if err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return "", err
	}
	known, err := s.signedInFrom(ctx, user.ID, from.Address)
	if err != nil {
		return "", err
	}
	if err := s.verifyPassword(ctx, waymark.Fold(name), hash, password, known, from); err != nil {
		return "", err
	}
	if user.Disabled {
		return "", s.logFailure(from, waymark.ErrWrongPassword)
	}
	if hash, err = s.rehash(ctx, user.ID, hash, password); err != nil {
		return "", err
	}
	secret, err = s.startSession(ctx, user.ID, hash, keep, from)
	if errors.Is(err, waymark.ErrWrongPassword) { // it was changed while it was verified
		return "", s.logFailure(from, waymark.ErrWrongPassword)
	}
	return secret, err
}

// rehash replaces the hash of another program, from which the user was migrated, and returns the
// hash that is stored then. Passwords that are too short for Waymark keep it until they are changed.
func (s *Service) rehash(ctx context.Context, user waymark.UserID, hash, password string) (string, error) {
	valid := auth.ValidatePassword(password) == nil
	if !auth.NeedsRehash(hash) || !valid {
		return hash, nil
	}
	replacement, err := auth.HashPassword(ctx, password)
	if err != nil {
		return "", err
	}
	return replacement, s.store.ReplacePasswordHash(ctx, user, hash, replacement)
}

// verifyPassword returns waymark.ErrWrongPassword or a *waymark.TooManyAttempts if the
// password does not belong to hash.
func (s *Service) verifyPassword(ctx context.Context, account, hash, password string, known bool, from Client) error {
	if waymark.ValidateUserName(account) != nil {
		account = "" // all malformed names are one account, so that they take no memory
	}
	source := auth.Source{Address: from.Address, Known: known}
	if auth.CheckDevice(from.Device, hash) {
		source.Device = from.Device
	}
	end, wait := s.attempts.Begin(account, source, s.Now())
	if wait > 0 {
		return s.logFailure(from, &waymark.TooManyAttempts{Wait: wait})
	}
	ok, err := auth.CheckPassword(ctx, hash, password)
	end(ok)
	switch {
	case err != nil:
		return err
	case !ok:
		return s.logFailure(from, waymark.ErrWrongPassword)
	}
	return nil
}

// logFailure logs a failed attempt to sign in, and returns its error. It does not log the
// name, which can be a password that was typed into the wrong field.
func (s *Service) logFailure(from Client, err error) error {
	s.Log.Info("sign-in failed", "address", from.Address.String(), "reason", err.Error())
	return err
}

// signedInFrom reports whether the user has a session that began at this address, or in its
// network.
func (s *Service) signedInFrom(ctx context.Context, user waymark.UserID, address netip.Addr) (bool, error) {
	sessions, err := s.store.Sessions(ctx, user)
	if err != nil {
		return false, err
	}
	for _, session := range sessions {
		if other, err := netip.ParseAddr(session.Address); err == nil && auth.Network(other) == auth.Network(address) {
			return true, nil
		}
	}
	return false, nil
}

// startSession creates a session and returns its secret.
func (s *Service) startSession(ctx context.Context, user waymark.UserID, passwordHash string, keep bool, from Client) (secret string, err error) {
	now := s.Now()
	lifetime := s.Sessions.Lifetime
	if keep {
		lifetime = s.Sessions.PersistentLifetime
	}
	session := waymark.Session{
		UserID: user, Persistent: keep,
		CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(lifetime),
		Browser: cutBrowser(from.Browser),
	}
	if from.Address.IsValid() {
		session.Address = from.Address.Unmap().WithZone("").String()
	}
	secret, hash := auth.NewToken()
	if _, err := s.store.CreateSession(ctx, session, hash, passwordHash); err != nil {
		return "", fmt.Errorf("create a session: %w", err)
	}
	return secret, nil
}

// Device returns a token for the browser of the session with this secret. A browser that sends
// it when its user signs in again has to wait for no failed attempts but its own.
func (s *Service) Device(ctx context.Context, secret string) (string, error) {
	visitor, err := s.Visitor(ctx, secret)
	if err != nil {
		return "", err
	}
	_, hash, err := s.store.PasswordHash(ctx, visitor.User.Name)
	if err != nil {
		return "", err
	}
	return auth.NewDevice(hash), nil
}

// cutBrowser returns a User-Agent header in the form in which it is stored: valid UTF-8
// without control characters, and not too long.
func cutBrowser(header string) string {
	text := strings.ToValidUTF8(header[:min(len(header), waymark.MaxBrowser)], "")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

// Visitor returns the user with the session that has this secret. It returns
// waymark.ErrNotFound if there is none, if it has ended, and if its user is disabled. The
// time is recorded in memory only, so that reads do not write to the database.
func (s *Service) Visitor(ctx context.Context, secret string) (Visitor, error) {
	hash, ok := auth.TokenHash(secret)
	if !ok {
		return Visitor{}, waymark.ErrNotFound
	}
	session, user, settings, err := s.store.SessionOwner(ctx, hash)
	if err != nil {
		return Visitor{}, err
	}
	now := s.Now()
	if user.Disabled || s.Sessions.Ended(session, now) {
		return Visitor{}, waymark.ErrNotFound
	}
	s.sessionUse.record(session.ID, session.LastSeenAt, now)
	return Visitor{user, session, settings.WithDefaults()}, nil
}

// SaveSessionUse writes the times at which sessions were seen since the last call, in one
// transaction. If that fails, they are kept for the next call.
func (s *Service) SaveSessionUse(ctx context.Context) error {
	if err := s.sessionUse.save(ctx, s.store.SaveSessionUse); err != nil {
		return fmt.Errorf("save when sessions were seen: %w", err)
	}
	return nil
}

// PruneCredentials deletes sessions that have ended, one-time tokens that have expired, and API
// keys whose revocation can no longer be undone.
func (s *Service) PruneCredentials(ctx context.Context) error {
	return s.store.PruneCredentials(ctx, s.Sessions)
}

// EndSession ends a session of a user: signs the browser out.
func (s *Service) EndSession(ctx context.Context, user waymark.UserID, id waymark.SessionID) error {
	return s.store.DeleteSession(ctx, user, id)
}

// EndOtherSessions ends all sessions of a user except keep.
func (s *Service) EndOtherSessions(ctx context.Context, user waymark.UserID, keep waymark.SessionID) error {
	return s.store.DeleteOtherSessions(ctx, user, keep)
}

// EditSettings changes the settings and the default visibility of a user with the function
// change, and returns the result. Its error is a waymark.ValidationError for settings that
// have no valid value.
func (s *Service) EditSettings(ctx context.Context, user waymark.UserID, change func(*waymark.Settings, *waymark.DefaultVisibility)) (waymark.Settings, waymark.DefaultVisibility, error) {
	return s.store.ChangeSettings(ctx, user, func(settings *waymark.Settings, visibility *waymark.DefaultVisibility) error {
		change(settings, visibility)
		return settings.Validate()
	})
}

// SaveSettings replaces the settings of a user, as EditSettings does.
func (s *Service) SaveSettings(ctx context.Context, user waymark.UserID, settings waymark.Settings) error {
	_, _, err := s.EditSettings(ctx, user, func(old *waymark.Settings, _ *waymark.DefaultVisibility) { *old = settings })
	return err
}
