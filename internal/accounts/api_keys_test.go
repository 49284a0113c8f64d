package accounts_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func addKey(t *testing.T, a *accounts.Accounts, user, name string) (string, waymark.APIKey) {
	t.Helper()
	secret, key, err := a.AddAPIKey(t.Context(), user, name, waymark.AccessFull, 0)
	check(t, err)
	return secret, key
}

// eachDatabaseAt is eachDatabase with a clock that only the test changes.
func eachDatabaseAt(t *testing.T, run func(t *testing.T, now *waymark.Time, a *accounts.Accounts, s *store.Store)) {
	t.Parallel()
	now := waymark.FromTime(time.Now())
	storetest.EachWith(t, store.Options{Now: func() waymark.Time { return now }}, func(t *testing.T, s *store.Store) {
		run(t, &now, accounts.New(s, accounts.Options{}), s)
	})
}

func TestAddAPIKeyRejectsInvalidInput(t *testing.T) {
	s := storetest.Open(t)
	a := accounts.New(s, accounts.Options{})
	addUser(t, a, "ann")
	addKey(t, a, "ann", "phone")
	for _, test := range []struct {
		name, key string
		expires   waymark.Time
		want      string
	}{
		{"duplicate name", "phone", 0, `API key "phone" already exists`},
		{"empty name", " ", 0, "must not be empty"},
		{"expiry in the past", "laptop", s.Now(), "past"},
	} {
		secret, _, err := a.AddAPIKey(t.Context(), "ann", test.key, waymark.AccessFull, test.expires)
		if err == nil || !strings.Contains(err.Error(), test.want) || secret != "" {
			t.Errorf("%s: got %q, %v, want an error with %q", test.name, secret, err, test.want)
		}
	}
}

// lastUsedAt returns the stored time when ann's only key was last used.
func lastUsedAt(t *testing.T, s *store.Store) waymark.Time {
	t.Helper()
	ann, err := s.Accounts.UserByName(t.Context(), "ann")
	check(t, err)
	keys, err := s.Accounts.APIKeys(t.Context(), ann.ID)
	if err != nil || len(keys) != 1 {
		t.Fatalf("got keys %+v, %v, want one", keys, err)
	}
	return keys[0].LastUsedAt
}

func TestLastUseIsAccurateToAMinute(t *testing.T) {
	eachDatabaseAt(t, func(t *testing.T, now *waymark.Time, a *accounts.Accounts, s *store.Store) {
		addUser(t, a, "ann")
		secret, _ := addKey(t, a, "ann", "phone")
		use := func() waymark.Time {
			t.Helper()
			if _, _, err := a.Authenticate(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			return *now
		}
		save := func(ctx context.Context, want waymark.Time) {
			t.Helper()
			check(t, a.SaveAPIKeyUse(ctx))
			if got := lastUsedAt(t, s); got != want {
				t.Errorf("last use: got %s, want %s", got, want)
			}
		}

		save(t.Context(), 0)
		use()
		if got := lastUsedAt(t, s); got != 0 {
			t.Errorf("a request saved %s", got)
		}
		*now = now.Add(10 * time.Second)
		first := use()
		save(t.Context(), first)
		*now = now.Add(59 * time.Second)
		use()
		save(t.Context(), first)
		*now = now.Add(time.Second)
		second := use()

		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := a.SaveAPIKeyUse(canceled); err == nil {
			t.Error("saved although the context was canceled")
		}
		save(t.Context(), second)
	})
}
