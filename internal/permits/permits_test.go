package permits_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"waymark/internal/permits"
)

var errRefused = errors.New("refused")

// wantPermit fails the test unless a user gets n permits at once.
func wantPermit(t *testing.T, l *permits.Limit, user, n int64) (release func()) {
	t.Helper()
	began := time.Now()
	release, err := l.Acquire(t.Context(), user, n)
	if err != nil || time.Since(began) > 0 {
		t.Fatalf("user %d: got error %v after %s, want %d permits at once", user, err, time.Since(began), n)
	}
	return release
}

func TestUserHasAShareOfALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := permits.New(permits.Options{All: 7, Wait: 10 * time.Second, Refused: errRefused})
		release := wantPermit(t, l, 1, 4)
		refused := make(chan error)
		for range 64 {
			go func() {
				_, err := l.Acquire(t.Context(), 1, 1)
				refused <- err
			}()
		}
		synctest.Wait()
		wantPermit(t, l, 2, 3)()
		began := time.Now()
		for range 64 {
			if err := <-refused; !errors.Is(err, errRefused) {
				t.Errorf("a permit above the share: got error %v, want %v", err, errRefused)
			}
		}
		if waited := time.Since(began); waited != 10*time.Second {
			t.Errorf("refused after %s, want 10s", waited)
		}
		release()
		wantPermit(t, l, 1, 4)()
	})
}

func TestUsersWaitForEachOtherInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := permits.New(permits.Options{All: 1, Wait: time.Hour, Refused: errRefused})
		for range 64 { // they take 64 seconds
			go l.Do(t.Context(), 1, func() error { //nolint:errcheck // it always succeeds
				time.Sleep(time.Second)
				return nil
			})
		}
		synctest.Wait()
		began := time.Now()
		if err := l.Do(t.Context(), 2, func() error { return nil }); err != nil || time.Since(began) > 2*time.Second {
			t.Errorf("got error %v after %s, want a permit after at most two operations of the other user", err, time.Since(began))
		}
		time.Sleep(time.Minute + 5*time.Second)
	})
}

func TestCanceledCallerGetsNoPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := permits.New(permits.Options{All: 1, Wait: time.Hour, Refused: errRefused})
		release := wantPermit(t, l, 1, 1)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := l.Acquire(ctx, 2, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v, want %v", err, context.Canceled)
		}
		release()
		wantPermit(t, l, 2, 1)()
	})
}
