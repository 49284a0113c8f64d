package service_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"waymark/internal/service"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func addKey(t *testing.T, lib *service.Service, user, name string) (string, waymark.APIKey) {
	t.Helper()
	secret, key, err := lib.AddAPIKey(t.Context(), user, name, waymark.AccessFull, 0)
	if err != nil {
		t.Fatalf("add key %s: %v", name, err)
	}
	return secret, key
}

// clock is a clock that stands until it is told to go.
type clock struct{ now waymark.Time }

func newClock(lib *service.Service) *clock {
	c := &clock{waymark.FromTime(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))}
	lib.Now = func() waymark.Time { return c.now }
	return c
}

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

func TestKeyOpensForItsOwner(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib *service.Service, _ *store.Store) {
		ann := addUser(t, lib, "ann")
		addUser(t, lib, "ben")
		phone, _ := addKey(t, lib, "Ann", "phone")
		laptop, laptopKey, err := lib.AddAPIKey(t.Context(), "ann", "old laptop", waymark.AccessRead, 0)
		if err != nil {
			t.Fatal(err)
		}
		addKey(t, lib, "ben", "phone")
		if phone == laptop {
			t.Fatal("two keys are the same")
		}
		user, key, err := lib.Authenticate(t.Context(), laptop)
		if err != nil || user != ann || key != laptopKey || key.Access != waymark.AccessRead {
			t.Errorf("got %+v, %+v, %v, want ann and her key", user, key, err)
		}
		if _, key, err := lib.Authenticate(t.Context(), phone); err != nil || key.Name != "phone" {
			t.Errorf("got %+v, %v, want the other key at the same time", key, err)
		}
	})
}

func TestWhatIsNoKeyOpensNothing(t *testing.T) {
	lib := service.New(storetest.Open(t))
	addUser(t, lib, "ann")
	secret, _ := addKey(t, lib, "ann", "phone")
	for _, text := range []string{"", "wm_", "ann", secret + "A", secret[:len(secret)-1], strings.ToUpper(secret), "wm_" + strings.Repeat("A", 43)} {
		if user, _, err := lib.Authenticate(t.Context(), text); !errors.Is(err, waymark.ErrNotFound) || user != (waymark.User{}) {
			t.Errorf("%q: got %+v, %v, want ErrNotFound", text, user, err)
		}
	}
}

func TestAddKeyRefuses(t *testing.T) {
	lib := service.New(storetest.Open(t))
	clock := newClock(lib)
	addUser(t, lib, "ann")
	addKey(t, lib, "ann", "phone")
	for _, test := range []struct {
		name, key string
		expires   waymark.Time
		want      string
	}{
		{"a second one of that name", "phone", 0, `API key "phone" already exists`},
		{"no name", " ", 0, "must not be empty"},
		{"a space at an end", "phone ", 0, "space"},
		{"a line break", "my\nphone", 0, "control character"},
		{"too long a name", strings.Repeat("ä", 256), 0, "at most 255"},
		{"an end in the past", "laptop", clock.now, "past"},
	} {
		t.Run(test.name, func(t *testing.T) {
			secret, _, err := lib.AddAPIKey(t.Context(), "ann", test.key, waymark.AccessFull, test.expires)
			if err == nil || !strings.Contains(err.Error(), test.want) || secret != "" {
				t.Errorf("got %q, %v, want an error that says %q", secret, err, test.want)
			}
		})
	}
}

func TestKeyStopsAtOnce(t *testing.T) {
	for _, test := range []struct {
		name string
		stop func(context.Context, *service.Service, *clock) error
	}{
		{"revoked", func(ctx context.Context, lib *service.Service, _ *clock) error {
			return lib.RevokeAPIKey(ctx, "ann", "phone")
		}},
		{"its user disabled", func(ctx context.Context, lib *service.Service, _ *clock) error {
			return lib.DisableUser(ctx, "ann", true)
		}},
		{"its user removed", func(ctx context.Context, lib *service.Service, _ *clock) error {
			return lib.RemoveUser(ctx, "ann")
		}},
		{"expired", func(_ context.Context, _ *service.Service, c *clock) error {
			c.pass(time.Hour)
			return nil
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachLibrary(t, func(t *testing.T, lib *service.Service, _ *store.Store) {
				clock := newClock(lib)
				addUser(t, lib, "ann")
				secret, _, err := lib.AddAPIKey(t.Context(), "ann", "phone", waymark.AccessFull, clock.now.Add(time.Hour))
				if err != nil {
					t.Fatal(err)
				}
				clock.pass(time.Hour - time.Microsecond)
				if _, _, err := lib.Authenticate(t.Context(), secret); err != nil {
					t.Fatalf("before: %v", err)
				}
				if err := test.stop(t.Context(), lib, clock); err != nil {
					t.Fatal(err)
				}
				if _, _, err := lib.Authenticate(t.Context(), secret); !errors.Is(err, waymark.ErrNotFound) {
					t.Errorf("after: got error %v, want ErrNotFound", err)
				}
				if err := lib.SaveAPIKeyUse(t.Context()); err != nil {
					t.Errorf("save the use of a key that has ended: %v", err)
				}
			})
		})
	}
}

func TestEnabledUserComesBackWithTheirKeys(t *testing.T) {
	lib := service.New(storetest.Open(t))
	addUser(t, lib, "ann")
	secret, _ := addKey(t, lib, "ann", "phone")
	for _, disabled := range []bool{true, false} {
		if err := lib.DisableUser(t.Context(), "ann", disabled); err != nil {
			t.Fatal(err)
		}
	}
	if user, _, err := lib.Authenticate(t.Context(), secret); err != nil || user.Disabled {
		t.Errorf("got %+v, %v, want ann", user, err)
	}
}

// lastUsedKey is when a key of ann's was last used, as the store has it.
func lastUse(t *testing.T, s *store.Store) waymark.Time {
	t.Helper()
	ann, err := s.UserByName(t.Context(), "ann")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := s.APIKeys(t.Context(), ann.ID)
	if err != nil || len(keys) != 1 {
		t.Fatalf("got keys %+v, %v, want one", keys, err)
	}
	return keys[0].LastUsedAt
}

func TestKeyUseIsSavedToTheMinute(t *testing.T) {
	eachLibrary(t, func(t *testing.T, lib *service.Service, s *store.Store) {
		clock := newClock(lib)
		addUser(t, lib, "ann")
		secret, _ := addKey(t, lib, "ann", "phone")
		use := func() waymark.Time {
			t.Helper()
			if _, _, err := lib.Authenticate(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			return clock.now
		}
		save := func(ctx context.Context, want waymark.Time) {
			t.Helper()
			if err := lib.SaveAPIKeyUse(ctx); err != nil {
				t.Fatal(err)
			}
			if got := lastUse(t, s); got != want {
				t.Errorf("last use: got %s, want %s", got, want)
			}
		}

		save(t.Context(), 0)
		use()
		if got := lastUse(t, s); got != 0 {
			t.Errorf("a request has written %s", got)
		}
		clock.pass(10 * time.Second)
		first := use()
		save(t.Context(), first)
		clock.pass(59 * time.Second)
		use()
		save(t.Context(), first)
		clock.pass(time.Second)
		second := use()

		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := lib.SaveAPIKeyUse(ended); err == nil {
			t.Error("saved although the time was over")
		}
		save(t.Context(), second)
	})
}

func TestKeyIsUsedByManyAtOnce(t *testing.T) {
	lib := service.New(storetest.Open(t))
	addUser(t, lib, "ann")
	secret, _ := addKey(t, lib, "ann", "phone")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if _, _, err := lib.Authenticate(t.Context(), secret); err != nil {
					t.Error(err)
				}
				if err := lib.SaveAPIKeyUse(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
