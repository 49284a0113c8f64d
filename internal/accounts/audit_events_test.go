package accounts_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// wantAuditEvents takes the audit events and compares them.
func wantAuditEvents(t *testing.T, s *store.Store, want ...string) {
	t.Helper()
	var got []string
	err := s.Accounts.TakeAuditEvents(t.Context(), func(e waymark.AuditEvent) {
		if age := time.Since(e.At.Time()); age < -time.Minute || age > time.Hour {
			t.Errorf("%s: got time %s, want now", e.Event, e.At)
		}
		got = append(got, strings.Join([]string{e.Event, e.User, e.Key, e.Detail}, "|"))
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestChangesOfUsersAndKeysAreAuditEvents(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *accounts.Accounts, s *store.Store) {
		take := func(want ...string) {
			t.Helper()
			wantAuditEvents(t, s, want...)
		}
		take()
		addUser(t, a, "first")
		take("user added|first||")
		addUser(t, a, "ann")
		secret, _ := addKey(t, a, "ann", "phone")
		if _, _, err := a.AddAPIKey(t.Context(), "ann", "tablet", waymark.AccessRead, 0); err != nil {
			t.Fatal(err)
		}
		take("user added|ann||", "API key added|ann|phone|full access", "API key added|ann|tablet|read access")
		take()

		// Using a key is not a change.
		if _, _, err := a.Authenticate(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		check(t, a.SaveAPIKeyUse(t.Context()))
		take()

		for _, change := range []func() error{
			func() error { return a.RevokeAPIKey(t.Context(), "ann", "phone") },
			func() error {
				name, admin := "anna", true
				_, err := a.EditUser(t.Context(), "ann", accounts.UserEdit{Name: &name, Admin: &admin, DefaultVisibility: waymark.DefaultVisibility{Links: waymark.Public}})
				return err
			},
			func() error { return a.SetPassword(t.Context(), "anna", "correct horse", false) },
			func() error { return a.SetUserDisabled(t.Context(), "anna", true) },
			func() error { return a.SetUserDisabled(t.Context(), "anna", true) }, // changes nothing
			func() error { return a.SetUserDisabled(t.Context(), "anna", false) },
			func() error { return a.RemoveUser(t.Context(), "anna", "") },
		} {
			check(t, change())
		}
		take("API key revoked|ann|phone|", "user renamed|ann||to anna", "administrator added|anna||",
			"default visibility changed|anna||links 1, lists 3, tags 3, notes 3", "password changed|anna||",
			"user disabled|anna||", "user enabled|anna||", "user removed|anna||")
	})
}

func TestOneTimeTokensAreAuditEvents(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *accounts.Accounts, s *store.Store) {
		ctx := t.Context()
		if _, err := a.SetupToken(ctx); err != nil {
			t.Fatal(err)
		}
		wantAuditEvents(t, s) // nobody has made it
		ada, adaErr := a.AddAdmin(ctx, "ada", "")
		eve, eveErr := a.AddAdmin(ctx, "eve", "")
		ben, benErr := a.AddUser(ctx, "ben", "")
		_, _, inviteErr := a.NewInvitation(ctx, ada, "", false)
		_, _, inviteCleoErr := a.NewInvitation(ctx, ada, "cleo", true)
		reset, _, resetErr := a.NewPasswordReset(ctx, ada, ben.ID)
		for _, err := range []error{adaErr, eveErr, benErr, inviteErr, inviteCleoErr, resetErr} {
			check(t, err)
		}
		wantAuditEvents(t, s, "user added|ada||", "user added|eve||", "user added|ben||",
			"invitation added|ada||", "invitation added|ada||for cleo, as an administrator", "password reset added|ben||by ada")

		invitations, err := s.Accounts.Invitations(ctx)
		if err != nil || len(invitations) != 2 {
			t.Fatalf("got invitations %+v, %v, want two", invitations, err)
		}
		for _, want := range []error{nil, waymark.ErrNotFound} { // the second time there is nothing to withdraw
			if err := a.DeleteInvitation(ctx, eve, invitations[0].ID); !errors.Is(err, want) {
				t.Errorf("withdraw the invitation: got error %v, want %v", err, want)
			}
			if err := a.DeletePasswordReset(ctx, eve, ben.ID); !errors.Is(err, want) {
				t.Errorf("withdraw the reset: got error %v, want %v", err, want)
			}
		}
		wantAuditEvents(t, s, "invitation withdrawn|eve||for cleo, as an administrator", "password reset withdrawn|ben||by eve")
		if _, err := a.OneTimeToken(ctx, reset); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("the withdrawn link: got error %v, want ErrNotFound", err)
		}
	})
}
