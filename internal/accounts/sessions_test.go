package accounts_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// password is the usual password of users who are there already. New ones would be refused: it is easy to guess.
const password = "password"

// The hashes of password as another program makes them. They are verified in no time, and not replaced, because the
// password is refused.
const (
	quickHash   = "$2a$04$HZStS0lyvtY1LNyNRhgpROA0mLxhDcS1d/rmSwqO9zUXb/z0kdvMW"
	anotherHash = "$2a$04$SuEQI4ayx2aXXV0rC2aQ8e3Td4VNqqz4atuCuLBLcd84g5WQ/DCvm"
)

// strong is a password that is not refused.
const strong = "correct horse"

// addQuick adds a user with the usual password. ada and root are administrators.
func addQuick(t *testing.T, a *accounts.Accounts, name string) waymark.User {
	t.Helper()
	user, err := a.AddMigratedUser(t.Context(), name, quickHash, name == "ada" || name == "root", false)
	check(t, err)
	return user
}

// from returns a client with this address.
func from(address string) accounts.Client {
	return accounts.Client{Address: netip.MustParseAddr(address), Browser: "Firefox"}
}

// openAt opens a store whose clock is now.
func openAt(t *testing.T, now *waymark.Time) *store.Store {
	t.Helper()
	return storetest.OpenWith(t, store.Options{Now: func() waymark.Time { return *now }})
}

// withAda returns the accounts of a store, with ada and her password.
func withAda(t *testing.T, s *store.Store, o accounts.Options) *accounts.Accounts {
	t.Helper()
	a := accounts.New(s, o)
	addQuick(t, a, "ada")
	return a
}

func TestSignIn(t *testing.T) {
	now := waymark.Time(1e15)
	storetest.EachWith(t, store.Options{Now: func() waymark.Time { return now }}, func(t *testing.T, s *store.Store) {
		a := withAda(t, s, accounts.Options{})
		client := accounts.Client{Address: netip.MustParseAddr("::ffff:192.0.2.1"), Browser: "Fire\x00fox\n" + strings.Repeat("x", waymark.MaxBrowser-10) + "é"}
		secret, err := a.SignIn(t.Context(), "ADA", password, false, client)
		check(t, err)
		visitor, err := a.Visitor(t.Context(), secret)
		check(t, err)
		if visitor.User.Name != "ada" || visitor.Settings != (waymark.Settings{}).WithDefaults() {
			t.Errorf("got %+v, want ada with default settings", visitor)
		}
		session := visitor.Session
		if session.Address != "192.0.2.1" || session.Browser != "Firefox"+strings.Repeat("x", waymark.MaxBrowser-10) || session.CreatedAt != now {
			t.Errorf("got session %+v, want the client with a shorter browser", session)
		}
		other, err := a.SignIn(t.Context(), "ada", password, true, client)
		if err != nil || other == secret {
			t.Errorf("got secret %q, %v, want another one", other, err)
		}
		for _, secret := range []string{"", "x", secret[1:], secret + "A", strings.Repeat("A", len(secret))} {
			if _, err := a.Visitor(t.Context(), secret); !errors.Is(err, waymark.ErrNotFound) {
				t.Errorf("secret %q: got error %v, want ErrNotFound", secret, err)
			}
		}
		check(t, s.Accounts.DeleteSession(t.Context(), visitor.User.ID, session.ID))
		if _, err := a.Visitor(t.Context(), secret); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("after the end: got error %v, want ErrNotFound", err)
		}
	})
}

func TestSignInHasOneErrorForAllThatIsWrong(t *testing.T) {
	now := waymark.Time(1e15)
	var log bytes.Buffer
	a := withAda(t, openAt(t, &now), accounts.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	addUser(t, a, "ben")
	addQuick(t, a, "cleo")
	check(t, a.SetUserDisabled(t.Context(), "cleo", true))
	for what, test := range map[string]struct{ name, password string }{
		"wrong password":        {"ada", "wrong horse"},
		"unknown name":          {"nobody", password},
		"malformed name":        {"a b\x00", password},
		"empty":                 {"", ""},
		"user without password": {"ben", ""},
		"disabled user":         {"cleo", password},
	} {
		secret, err := a.SignIn(t.Context(), test.name, test.password, true, from("192.0.2.1"))
		if !errors.Is(err, waymark.ErrWrongPassword) || secret != "" {
			t.Errorf("%s: got %q, %v, want ErrWrongPassword", what, secret, err)
		}
		if !strings.Contains(log.String(), "address=192.0.2.1") || strings.Contains(log.String(), "nobody") {
			t.Errorf("%s: the log is %q, want the address and no name", what, log.String())
		}
		log.Reset()
	}
	if _, err := a.SignIn(t.Context(), "ADA", password, true, from("192.0.2.7")); err != nil || !strings.Contains(log.String(), `msg="signed in" user=ada method=password address=192.0.2.7`) {
		t.Errorf("got error %v and the log %q, want the user and the address", err, log.String())
	}
}

func TestSessionsEnd(t *testing.T) {
	for name, test := range map[string]struct {
		keep  bool
		step  time.Duration // between two requests
		total time.Duration // how long the session works
	}{
		"not used":             {false, 12 * time.Hour, 0},
		"used":                 {false, 11 * time.Hour, 22 * time.Hour},
		"persistent, not used": {true, 30 * 24 * time.Hour, 0},
		"persistent":           {true, 29 * 24 * time.Hour, 12 * 29 * 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			start := waymark.Time(1e15)
			now := start
			s := openAt(t, &now)
			a := withAda(t, s, accounts.Options{})
			secret, err := a.SignIn(t.Context(), "ada", password, test.keep, from("192.0.2.1"))
			check(t, err)
			last := now
			for range 20 {
				now = now.Add(test.step)
				if _, err := a.Visitor(t.Context(), secret); err != nil {
					break
				}
				check(t, a.SaveSessionUse(t.Context()))
				last = now
			}
			if got := last.Time().Sub(start.Time()); got != test.total {
				t.Errorf("the session worked for %s, want %s", got, test.total)
			}
		})
	}
}

func TestSetupCreatesTheFirstAdministrator(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *accounts.Accounts, _ *store.Store) {
		ctx := t.Context()
		other, err := a.SetupToken(ctx)
		check(t, err)
		token, err := a.SetupToken(ctx)
		check(t, err)
		for _, token := range []string{other, token} {
			if link, err := a.OneTimeToken(ctx, token); err != nil || link.Purpose != waymark.PurposeSetup || link.ExpiresAt != 0 {
				t.Errorf("got %+v, %v, want the link of the setup", link, err)
			}
		}
		for what, token := range map[string]string{"malformed": "x", "empty": ""} {
			if _, err := a.UseSetup(ctx, token, "ada", strong, from("192.0.2.1")); !errors.Is(err, waymark.ErrNotFound) {
				t.Errorf("%s token: got error %v, want ErrNotFound", what, err)
			}
		}
		var problems *waymark.ValidationError
		if _, err := a.UseSetup(ctx, token, "a b", "short", from("192.0.2.1")); !errors.As(err, &problems) || len(problems.Problems) != 2 {
			t.Errorf("invalid input: got error %v, want two problems", err)
		}
		if _, err := a.UseInvitation(ctx, token, "ada", strong, from("192.0.2.1")); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("as an invitation: got error %v, want ErrNotFound", err)
		}
		secret, err := a.UseSetup(ctx, token, "ada", strong, from("192.0.2.1"))
		check(t, err)
		if visitor, err := a.Visitor(ctx, secret); err != nil || !visitor.User.Admin || !visitor.Session.Persistent {
			t.Errorf("got %+v, %v, want an administrator who stays signed in", visitor, err)
		}
		for what, token := range map[string]string{"again": token, "of another server": other} {
			if _, err := a.UseSetup(ctx, token, "ben", strong, from("192.0.2.1")); !errors.Is(err, waymark.ErrNotFound) {
				t.Errorf("%s: got error %v, want ErrNotFound", what, err)
			}
		}
		if _, err := a.SetupToken(ctx); !errors.Is(err, waymark.ErrConflict) {
			t.Errorf("another setup: got error %v, want ErrConflict", err)
		}
	})
}

func TestOneTimeTokensOfAdministrators(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *accounts.Accounts, s *store.Store) {
		ctx := t.Context()
		admin, err := a.AddAdmin(ctx, "ada", "")
		check(t, err)
		ben, err := a.AddUser(ctx, "ben", "")
		check(t, err)
		if _, _, err := a.NewInvitation(ctx, ben, "", true); !errors.Is(err, waymark.ErrForbidden) {
			t.Errorf("invitation of another user: got error %v, want ErrForbidden", err)
		}
		if _, _, err := a.NewPasswordReset(ctx, ben, ben.ID); !errors.Is(err, waymark.ErrForbidden) {
			t.Errorf("reset of another user: got error %v, want ErrForbidden", err)
		}
		invitation, expires, err := a.NewInvitation(ctx, admin, "cleo", false)
		check(t, err)
		if link, err := a.OneTimeToken(ctx, invitation); err != nil || link != (waymark.OneTimeToken{Purpose: waymark.PurposeInvitation, Name: "cleo", ExpiresAt: expires}) {
			t.Errorf("got %+v, %v, want an invitation of cleo", link, err)
		}
		if _, err := a.UseInvitation(ctx, invitation, "BEN", strong, from("192.0.2.1")); !errors.Is(err, waymark.ErrConflict) {
			t.Errorf("a name in use: got error %v, want ErrConflict", err)
		}
		if _, err := a.UseInvitation(ctx, invitation, "cleo", strong, from("192.0.2.1")); err != nil {
			t.Errorf("accept: got error %v", err)
		}
		reset, _, err := a.NewPasswordReset(ctx, admin, ben.ID)
		check(t, err)
		if link, err := a.OneTimeToken(ctx, reset); err != nil || link.Purpose != waymark.PurposePassword || link.Name != "ben" {
			t.Errorf("got %+v, %v, want a reset for ben", link, err)
		}
		secret, err := a.UsePasswordReset(ctx, reset, "battery staple", false, from("192.0.2.1"))
		check(t, err)
		if visitor, err := a.Visitor(ctx, secret); err != nil || visitor.User.ID != ben.ID {
			t.Errorf("got %+v, %v, want ben", visitor, err)
		}
		if _, err := a.SignIn(ctx, "ben", "battery staple", false, from("192.0.2.1")); err != nil {
			t.Errorf("sign in with the new password: %v", err)
		}
		if _, err := a.OneTimeToken(ctx, reset); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("the used reset: got error %v, want ErrNotFound", err)
		}
	})
}

// The bcrypt hash of strong, as PHP writes it.
const bcryptHash = "$2y$04$xPFqyHeRObXn2xp2uN.ZYOClsyGEMlikm0VDMVw2OH0Td49lhPdzG"

func TestFirstSignInReplacesTheHashOfAnotherProgram(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *accounts.Accounts, s *store.Store) {
		if _, err := a.AddMigratedUser(t.Context(), "ann", bcryptHash, true, false); err != nil {
			t.Fatal(err)
		}
		if _, err := a.SignIn(t.Context(), "ann", "another password", false, from("192.0.2.1")); !errors.Is(err, waymark.ErrWrongPassword) {
			t.Errorf("got %v, want waymark.ErrWrongPassword", err)
		}
		if _, hash, err := s.Accounts.PasswordHash(t.Context(), "ann"); err != nil || hash != bcryptHash {
			t.Errorf("after a wrong password: got %q, %v, want the old hash", hash, err)
		}
		var first string
		for range 2 {
			secret, err := a.SignIn(t.Context(), "ann", strong, false, from("192.0.2.1"))
			check(t, err)
			if first == "" {
				first = secret
			}
			_, hash, err := s.Accounts.PasswordHash(t.Context(), "ann")
			if err != nil || !strings.HasPrefix(hash, "$argon2id$") {
				t.Errorf("got %q, %v, want a new hash", hash, err)
			}
		}
		visitor, err := a.Visitor(t.Context(), first)
		if err != nil || !visitor.User.Admin {
			t.Errorf("the first session: got %+v, %v, want it to go on", visitor, err)
		}
	})
}
