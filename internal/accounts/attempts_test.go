package accounts_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// signIn attempts to sign in, and returns how long the client has to wait before it may, or 0.
func signIn(t *testing.T, a *accounts.Accounts, name, password, address string) time.Duration {
	t.Helper()
	_, err := a.SignIn(t.Context(), name, password, true, from(address))
	var tooMany *waymark.TooManyAttempts
	switch {
	case errors.As(err, &tooMany):
		return tooMany.Wait
	case err != nil && !errors.Is(err, waymark.ErrWrongPassword):
		t.Fatal(err)
	}
	return 0
}

func TestAttemptsFromOneAddressPause(t *testing.T) {
	now := waymark.Time(1e15)
	a := withAda(t, openAt(t, &now), accounts.Options{})
	for i := range 5 {
		if wait := signIn(t, a, "ada", "wrong horse", "192.0.2.1"); wait != 0 {
			t.Fatalf("attempt %d has to wait %s", i, wait)
		}
	}
	for _, want := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second} {
		if wait := signIn(t, a, "ADA", password, "192.0.2.1"); wait != want {
			t.Errorf("got a wait of %s, want %s, also with the right password", wait, want)
		}
		now = now.Add(want)
		if wait := signIn(t, a, "ada", "wrong horse", "192.0.2.1"); wait != 0 {
			t.Errorf("after the pause: got a wait of %s", wait)
		}
	}
	if wait := signIn(t, a, "ada", password, "192.0.2.2"); wait != 0 {
		t.Errorf("another address has to wait %s", wait)
	}
	now = now.Add(80 * time.Second)
	if _, err := a.SignIn(t.Context(), "ada", password, true, from("192.0.2.1")); err != nil {
		t.Errorf("the right password after the pause: got error %v", err)
	}
	if wait := signIn(t, a, "ada", "wrong horse", "192.0.2.1"); wait != 0 {
		t.Errorf("after signing in, a wrong password has to wait %s", wait)
	}
}

func TestDeviceIsNotBlockedByOthersAtItsAddress(t *testing.T) {
	now := waymark.Time(1e15)
	a := withAda(t, openAt(t, &now), accounts.Options{})
	client := from("192.0.2.1") // the address of all clients behind a proxy
	secret, err := a.SignIn(t.Context(), "ada", password, true, client)
	check(t, err)
	device, err := a.Device(t.Context(), secret)
	check(t, err)
	for range 5 {
		signIn(t, a, "ada", "wrong horse", "192.0.2.1")
	}
	if wait := signIn(t, a, "ada", password, "192.0.2.1"); wait == 0 {
		t.Error("a browser without the device need not wait")
	}
	client.Device = device
	if _, err := a.SignIn(t.Context(), "ada", password, true, client); err != nil {
		t.Errorf("the device: got error %v", err)
	}
	for range 5 {
		if _, err := a.SignIn(t.Context(), "ada", "wrong horse", true, client); !errors.Is(err, waymark.ErrWrongPassword) {
			t.Fatalf("got error %v, want ErrWrongPassword", err)
		}
	}
	var attempts *waymark.TooManyAttempts
	if _, err := a.SignIn(t.Context(), "ada", password, true, client); !errors.As(err, &attempts) {
		t.Errorf("after five failures of the device: got error %v, want a pause", err)
	}
}

// Another program's hash takes longer to verify than one of Waymark. Without a minimum, the time of
// a failed attempt would show which users were migrated.
func TestFailedSignInTakesAMinimumTime(t *testing.T) {
	const minimum = 200 * time.Millisecond
	s := storetest.Open(t)
	a := accounts.New(s, accounts.Options{FailedSignIn: minimum})
	if _, err := a.AddMigratedUser(t.Context(), "ann", bcryptHash, false, false); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ann", "nobody"} {
		began := time.Now()
		if _, err := a.SignIn(t.Context(), name, "wrong horse", false, from("192.0.2.1")); !errors.Is(err, waymark.ErrWrongPassword) {
			t.Errorf("%s: got error %v, want ErrWrongPassword", name, err)
		}
		if took := time.Since(began); took < minimum {
			t.Errorf("%s: the attempt took %s, want %s", name, took, minimum)
		}
	}
	a = accounts.New(s, accounts.Options{FailedSignIn: time.Hour})
	if _, err := a.SignIn(t.Context(), "ann", strong, false, from("192.0.2.1")); err != nil {
		t.Errorf("the right password: got error %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := a.SignIn(ctx, "nobody", "wrong horse", false, from("192.0.2.1")); err == nil {
		t.Error("the client has disconnected: got no error")
	}
}
