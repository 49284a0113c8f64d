package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/accounts"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestInvitationCreatesOneUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada := createAdmin(t, s, "ada")
		far := waymark.Time(1 << 60)
		_, err := s.Accounts.CreateInvitation(ctx, waymark.Invitation{Name: "bob", Admin: true, CreatedBy: ada.ID, ExpiresAt: far}, []byte("1"))
		wantError(t, "invite", err, nil)
		_, err = s.Accounts.CreateInvitation(ctx, waymark.Invitation{CreatedBy: ada.ID, ExpiresAt: 1}, []byte("2"))
		wantError(t, "invite", err, nil)
		_, err = s.Accounts.Invitation(ctx, []byte("2"))
		wantError(t, "expired invitation", err, waymark.ErrNotFound)
		open, err := s.Accounts.Invitations(ctx)
		if err != nil || len(open) != 1 || open[0].Name != "bob" || !open[0].Admin || open[0].CreatedBy != ada.ID {
			t.Errorf("got invitations %+v (error %v), want that of bob by ada", open, err)
		}
		_, err = s.Accounts.AcceptInvitation(ctx, []byte("1"), waymark.User{Name: "ADA"}, "", nil)
		wantError(t, "a name that is in use", err, waymark.ErrConflict)
		bob, err := s.Accounts.AcceptInvitation(ctx, []byte("1"), waymark.User{Name: "Bob", DefaultVisibility: waymark.DefaultsTo(waymark.Public)}, "hash", nil)
		wantError(t, "accept", err, nil)
		got, hash, err := s.Accounts.PasswordHash(ctx, "bob")
		wantError(t, "find the user", err, nil)
		wantEqual(t, "user", got, bob)
		if !bob.Admin || hash != "hash" {
			t.Errorf("got %+v with hash %q, want an administrator with the hash", bob, hash)
		}
		_, err = s.Accounts.AcceptInvitation(ctx, []byte("1"), waymark.User{Name: "cleo"}, "", nil)
		wantError(t, "accept again", err, waymark.ErrNotFound)
	})
}

func TestSetupIsValidUntilThereIsAUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		create := func(hash string) error {
			_, err := s.Accounts.CreateInvitation(ctx, waymark.Invitation{Admin: true, Setup: true}, []byte(hash))
			return err
		}
		for i := range 11 {
			wantError(t, "setup", create(fmt.Sprint(i)), nil)
		}
		_, err := s.Accounts.Invitation(ctx, []byte("0"))
		wantError(t, "the replaced setup", err, waymark.ErrNotFound)
		for _, hash := range []string{"1", "10"} { // several servers that start together show one each
			_, err = s.Accounts.Invitation(ctx, []byte(hash))
			wantError(t, "setup "+hash, err, nil)
		}
		storetest.User(t, s, "ada")
		_, err = s.Accounts.Invitation(ctx, []byte("2"))
		wantError(t, "with a user", err, waymark.ErrNotFound)
		_, err = s.Accounts.AcceptInvitation(ctx, []byte("2"), waymark.User{Name: "bob"}, "", nil)
		wantError(t, "accept with a user", err, waymark.ErrNotFound)
		wantError(t, "another setup with a user", create("11"), waymark.ErrConflict)
	})
}

func TestOneSetupIsAccepted(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		accepted := make(chan error)
		const setups = 5
		for i := range setups {
			_, err := s.Accounts.CreateInvitation(ctx, waymark.Invitation{Admin: true, Setup: true}, fmt.Append(nil, i))
			wantError(t, "setup", err, nil)
		}
		for i := range setups {
			go func() {
				_, err := s.Accounts.AcceptInvitation(ctx, fmt.Append(nil, i), waymark.User{Name: fmt.Sprint("user", i)}, "", nil)
				accepted <- err
			}()
		}
		users := 0
		for range setups {
			if err := <-accepted; err == nil {
				users++
			} else {
				wantError(t, "accept another one", err, waymark.ErrNotFound)
			}
		}
		if users != 1 {
			t.Errorf("%d users were created, want one", users)
		}
		wantEqual(t, "setups that are left", selectRows(t, s, "SELECT count(*) FROM invitations"), [][]any{{int64(0)}})
	})
}

func TestPasswordResetWorksOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada := createAdmin(t, s, "ada")
		far := waymark.Time(1 << 60)
		create := func(user waymark.UserID, hash string, expires waymark.Time) error {
			return s.Accounts.CreatePasswordReset(ctx, user, waymark.PasswordReset{CreatedBy: ada.ID, ExpiresAt: expires}, []byte(hash))
		}
		wantError(t, "unknown user", create(999, "0", far), waymark.ErrNotFound)
		wantError(t, "expired", create(ada.ID, "1", 1), nil)
		_, _, err := s.Accounts.PasswordReset(ctx, []byte("1"))
		wantError(t, "expired reset", err, waymark.ErrNotFound)
		wantError(t, "create again", create(ada.ID, "2", far), nil)
		createSession(t, s, waymark.Session{UserID: ada.ID}, "session")
		user, expires, err := s.Accounts.PasswordReset(ctx, []byte("2"))
		if err != nil || user != ada || expires != far {
			t.Errorf("got %+v, %d, %v, want ada and %d", user, expires, err, far)
		}
		user, err = s.Accounts.UsePasswordReset(ctx, []byte("2"), "new hash", "")
		if err != nil || user != ada {
			t.Errorf("got %+v, %v, want ada", user, err)
		}
		if _, hash, err := s.Accounts.PasswordHash(ctx, "ada"); err != nil || hash != "new hash" {
			t.Errorf("got hash %q, %v, want the new one", hash, err)
		}
		if sessions, err := s.Accounts.Sessions(ctx, ada.ID); err != nil || len(sessions) != 0 {
			t.Errorf("got sessions %+v, %v, want none", sessions, err)
		}
		_, err = s.Accounts.UsePasswordReset(ctx, []byte("2"), "newer hash", "")
		wantError(t, "use it again", err, waymark.ErrNotFound)
	})
}

// createAdmin creates an administrator.
func createAdmin(t *testing.T, s *store.Store, name string) waymark.User {
	t.Helper()
	admin, err := s.Accounts.CreateUser(t.Context(), waymark.User{Name: name, Admin: true, DefaultVisibility: waymark.DefaultsTo(waymark.Private)}, "")
	check(t, err)
	return admin
}

func TestOneTimeTokensEndWithTheRightsOrThePasswordOfTheirCreator(t *testing.T) {
	permit := func(waymark.User, int) error { return nil }
	ends := map[string]func(ctx context.Context, s *store.Store, ada waymark.User) error{
		"demoted": func(ctx context.Context, s *store.Store, ada waymark.User) error {
			_, err := s.Accounts.SetUserState(ctx, ada.ID, func(u *waymark.User) { u.Admin = false }, permit)
			return err
		},
		"disabled": func(ctx context.Context, s *store.Store, ada waymark.User) error {
			_, err := s.Accounts.SetUserState(ctx, ada.ID, func(u *waymark.User) { u.Disabled = true }, permit)
			return err
		},
		"demoted by a command": func(ctx context.Context, s *store.Store, ada waymark.User) error {
			_, err := s.Accounts.ChangeUser(ctx, "ada", func(u *waymark.User) error { u.Admin = false; return nil }, anyUser)
			return err
		},
		"disabled by a command": func(ctx context.Context, s *store.Store, ada waymark.User) error {
			_, err := s.Accounts.ChangeUser(ctx, "ada", func(u *waymark.User) error { u.Disabled = true; return nil }, anyUser)
			return err
		},
		"removed": func(ctx context.Context, s *store.Store, ada waymark.User) error {
			return s.RemoveUser(ctx, ada.ID, waymark.Guest, permit)
		},
		"with a new password": func(ctx context.Context, s *store.Store, ada waymark.User) error {
			return s.Accounts.SetPasswordHash(ctx, ada.ID, "new hash", "")
		},
		"with a new password after a reset": func(ctx context.Context, s *store.Store, ada waymark.User) error {
			if err := s.Accounts.CreatePasswordReset(ctx, ada.ID, waymark.PasswordReset{CreatedBy: ada.ID, ExpiresAt: 1 << 60}, []byte("own reset")); err != nil {
				return err
			}
			_, err := s.Accounts.UsePasswordReset(ctx, []byte("own reset"), "new hash", "")
			return err
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				ctx := t.Context()
				ada, eve := createAdmin(t, s, "ada"), createAdmin(t, s, "eve")
				bob, cleo := storetest.User(t, s, "bob"), storetest.User(t, s, "cleo")
				const far = waymark.Time(1 << 60)
				create := func(by, user waymark.User, hash string) (invite, reset error) {
					_, invite = s.Accounts.CreateInvitation(ctx, waymark.Invitation{CreatedBy: by.ID, ExpiresAt: far}, []byte("invitation "+hash))
					return invite, s.Accounts.CreatePasswordReset(ctx, user.ID, waymark.PasswordReset{CreatedBy: by.ID, ExpiresAt: far}, []byte("reset "+hash))
				}
				want := func(hash string, want error) {
					t.Helper()
					_, err := s.Accounts.Invitation(ctx, []byte("invitation "+hash))
					wantError(t, "invitation "+hash, err, want)
					_, _, err = s.Accounts.PasswordReset(ctx, []byte("reset "+hash))
					wantError(t, "reset "+hash, err, want)
				}
				for by, user := range map[waymark.User]waymark.User{ada: bob, eve: cleo} {
					invite, reset := create(by, user, by.Name)
					wantError(t, "invite", invite, nil)
					wantError(t, "reset", reset, nil)
				}
				_, err := s.Accounts.ChangeUser(ctx, "ada", func(u *waymark.User) error {
					u.DefaultVisibility = waymark.DefaultsTo(waymark.Public)
					return nil
				}, anyUser)
				wantError(t, "another change", err, nil)
				want("ada", nil)
				want("eve", nil)

				wantError(t, name, end(ctx, s, ada), nil)
				want("ada", waymark.ErrNotFound)
				want("eve", nil)
				var later error
				if !strings.Contains(name, "password") {
					later = waymark.ErrForbidden
				}
				invite, reset := create(ada, bob, "later")
				wantError(t, "invite later", invite, later)
				wantError(t, "reset later", reset, later)
			})
		})
	}
}

// The latest administrator who makes a new password possible is responsible for it.
func TestReplacedPasswordResetHasTheNewCreator(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, eve, bob := createAdmin(t, s, "ada"), createAdmin(t, s, "eve"), storetest.User(t, s, "bob")
		const far = waymark.Time(1 << 60)
		for _, by := range []waymark.User{ada, eve} {
			wantError(t, "reset", s.Accounts.CreatePasswordReset(ctx, bob.ID, waymark.PasswordReset{CreatedBy: by.ID, ExpiresAt: far}, []byte(by.Name)), nil)
		}
		wantError(t, "remove ada", storetest.RemoveUser(ctx, s, ada.ID), nil)
		_, _, err := s.Accounts.PasswordReset(ctx, []byte("eve"))
		wantError(t, "the reset of eve", err, nil)
		wantError(t, "remove eve", storetest.RemoveUser(ctx, s, eve.ID), nil)
		_, _, err = s.Accounts.PasswordReset(ctx, []byte("eve"))
		wantError(t, "the reset of eve, who is gone", err, waymark.ErrNotFound)
	})
}

func TestRevokedAPIKeyCanBeRestored(t *testing.T) {
	now := waymark.Time(1e15)
	storetest.EachWith(t, store.Options{Now: func() waymark.Time { return now }}, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		want, err := s.Accounts.CreateAPIKey(ctx, waymark.APIKey{Owner: ada.ID, Name: "phone", Access: waymark.AccessAdd, ExpiresAt: now + 1}, []byte("1"))
		wantError(t, "create", err, nil)
		find := func() error {
			_, got, err := s.Accounts.APIKeyOwner(ctx, []byte("1"))
			if err == nil {
				wantEqual(t, "key", got, want)
			}
			return err
		}
		wantError(t, "revoke bob's key", s.Accounts.RevokeAPIKey(ctx, bob.ID, want.ID), waymark.ErrNotFound)
		wantError(t, "revoke", s.Accounts.RevokeAPIKey(ctx, ada.ID, want.ID), nil)
		wantError(t, "find the revoked key", find(), waymark.ErrNotFound)
		wantError(t, "restore as bob", s.Accounts.RestoreAPIKey(ctx, bob.ID, want.ID), waymark.ErrNotFound)
		wantError(t, "restore", s.Accounts.RestoreAPIKey(ctx, ada.ID, want.ID), nil)
		wantError(t, "find the restored key", find(), nil)
		wantError(t, "restore again", s.Accounts.RestoreAPIKey(ctx, ada.ID, want.ID), waymark.ErrNotFound)

		wantError(t, "revoke again", s.Accounts.RevokeAPIKey(ctx, ada.ID, want.ID), nil)
		other, err := s.Accounts.CreateAPIKey(ctx, waymark.APIKey{Owner: ada.ID, Name: "phone", Access: waymark.AccessAdd}, []byte("2"))
		wantError(t, "another key with the name", err, nil)
		wantError(t, "restore beside it", s.Accounts.RestoreAPIKey(ctx, ada.ID, want.ID), waymark.ErrConflict)
		wantError(t, "delete it", s.Accounts.DeleteAPIKey(ctx, ada.ID, other.Name), nil)
		now = now.Add(accounts.UndoRevocation)
		wantError(t, "restore too late", s.Accounts.RestoreAPIKey(ctx, ada.ID, want.ID), waymark.ErrNotFound)
		wantError(t, "prune", s.Accounts.PruneCredentials(ctx, waymark.SessionLimits{}), nil)
		rows, err := s.Rows(ctx, "SELECT count(*) FROM revoked_api_keys")
		wantError(t, "count", err, nil)
		wantEqual(t, "revoked keys", rows, [][]any{{int64(0)}})
	})
}
