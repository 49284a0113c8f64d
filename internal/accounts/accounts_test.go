package accounts_test

import (
	"errors"
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
	if _, err := a.AddUser(t.Context(), name, password); err != nil {
		t.Fatal(err)
	}
	var visitors []accounts.Visitor
	for range 2 {
		secret, err := a.SignIn(t.Context(), name, password, true, from("192.0.2.1"))
		if err != nil {
			t.Fatal(err)
		}
		visitor, err := a.Visitor(t.Context(), secret)
		if err != nil {
			t.Fatal(err)
		}
		visitors = append(visitors, visitor)
	}
	return visitors[0]
}

func TestChangePasswordNeedsTheCurrentOne(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *accounts.Accounts, s *store.Store) {
		ada := signedIn(t, a, "ada")
		change := func(current, next string) error {
			return a.ChangePassword(t.Context(), ada, current, next, from("192.0.2.1"))
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
		if err := change(password, "battery staple"); err != nil {
			t.Fatal(err)
		}
		sessions, err := s.Accounts.Sessions(t.Context(), ada.User.ID)
		if err != nil || len(sessions) != 1 || sessions[0].ID != ada.Session.ID {
			t.Errorf("got sessions %+v, %v, want only the one that changed the password", sessions, err)
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
		if err := a.DeleteAccount(t.Context(), ada, "wrong horse", from("192.0.2.1")); !errors.Is(err, waymark.ErrWrongPassword) {
			t.Fatalf("got error %v, want ErrWrongPassword", err)
		}
	}
	var attempts *waymark.TooManyAttempts
	if err := a.ChangePassword(t.Context(), ada, password, "battery staple", from("192.0.2.1")); !errors.As(err, &attempts) || attempts.Wait > 10*time.Second {
		t.Errorf("got error %v, want a pause of 10 s", err)
	}
}

func TestLastAdministratorStays(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *accounts.Accounts, s *store.Store) {
		ctx := t.Context()
		ada, ben := signedIn(t, a, "ada"), signedIn(t, a, "ben")
		yes, no := true, false
		if _, err := a.EditUser(ctx, "ada", accounts.UserEdit{Admin: &yes}); err != nil {
			t.Fatal(err)
		}
		admin, err := s.Accounts.UserByName(ctx, "ada")
		if err != nil {
			t.Fatal(err)
		}
		last := func(what string, err error) {
			t.Helper()
			if !errors.Is(err, waymark.ErrLastAdministrator) {
				t.Errorf("%s: got error %v, want ErrLastAdministrator", what, err)
			}
		}
		_, err = a.SetUserState(ctx, admin, admin.ID, &no, nil)
		last("demote", err)
		_, err = a.SetUserState(ctx, admin, admin.ID, nil, &yes)
		last("disable", err)
		last("remove", a.RemoveUserAsAdmin(ctx, admin, admin.ID, ben.User.ID))
		last("delete", a.DeleteAccount(ctx, ada, password, from("192.0.2.1")))

		for what, err := range map[string]error{
			"remove":     a.RemoveUserAsAdmin(ctx, ben.User, admin.ID, 0),
			"invitation": a.DeleteInvitation(ctx, ben.User, 1),
			"password":   a.DeletePasswordReset(ctx, ben.User, admin.ID),
		} {
			if !errors.Is(err, waymark.ErrForbidden) {
				t.Errorf("%s by another user: got error %v, want ErrForbidden", what, err)
			}
		}
		if _, err := a.SetUserState(ctx, ben.User, ben.User.ID, &yes, nil); !errors.Is(err, waymark.ErrForbidden) {
			t.Errorf("promote oneself: got error %v, want ErrForbidden", err)
		}
		if got, err := a.SetUserState(ctx, admin, ben.User.ID, &yes, nil); err != nil || !got.Admin {
			t.Errorf("promote ben: got %+v, %v", got, err)
		}
		if err := a.DeleteAccount(ctx, ada, password, from("192.0.2.1")); err != nil {
			t.Errorf("delete one of two administrators: got error %v", err)
		}
		if _, err := s.Accounts.UserByName(ctx, "ada"); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("the deleted user: got error %v, want ErrNotFound", err)
		}
	})
}
