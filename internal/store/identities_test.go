package store_test

import (
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// issuer is the provider of the tests.
const issuer = "https://sso.example.org"

// identityOf returns an account at the provider.
func identityOf(user waymark.User, subject string) waymark.Identity {
	return waymark.Identity{Issuer: issuer, Subject: subject, UserID: user.ID, Name: subject + "@example.org"}
}

func TestIdentityBelongsToOneUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, ben := storetest.User(t, s, "ada"), storetest.User(t, s, "ben")
		check(t, s.Accounts.CreateIdentity(ctx, identityOf(ada, "1")))
		wantError(t, "the account of another user", s.Accounts.CreateIdentity(ctx, identityOf(ben, "1")), waymark.ErrConflict)
		wantError(t, "a second account", s.Accounts.CreateIdentity(ctx, identityOf(ada, "2")), waymark.ErrConflict)
		got, err := s.Accounts.UseIdentity(ctx, waymark.Identity{Issuer: issuer, Subject: "1", Name: "countess"}, nil)
		check(t, err)
		wantEqual(t, "user", got, ada)
		if all, err := s.Accounts.Identities(ctx, ada.ID); err != nil || len(all) != 1 || all[0].Name != "countess" {
			t.Errorf("got %+v, %v, want one account with its new name", all, err)
		}
		for _, unknown := range []waymark.Identity{{Issuer: issuer, Subject: "2"}, {Issuer: issuer + "/", Subject: "1"}} {
			_, err := s.Accounts.UseIdentity(ctx, unknown, nil)
			wantError(t, unknown.Issuer+" "+unknown.Subject, err, waymark.ErrNotFound)
		}
		_, err = s.Accounts.ChangeUser(ctx, "ada", func(u *waymark.User) error { u.Disabled = true; return nil }, anyUser)
		check(t, err)
		_, err = s.Accounts.UseIdentity(ctx, identityOf(ada, "1"), nil)
		wantError(t, "a disabled user", err, waymark.ErrForbidden)
		check(t, storetest.RemoveUser(ctx, s, ada.ID))
		_, err = s.Accounts.UseIdentity(ctx, identityOf(ada, "1"), nil)
		wantError(t, "a deleted user", err, waymark.ErrNotFound)
	})
}

func TestFirstUserOfAProviderMustBeAnAdministrator(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		_, err := s.Accounts.CreateUserWithIdentity(t.Context(), waymark.User{Name: "ada"}, identityOf(waymark.User{}, "1"))
		wantError(t, "the first user", err, waymark.ErrForbidden)
		_, err = s.Accounts.CreateUserWithIdentity(t.Context(), waymark.User{Name: "ada", Admin: true}, identityOf(waymark.User{}, "1"))
		wantError(t, "the first administrator", err, nil)
	})
}

func TestGroupKeepsTheLastAdministrator(t *testing.T) {
	yes, no := true, false
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		use := func(user waymark.User, admin *bool) bool {
			t.Helper()
			got, err := s.Accounts.UseIdentity(ctx, identityOf(user, user.Name), admin)
			check(t, err)
			return got.Admin
		}
		add := func(name string) waymark.User {
			user := storetest.User(t, s, name)
			check(t, s.Accounts.CreateIdentity(ctx, identityOf(user, name)))
			return user
		}
		ada, ben, mei := add("ada"), add("ben"), add("mei")
		check(t, s.Accounts.SetPasswordHash(ctx, mei.ID, "hash", ""))
		wantEqual(t, "ada, in the group", use(ada, &yes), true)
		wantEqual(t, "ada, the group unknown", use(ada, nil), true)
		wantEqual(t, "ada, the only administrator", use(ada, &no), true)
		wantEqual(t, "ben, in the group", use(ben, &yes), true)
		wantEqual(t, "ada, while ben is one", use(ada, &no), false)
		wantEqual(t, "mei, in the group", use(mei, &yes), true)
		wantEqual(t, "mei, the only one with a password", use(mei, &no), true)
		wantEqual(t, "ben, while mei is one", use(ben, &no), false)
	})
}

func TestProviderRequestIsTakenOnce(t *testing.T) {
	now := waymark.Time(1e15)
	storetest.EachWith(t, store.Options{Now: func() waymark.Time { return now }}, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada := storetest.User(t, s, "ada")
		want := waymark.ProviderRequest{
			Purpose: waymark.ToConnect, Nonce: "nonce", Verifier: "verifier", UserID: ada.ID, InvitationHash: []byte("invitation"),
			Persistent: true, Back: "/links", ExpiresAt: now + 1,
		}
		check(t, s.Accounts.CreateProviderRequest(ctx, []byte("1"), want))
		check(t, s.Accounts.CreateProviderRequest(ctx, []byte("2"), waymark.ProviderRequest{Purpose: waymark.ToSignIn, ExpiresAt: now + 1}))
		got, err := s.Accounts.TakeProviderRequest(ctx, []byte("1"))
		check(t, err)
		wantEqual(t, "request", got, want)
		_, err = s.Accounts.TakeProviderRequest(ctx, []byte("1"))
		wantError(t, "a second time", err, waymark.ErrNotFound)
		now++
		_, err = s.Accounts.TakeProviderRequest(ctx, []byte("2"))
		wantError(t, "expired", err, waymark.ErrNotFound)
		check(t, s.Accounts.PruneCredentials(ctx, waymark.SessionLimits{}))
		wantEqual(t, "requests", selectRows(t, s, "SELECT count(*) FROM provider_requests"), [][]any{{int64(0)}})
	})
}
