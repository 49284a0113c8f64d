package accounts_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// signedIn adds a user with the usual password and signs them in, twice. It returns the
// first session.
func signedIn(t *testing.T, a *accounts.Accounts, name string) accounts.Visitor {
	t.Helper()
	addQuick(t, a, name)
	var visitors []accounts.Visitor
	for range 2 {
		secret, err := a.SignIn(t.Context(), name, password, true, from("192.0.2.1"))
		check(t, err)
		visitor, err := a.Visitor(t.Context(), secret)
		check(t, err)
		visitors = append(visitors, visitor)
	}
	return visitors[0]
}

func TestChangePasswordNeedsTheCurrentOne(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *accounts.Accounts, s *store.Store) {
		ada := signedIn(t, a, "ada")
		change := func(current, next string) error {
			_, err := a.ChangePassword(t.Context(), ada, current, next, false, from("192.0.2.1"))
			return err
		}
		if err := change("wrong horse", "battery staple"); !errors.Is(err, waymark.ErrWrongPassword) {
			t.Errorf("wrong password: got error %v, want ErrWrongPassword", err)
		}
		var problems *waymark.ValidationError
		if err := change(password, "short"); !errors.As(err, &problems) {
			t.Errorf("short password: got error %v, want a ValidationError", err)
		}
		if err := change("wrong horse", "short"); !errors.Is(err, waymark.ErrWrongPassword) || !errors.As(err, &problems) {
			t.Errorf("wrong and short password: got error %v, want ErrWrongPassword and a ValidationError", err)
		}
		secret, err := a.ChangePassword(t.Context(), ada, password, "battery staple", false, from("192.0.2.1"))
		check(t, err)
		renewed, err := a.Visitor(t.Context(), secret)
		if err != nil || !renewed.Session.Persistent {
			t.Errorf("got %+v, %v, want a persistent session", renewed, err)
		}
		sessions, err := s.Accounts.Sessions(t.Context(), ada.User.ID)
		if err != nil || len(sessions) != 1 || sessions[0].ID != renewed.Session.ID {
			t.Errorf("got sessions %+v, %v, want only the renewed one", sessions, err)
		}
		if _, err := a.SignIn(t.Context(), "ada", "battery staple", false, from("192.0.2.1")); err != nil {
			t.Errorf("sign in with the new password: %v", err)
		}
	})
}

func TestGuessingTheCurrentPasswordPauses(t *testing.T) {
	a := accounts.New(storetest.Open(t), accounts.Options{})
	ada := signedIn(t, a, "ada")
	for range 5 {
		if _, err := a.ChangePassword(t.Context(), ada, "wrong horse", "battery staple", false, from("192.0.2.1")); !errors.Is(err, waymark.ErrWrongPassword) {
			t.Fatalf("got error %v, want ErrWrongPassword", err)
		}
	}
	var attempts *waymark.TooManyAttempts
	if _, err := a.ChangePassword(t.Context(), ada, password, "battery staple", false, from("192.0.2.1")); !errors.As(err, &attempts) || attempts.Wait > 10*time.Second {
		t.Errorf("change the password: got error %v, want a pause of 10 s", err)
	}
	if _, err := a.Confirm(t.Context(), ada, accounts.Proof{Password: password}, from("192.0.2.1")); !errors.As(err, &attempts) {
		t.Errorf("confirm: got error %v, want a pause", err)
	}
}

func TestSessionIsConfirmedForTenMinutes(t *testing.T) {
	now := waymark.Time(1e15)
	a := accounts.New(openAt(t, &now), accounts.Options{})
	addQuick(t, a, "ada")
	secret, err := a.SignIn(t.Context(), "ada", password, true, from("192.0.2.1"))
	check(t, err)
	want := func(when string, want bool) {
		t.Helper()
		visitor, err := a.Visitor(t.Context(), secret)
		if err != nil || a.Confirmed(visitor.Session) != want {
			t.Errorf("%s: got %t, %v, want %t", when, !want, err, want)
		}
	}
	want("after the sign-in", true)
	now = now.Add(10*time.Minute - 1)
	want("before ten minutes", true)
	now++
	want("after ten minutes", false)
	visitor, err := a.Visitor(t.Context(), secret)
	check(t, err)
	if _, err := a.Confirm(t.Context(), visitor, accounts.Proof{Password: "wrong horse"}, from("192.0.2.1")); !errors.Is(err, waymark.ErrWrongPassword) {
		t.Errorf("got error %v, want ErrWrongPassword", err)
	}
	want("after a wrong password", false)
	stolen := secret
	if secret, err = a.Confirm(t.Context(), visitor, accounts.Proof{Password: password}, from("192.0.2.1")); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Visitor(t.Context(), stolen); !errors.Is(err, waymark.ErrNotFound) {
		t.Errorf("the secret before: got %v, want ErrNotFound", err)
	}
	want("after the password", true)
}

func TestNewPasswordRevokesKeysAndFeedsIfAsked(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *accounts.Accounts, s *store.Store) {
		ctx := t.Context()
		root := addQuick(t, a, "root")
		// The ways in which a user gets a new password.
		for way, set := range map[string]func(user waymark.User, revoke bool) error{
			"change": func(user waymark.User, revoke bool) error {
				_, err := a.ChangePassword(ctx, accounts.Visitor{User: user}, password, "battery staple", revoke, from("192.0.2.1"))
				return err
			},
			"set": func(user waymark.User, revoke bool) error {
				return a.SetPassword(ctx, user.Name, "battery staple", revoke)
			},
			"reset": func(user waymark.User, revoke bool) error {
				token, _, err := a.NewPasswordReset(ctx, root, user.ID)
				check(t, err)
				_, err = a.UsePasswordReset(ctx, token, "battery staple", revoke, from("192.0.2.1"))
				return err
			},
		} {
			for _, revoke := range []bool{false, true} {
				user := addQuick(t, a, fmt.Sprint(way, revoke))
				key, _ := addKey(t, a, user.Name, "phone")
				feed, err := a.NewFeedToken(ctx, user.ID)
				check(t, err)
				check(t, set(user, revoke))
				if _, _, err := a.Authenticate(ctx, key); errors.Is(err, waymark.ErrNotFound) != revoke {
					t.Errorf("%s: the key gives error %v, want it revoked: %t", user.Name, err, revoke)
				}
				if now, err := s.Accounts.FeedToken(ctx, user.ID); err != nil || (now != feed) != revoke {
					t.Errorf("%s: got the token of feeds %q after %q, %v, want a new one: %t", user.Name, now, feed, err, revoke)
				}
			}
		}
	})
}

func TestLastAdministratorStays(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *accounts.Accounts, s *store.Store) {
		ctx := t.Context()
		admin, ben := addUser(t, a, "ada"), addUser(t, a, "ben")
		yes, no := true, false
		last := func(what string, err error) {
			t.Helper()
			if !errors.Is(err, waymark.ErrLastAdministrator) {
				t.Errorf("%s: got error %v, want ErrLastAdministrator", what, err)
			}
		}
		_, err := a.SetUserState(ctx, admin, admin.ID, &no, nil)
		last("demote", err)
		_, err = a.SetUserState(ctx, admin, admin.ID, nil, &yes)
		last("disable", err)
		last("remove", a.RemoveUserAsAdmin(ctx, admin, admin.ID, ben.ID))
		last("delete", a.DeleteAccount(ctx, admin.ID))
		_, err = a.EditUser(ctx, "ada", accounts.UserEdit{Admin: &no})
		last("demote by command", err)
		last("disable by command", a.SetUserDisabled(ctx, "ada", true))
		last("remove by command", a.RemoveUser(ctx, "ada", ""))

		for what, err := range map[string]error{
			"remove":     a.RemoveUserAsAdmin(ctx, ben, admin.ID, 0),
			"invitation": a.DeleteInvitation(ctx, ben, 1),
			"password":   a.DeletePasswordReset(ctx, ben, admin.ID),
		} {
			if !errors.Is(err, waymark.ErrForbidden) {
				t.Errorf("%s by another user: got error %v, want ErrForbidden", what, err)
			}
		}
		if _, err := a.SetUserState(ctx, ben, ben.ID, &yes, nil); !errors.Is(err, waymark.ErrForbidden) {
			t.Errorf("promote oneself: got error %v, want ErrForbidden", err)
		}
		if got, err := a.SetUserState(ctx, admin, ben.ID, &yes, nil); err != nil || !got.Admin {
			t.Errorf("promote ben: got %+v, %v", got, err)
		}
		if err := a.DeleteAccount(ctx, admin.ID); err != nil {
			t.Errorf("delete one of two administrators: got error %v", err)
		}
		if _, err := s.Accounts.UserByName(ctx, "ada"); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("the deleted user: got error %v, want ErrNotFound", err)
		}
		if err := a.RemoveUser(ctx, "ben", ""); err != nil {
			t.Errorf("remove the only user: got error %v", err)
		}
	})
}
