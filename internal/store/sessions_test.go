package store_test

import (
	"fmt"
	"testing"
	"time"

	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func createSession(t *testing.T, s *store.Store, session waymark.Session, hash string) waymark.Session {
	t.Helper()
	session, err := s.Accounts.CreateSession(t.Context(), session, []byte(hash), "", nil)
	check(t, err)
	return session
}

func changeSettings(t *testing.T, s *store.Store, user waymark.UserID, to waymark.Settings) error {
	_, _, err := s.Accounts.ChangeSettings(t.Context(), user, func(settings *waymark.Settings, _ *waymark.DefaultVisibility) error {
		*settings = to
		return nil
	})
	return err
}

// A password can change while it is verified, which takes long on purpose.
func TestNoSessionBeginsWithAnOldPassword(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		check(t, s.Accounts.SetPasswordHash(t.Context(), ada.ID, "old", ""))
		signIn := func(passwordHash string) error {
			_, err := s.Accounts.CreateSession(t.Context(), waymark.Session{UserID: ada.ID}, []byte(passwordHash), passwordHash, nil)
			return err
		}
		wantError(t, "the password", signIn("old"), nil)
		check(t, s.Accounts.SetPasswordHash(t.Context(), ada.ID, "new", ""))
		wantError(t, "the old password", signIn("old"), waymark.ErrWrongPassword)
		_, err := s.Accounts.ChangeUser(t.Context(), "ada", func(u *waymark.User) error { u.Disabled = true; return nil }, anyUser)
		check(t, err)
		wantError(t, "a disabled user", signIn("new"), waymark.ErrWrongPassword)
		if sessions, err := s.Accounts.Sessions(t.Context(), ada.ID); err != nil || len(sessions) != 0 {
			t.Errorf("got the sessions %v, %v, want none", sessions, err)
		}
	})
}

func TestSessionsEndWithPasswordAndAccount(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		disable := func(disabled bool) error {
			_, err := s.Accounts.ChangeUser(ctx, "ada", func(u *waymark.User) error {
				u.Disabled = disabled
				return nil
			}, anyUser)
			return err
		}
		for name, test := range map[string]struct {
			change func(keep waymark.SessionID) error
			want   int
		}{
			"new password":   {func(waymark.SessionID) error { return s.Accounts.SetPasswordHash(ctx, ada.ID, "new", "") }, 0},
			"disabled":       {func(waymark.SessionID) error { return disable(true) }, 0},
			"enabled":        {func(waymark.SessionID) error { return disable(false) }, 2},
			"end the others": {func(keep waymark.SessionID) error { return s.Accounts.DeleteOtherSessions(ctx, ada.ID, keep) }, 1},
			"end one":        {func(keep waymark.SessionID) error { return s.Accounts.DeleteSession(ctx, ada.ID, keep) }, 1},
		} {
			wantError(t, name+": enable", disable(false), nil)
			wantError(t, name+": start again", s.Accounts.DeleteOtherSessions(ctx, ada.ID, 0), nil)
			keep := createSession(t, s, waymark.Session{UserID: ada.ID}, name+" 1").ID
			createSession(t, s, waymark.Session{UserID: ada.ID}, name+" 2")
			createSession(t, s, waymark.Session{UserID: bob.ID}, name+" 3")
			wantError(t, name, test.change(keep), nil)
			if left, err := s.Accounts.Sessions(ctx, ada.ID); err != nil || len(left) != test.want {
				t.Errorf("%s: ada has sessions %+v (error %v), want %d", name, left, err, test.want)
			}
		}
		bobs, err := s.Accounts.Sessions(ctx, bob.ID)
		if err != nil || len(bobs) != 5 {
			t.Fatalf("bob has sessions %+v (error %v), want all 5", bobs, err)
		}
		wantError(t, "end bob's session as ada", s.Accounts.DeleteSession(ctx, ada.ID, bobs[0].ID), waymark.ErrNotFound)
		wantError(t, "remove bob", storetest.RemoveUser(ctx, s, bob.ID), nil)
		_, err = s.Accounts.SessionOwner(ctx, []byte("end one 3"))
		wantError(t, "bob's session", err, waymark.ErrNotFound)
	})
}

func TestSessionsOfAUserAreLimited(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada, bob := storetest.User(t, s, "ada"), storetest.User(t, s, "bob")
		old := createSession(t, s, waymark.Session{UserID: bob.ID, LastSeenAt: 1}, "bob")
		var unused waymark.Session
		for i := range waymark.MaxSessions {
			seen := waymark.Time(1000 - i)
			if i == 7 {
				seen = 10
			}
			session := createSession(t, s, waymark.Session{UserID: ada.ID, LastSeenAt: seen}, fmt.Sprint(i))
			if i == 7 {
				unused = session
			}
		}
		latest := createSession(t, s, waymark.Session{UserID: ada.ID, LastSeenAt: 1001}, "latest")
		sessions, err := s.Accounts.Sessions(t.Context(), ada.ID)
		check(t, err)
		if len(sessions) != waymark.MaxSessions || sessions[0].ID != latest.ID {
			t.Errorf("got %d sessions, the last seen %d, want %d and %d", len(sessions), sessions[0].ID, waymark.MaxSessions, latest.ID)
		}
		for _, session := range sessions {
			if session.ID == unused.ID {
				t.Error("the session that was not used for the longest time has not ended")
			}
		}
		if bobs, err := s.Accounts.Sessions(t.Context(), bob.ID); err != nil || len(bobs) != 1 || bobs[0].ID != old.ID {
			t.Errorf("got bob's sessions %+v, %v, want the one he had", bobs, err)
		}
	})
}

func TestPruneCredentialsDeletesWhatHasEnded(t *testing.T) {
	const now = waymark.Time(1e15)
	limits := waymark.SessionLimits{Idle: time.Hour, PersistentIdle: 24 * time.Hour}
	storetest.EachWith(t, store.Options{Now: func() waymark.Time { return now }}, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		ada := storetest.User(t, s, "ada")
		session := func(hash string, persistent bool, idle time.Duration, expires time.Duration) {
			createSession(t, s, waymark.Session{UserID: ada.ID, Persistent: persistent, LastSeenAt: now.Add(-idle), ExpiresAt: now.Add(expires)}, hash)
		}
		session("used", false, time.Minute, time.Hour)
		session("not used", false, time.Hour, time.Hour)
		session("persistent", true, 2*time.Hour, time.Hour)
		session("persistent, not used", true, 24*time.Hour, time.Hour)
		session("expired", true, time.Minute, 0)
		admin := createAdmin(t, s, "eve")
		invite := func(hash string, expires waymark.Time) {
			_, err := s.Accounts.CreateInvitation(ctx, waymark.Invitation{CreatedBy: admin.ID, ExpiresAt: expires}, []byte(hash))
			wantError(t, "invite", err, nil)
		}
		invite("valid", now+1)
		invite("expired", now)
		wantError(t, "reset", s.Accounts.CreatePasswordReset(ctx, ada.ID, waymark.PasswordReset{CreatedBy: admin.ID, ExpiresAt: now}, []byte("reset")), nil)
		wantError(t, "prune", s.Accounts.PruneCredentials(ctx, limits), nil)
		wantError(t, "prune again", s.Accounts.PruneCredentials(ctx, limits), nil)

		got, err := s.Accounts.Sessions(ctx, ada.ID)
		if err != nil || len(got) != 2 || got[0].Persistent || !got[1].Persistent {
			t.Errorf("got sessions %+v (error %v), want the one in use and the persistent one", got, err)
		}
		rows, err := s.Rows(ctx, "SELECT count(*), (SELECT count(*) FROM password_resets) FROM invitations")
		check(t, err)
		wantEqual(t, "invitations and resets", rows, [][]any{{int64(1), int64(0)}})
	})
}

func TestSaveSessionUseKeepsTheLatestTime(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ada := storetest.User(t, s, "ada")
		session := createSession(t, s, waymark.Session{UserID: ada.ID, LastSeenAt: 5}, "hash")
		for _, at := range []waymark.Time{7, 6} {
			wantError(t, "save", s.Accounts.SaveSessionUse(t.Context(), map[waymark.SessionID]waymark.Time{session.ID: at, 999: at}), nil)
		}
		got, err := s.Accounts.Sessions(t.Context(), ada.ID)
		if err != nil || len(got) != 1 || got[0].LastSeenAt != 7 {
			t.Errorf("got %+v (error %v), want the session, last seen at 7", got, err)
		}
	})
}
