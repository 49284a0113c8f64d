package store_test

import (
	"testing"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestInvitationCreatesOneUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		storetest.User(t, s, "ada")
		far := waymark.Time(1 << 60)
		_, err := s.CreateInvitation(ctx, waymark.Invitation{Name: "bob", Admin: true, ExpiresAt: far}, []byte("1"))
		wantError(t, "invite", err, nil)
		_, err = s.CreateInvitation(ctx, waymark.Invitation{ExpiresAt: 1}, []byte("2"))
		wantError(t, "invite", err, nil)
		_, err = s.Invitation(ctx, []byte("2"))
		wantError(t, "expired invitation", err, waymark.ErrNotFound)
		open, err := s.Invitations(ctx)
		if err != nil || len(open) != 1 || open[0].Name != "bob" || !open[0].Admin {
			t.Errorf("got invitations %+v (error %v), want that of bob", open, err)
		}
		_, err = s.AcceptInvitation(ctx, []byte("1"), waymark.User{Name: "ADA"}, "")
		wantError(t, "a name that is in use", err, waymark.ErrConflict)
		bob, err := s.AcceptInvitation(ctx, []byte("1"), waymark.User{Name: "Bob", DefaultVisibility: waymark.DefaultsTo(waymark.Public)}, "hash")
		wantError(t, "accept", err, nil)
		got, hash, err := s.PasswordHash(ctx, "bob")
		wantError(t, "find the user", err, nil)
		wantEqual(t, "user", got, bob)
		if !bob.Admin || hash != "hash" {
			t.Errorf("got %+v with hash %q, want an administrator with the hash", bob, hash)
		}
		_, err = s.AcceptInvitation(ctx, []byte("1"), waymark.User{Name: "cleo"}, "")
		wantError(t, "accept again", err, waymark.ErrNotFound)
	})
}

func TestSetupIsValidUntilThereIsAUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		create := func(hash string) error {
			_, err := s.CreateInvitation(ctx, waymark.Invitation{Admin: true, Setup: true}, []byte(hash))
			return err
		}
		wantError(t, "first setup", create("1"), nil)
		wantError(t, "second setup", create("2"), nil)
		_, err := s.Invitation(ctx, []byte("1"))
		wantError(t, "the replaced setup", err, waymark.ErrNotFound)
		_, err = s.Invitation(ctx, []byte("2"))
		wantError(t, "the latest setup", err, nil)
		storetest.User(t, s, "ada")
		_, err = s.Invitation(ctx, []byte("2"))
		wantError(t, "with a user", err, waymark.ErrNotFound)
		_, err = s.AcceptInvitation(ctx, []byte("2"), waymark.User{Name: "bob"}, "")
		wantError(t, "accept with a user", err, waymark.ErrNotFound)
		wantError(t, "another setup with a user", create("3"), waymark.ErrConflict)
	})
}

func TestPasswordResetWorksOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada := storetest.User(t, s, "ada")
		far := waymark.Time(1 << 60)
		wantError(t, "unknown user", s.CreatePasswordReset(ctx, 999, []byte("0"), far), waymark.ErrNotFound)
		wantError(t, "expired", s.CreatePasswordReset(ctx, ada.ID, []byte("1"), 1), nil)
		_, _, err := s.PasswordReset(ctx, []byte("1"))
		wantError(t, "expired reset", err, waymark.ErrNotFound)
		wantError(t, "create again", s.CreatePasswordReset(ctx, ada.ID, []byte("2"), far), nil)
		createSession(t, s, waymark.Session{UserID: ada.ID}, "session")
		user, expires, err := s.PasswordReset(ctx, []byte("2"))
		if err != nil || user != ada || expires != far {
			t.Errorf("got %+v, %d, %v, want ada and %d", user, expires, err, far)
		}
		user, err = s.UsePasswordReset(ctx, []byte("2"), "new hash")
		if err != nil || user != ada {
			t.Errorf("got %+v, %v, want ada", user, err)
		}
		if _, hash, err := s.PasswordHash(ctx, "ada"); err != nil || hash != "new hash" {
			t.Errorf("got hash %q, %v, want the new one", hash, err)
		}
		if sessions, err := s.Sessions(ctx, ada.ID); err != nil || len(sessions) != 0 {
			t.Errorf("got sessions %+v, %v, want none", sessions, err)
		}
		_, err = s.UsePasswordReset(ctx, []byte("2"), "newer hash")
		wantError(t, "use it again", err, waymark.ErrNotFound)
	})
}

func TestFeedTokenFindsItsUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada := storetest.User(t, s, "ada")
		storetest.User(t, s, "bob")
		_, err := s.FeedToken(ctx, ada.ID)
		wantError(t, "no token", err, waymark.ErrNotFound)
		wantError(t, "set", s.SetFeedToken(ctx, ada.ID, "first"), nil)
		wantError(t, "replace", s.SetFeedToken(ctx, ada.ID, "second"), nil)
		if token, err := s.FeedToken(ctx, ada.ID); token != "second" {
			t.Errorf("got token %q, %v, want the second", token, err)
		}
		if owner, err := s.FeedTokenOwner(ctx, "second"); err != nil || owner != ada {
			t.Errorf("got owner %+v, %v, want ada", owner, err)
		}
		for _, token := range []string{"first", ""} {
			_, err = s.FeedTokenOwner(ctx, token)
			wantError(t, "owner of "+token, err, waymark.ErrNotFound)
		}
	})
}

func TestRevokedAPIKeyCanBeRestored(t *testing.T) {
	now := waymark.Time(1e15)
	storetest.EachWith(t, store.Options{Now: func() waymark.Time { return now }}, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		want, err := s.CreateAPIKey(ctx, waymark.APIKey{Owner: ada.ID, Name: "phone", Access: waymark.AccessAdd, ExpiresAt: now + 1}, []byte("1"))
		wantError(t, "create", err, nil)
		find := func() error {
			_, got, err := s.APIKeyOwner(ctx, []byte("1"))
			if err == nil {
				wantEqual(t, "key", got, want)
			}
			return err
		}
		wantError(t, "revoke bob's key", s.RevokeAPIKey(ctx, bob.ID, want.ID), waymark.ErrNotFound)
		wantError(t, "revoke", s.RevokeAPIKey(ctx, ada.ID, want.ID), nil)
		wantError(t, "find the revoked key", find(), waymark.ErrNotFound)
		wantError(t, "restore as bob", s.RestoreAPIKey(ctx, bob.ID, want.ID), waymark.ErrNotFound)
		wantError(t, "restore", s.RestoreAPIKey(ctx, ada.ID, want.ID), nil)
		wantError(t, "find the restored key", find(), nil)
		wantError(t, "restore again", s.RestoreAPIKey(ctx, ada.ID, want.ID), waymark.ErrNotFound)

		wantError(t, "revoke again", s.RevokeAPIKey(ctx, ada.ID, want.ID), nil)
		other, err := s.CreateAPIKey(ctx, waymark.APIKey{Owner: ada.ID, Name: "phone", Access: waymark.AccessAdd}, []byte("2"))
		wantError(t, "another key with the name", err, nil)
		wantError(t, "restore beside it", s.RestoreAPIKey(ctx, ada.ID, want.ID), waymark.ErrConflict)
		wantError(t, "delete it", s.DeleteAPIKey(ctx, ada.ID, other.Name), nil)
		now = now.Add(store.UndoRevocation)
		wantError(t, "restore too late", s.RestoreAPIKey(ctx, ada.ID, want.ID), waymark.ErrNotFound)
		wantError(t, "prune", s.PruneCredentials(ctx, store.SessionLimits{}), nil)
		rows, err := s.Rows(ctx, "SELECT count(*) FROM revoked_api_keys")
		wantError(t, "count", err, nil)
		wantEqual(t, "revoked keys", rows, [][]any{{int64(0)}})
	})
}
