package accounts_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/descope/virtualwebauthn"

	"waymark/internal/accounts"
	"waymark/internal/auth"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// device is a device with passkeys.
type device struct {
	accounts *accounts.Accounts
	store    *store.Store
	user     waymark.User
	site     auth.PasskeySite
	rp       virtualwebauthn.RelyingParty
	virtual  virtualwebauthn.Authenticator
	key      virtualwebauthn.Credential
}

const passkeyBase = "https://links.example.org"

// newKey returns the key pair of a new passkey. The library of the device leaves out zeros at the beginning of
// a coordinate, which makes such keys malformed.
func newKey() virtualwebauthn.Credential {
	const encoded = 77 // bytes of a whole key
	for {
		if key := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2); len(key.Key.AttestationData()) == encoded {
			return key
		}
	}
}

// eachDevice runs a test on each database with ada, who has a passkey on a device and no password.
func eachDevice(t *testing.T, test func(t *testing.T, d *device)) {
	t.Helper()
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		a := accounts.New(s, accounts.Options{})
		user, err := a.AddUser(t.Context(), "ada", "")
		check(t, err)
		site, ok := auth.NewPasskeySite(passkeyBase)
		if !ok {
			t.Fatal("the site has no passkeys")
		}
		d := &device{
			accounts: a, store: s, user: user, site: site,
			rp:      virtualwebauthn.RelyingParty{Name: "Waymark", ID: "links.example.org", Origin: passkeyBase},
			virtual: virtualwebauthn.NewAuthenticator(), key: newKey(),
		}
		check(t, d.add(t, "phone"))
		test(t, d)
	})
}

// add makes the passkey of the device, and adds it to the user.
func (d *device) add(t *testing.T, name string) error {
	t.Helper()
	options, token, err := d.accounts.AskNewPasskey(t.Context(), d.user, d.site)
	check(t, err)
	parsed, err := virtualwebauthn.ParseAttestationOptions(string(options))
	check(t, err)
	if len(parsed.UserID) == 0 {
		t.Fatalf("got options without a handle: %s", options)
	}
	d.virtual.Options.UserHandle = []byte(parsed.UserID)
	d.virtual.AddCredential(d.key)
	response := virtualwebauthn.CreateAttestationResponse(d.rp, d.virtual, d.key, *parsed)
	return d.accounts.AddPasskey(t.Context(), accounts.Visitor{User: d.user}, accounts.PasskeyAnswer{Site: d.site, Token: token, Response: response}, name)
}

// answer asks for a passkey, and returns the answer of the device.
func (d *device) answer(t *testing.T) accounts.PasskeyAnswer {
	t.Helper()
	options, token, err := d.accounts.AskPasskey(t.Context(), d.site)
	check(t, err)
	parsed, err := virtualwebauthn.ParseAssertionOptions(string(options))
	check(t, err)
	d.key.Counter++
	return accounts.PasskeyAnswer{Site: d.site, Token: token, Response: virtualwebauthn.CreateAssertionResponse(d.rp, d.virtual, d.key, *parsed)}
}

func (d *device) signIn(t *testing.T, answer accounts.PasskeyAnswer) error {
	t.Helper()
	_, err := d.accounts.SignInWithPasskey(t.Context(), answer, true, from("192.0.2.1"))
	return err
}

func TestPasskeySignsIn(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *device) {
		secret, err := d.accounts.SignInWithPasskey(t.Context(), d.answer(t), true, from("192.0.2.1"))
		check(t, err)
		visitor, err := d.accounts.Visitor(t.Context(), secret)
		if err != nil || visitor.User.ID != d.user.ID || visitor.Session.Method != waymark.ByPasskey || !visitor.Session.Persistent {
			t.Errorf("got %+v, %v, want ada", visitor, err)
		}
		passkeys, err := d.store.Accounts.Passkeys(t.Context(), d.user.ID)
		if err != nil || len(passkeys) != 1 {
			t.Fatalf("got %+v, %v", passkeys, err)
		}
		if p := passkeys[0]; p.Name != "phone" || p.Host != "links.example.org" || p.SignCount != 1 || p.LastUsedAt == 0 || p.CreatedAt == 0 || len(p.Handle) != 43 {
			t.Errorf("got %+v", p)
		}
		if _, err := d.accounts.Confirm(t.Context(), visitor, accounts.Proof{Passkey: d.answer(t)}, from("192.0.2.1")); err != nil {
			t.Errorf("asked again: got %v", err)
		}
	})
}

func TestAnswersOfPasskeysThatDoNotFit(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *device) {
		answer := d.answer(t)
		check(t, d.signIn(t, answer))
		other := d.answer(t)
		unknown := *d
		unknown.key = newKey()
		elsewhere := *d
		elsewhere.rp.Origin = "https://evil.example"
		host := *d
		host.rp.ID = "evil.example"
		handle := *d
		handle.virtual.Options.UserHandle = []byte("somebody else")
		absent := *d
		absent.virtual.Options.UserNotPresent = true
		for name, test := range map[string]struct {
			answer accounts.PasskeyAnswer
			want   error
		}{
			"replayed":         {answer, waymark.ErrNotFound},
			"another question": {accounts.PasskeyAnswer{Site: d.site, Token: other.Token, Response: answer.Response}, waymark.ErrUnknownPasskey},
			"no cookie":        {accounts.PasskeyAnswer{Site: d.site, Response: d.answer(t).Response}, waymark.ErrNotFound},
			"malformed":        {accounts.PasskeyAnswer{Site: d.site, Token: d.answer(t).Token, Response: "{"}, waymark.ErrUnknownPasskey},
			"unknown":          {unknown.answer(t), waymark.ErrUnknownPasskey},
			"another origin":   {elsewhere.answer(t), waymark.ErrUnknownPasskey},
			"another host":     {host.answer(t), waymark.ErrUnknownPasskey},
			"another user":     {handle.answer(t), waymark.ErrUnknownPasskey},
			"nobody there":     {absent.answer(t), waymark.ErrUnknownPasskey},
			"another signature": {func() accounts.PasskeyAnswer {
				a := d.answer(t)
				a.Response = strings.Replace(a.Response, `"signature":"ME`, `"signature":"MA`, 1)
				return a
			}(), waymark.ErrUnknownPasskey},
		} {
			if err := d.signIn(t, test.answer); !errors.Is(err, test.want) {
				t.Errorf("%s: got %v, want %v", name, err, test.want)
			}
		}
		if err := d.signIn(t, d.answer(t)); err != nil {
			t.Errorf("the passkey itself: got %v", err)
		}
	})
}

func TestTwoServersTakeOneAnswerOnce(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *device) {
		answer := d.answer(t)
		var wait sync.WaitGroup
		results := make([]error, 6)
		for i := range results {
			server := accounts.New(d.store, accounts.Options{})
			wait.Go(func() {
				_, results[i] = server.SignInWithPasskey(t.Context(), answer, true, from("192.0.2.1"))
			})
		}
		wait.Wait()
		if n := len(slices.DeleteFunc(results, func(err error) bool { return err != nil })); n != 1 {
			t.Errorf("the answer was taken %d times", n)
		}
	})
}

// When people turn on iCloud Keychain, the flags of their passkeys change.
func TestPasskeyMayBecomeOneOfSeveralDevices(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *device) {
		d.virtual.Options.BackupEligible, d.virtual.Options.BackupState = true, true
		check(t, d.signIn(t, d.answer(t)))
		if passkeys, err := d.store.Accounts.Passkeys(t.Context(), d.user.ID); err != nil || !passkeys[0].BackupEligible || !passkeys[0].BackedUp {
			t.Errorf("got %+v, %v", passkeys, err)
		}
		d.key.Counter = 0 // a device that does not count, or a copy
		if err := d.signIn(t, d.answer(t)); err != nil {
			t.Errorf("a smaller count: got %v", err)
		}
	})
}

func TestPasskeyWithoutVerificationIsOneStep(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *device) {
		check(t, d.store.Accounts.SetPasswordHash(t.Context(), d.user.ID, quickHash, ""))
		secret := auth.NewTOTPSecret()
		if _, err := d.accounts.SetUpApp(t.Context(), accounts.Visitor{User: d.user}, secret, codeAt(t, secret, d.store.Now())); err != nil {
			t.Fatal(err)
		}
		if err := d.signIn(t, d.answer(t)); err != nil {
			t.Errorf("verified: got %v", err)
		}
		_, err := d.accounts.SignIn(t.Context(), "ada", password, false, from("192.0.2.1"))
		step, ok := errors.AsType[*accounts.SecondStep](err)
		if !ok {
			t.Fatalf("the password: got %v", err)
		}
		d.virtual.Options.UserNotVerified = true
		touched, ok := errors.AsType[*accounts.SecondStep](d.signIn(t, d.answer(t)))
		if !ok {
			t.Fatal("a passkey that nobody has verified is enough, although there is an app")
		}
		if _, err := d.accounts.FinishSignIn(t.Context(), touched.Token, accounts.Proof{Passkey: d.answer(t)}, false, from("192.0.2.1")); !errors.Is(err, waymark.ErrWrongCode) {
			t.Errorf("the same passkey as second step: got %v", err)
		}
		entered, err := d.accounts.FinishSignIn(t.Context(), step.Token, accounts.Proof{Passkey: d.answer(t)}, false, from("192.0.2.1"))
		if err != nil || entered.Secret == "" {
			t.Errorf("after the password: got %v", err)
		}
	})
}

func TestPasskeyOfAnotherUserProvesNothing(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *device) {
		ben := addQuick(t, d.accounts, "ben")
		session, err := d.accounts.SignIn(t.Context(), "ben", password, false, from("192.0.2.1"))
		check(t, err)
		visitor, err := d.accounts.Visitor(t.Context(), session)
		check(t, err)
		if _, err := d.accounts.Confirm(t.Context(), visitor, accounts.Proof{Passkey: d.answer(t)}, from("192.0.2.1")); !errors.Is(err, waymark.ErrWrongCode) {
			t.Errorf("asked again: got %v", err)
		}
		secret := auth.NewTOTPSecret()
		if _, err := d.accounts.SetUpApp(t.Context(), visitor, secret, codeAt(t, secret, d.store.Now())); err != nil {
			t.Fatal(err)
		}
		_, err = d.accounts.SignIn(t.Context(), "ben", password, false, from("192.0.2.1"))
		step, ok := errors.AsType[*accounts.SecondStep](err)
		if !ok {
			t.Fatalf("got %v, want a second step", err)
		}
		if _, err := d.accounts.FinishSignIn(t.Context(), step.Token, accounts.Proof{Passkey: d.answer(t)}, false, from("192.0.2.1")); !errors.Is(err, waymark.ErrWrongCode) {
			t.Errorf("the second step: got %v", err)
		}
		_, token, err := d.accounts.AskNewPasskey(t.Context(), d.user, d.site)
		check(t, err)
		answer := accounts.PasskeyAnswer{Site: d.site, Token: token, Response: "{}"}
		if err := d.accounts.AddPasskey(t.Context(), accounts.Visitor{User: ben}, answer, "mine"); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("the question to another user: got %v", err)
		}
	})
}

func TestPasskeysAreAddedOnceAndRemoved(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *device) {
		if err := d.add(t, "again"); !errors.Is(err, waymark.ErrConflict) {
			t.Errorf("the same passkey: got %v", err)
		}
		if err := d.add(t, " "); err == nil {
			t.Error("a passkey without a name is added")
		}
		d.key = virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeRSA)
		check(t, d.add(t, "key ring"))
		if err := d.signIn(t, d.answer(t)); err != nil {
			t.Errorf("the second passkey: got %v", err)
		}
		passkeys, err := d.store.Accounts.Passkeys(t.Context(), d.user.ID)
		if err != nil || len(passkeys) != 2 || passkeys[0].Handle != passkeys[1].Handle {
			t.Fatalf("got %+v, %v, want two with one handle", passkeys, err)
		}
		ben := addUser(t, d.accounts, "ben")
		if err := d.accounts.RemovePasskey(t.Context(), ben.ID, passkeys[1].ID); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("of another user: got %v", err)
		}
		if err := d.accounts.RenamePasskey(t.Context(), ben.ID, passkeys[1].ID, "mine"); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("renamed by another user: got %v", err)
		}
		for range 2 { // the second time is no change
			check(t, d.accounts.RenamePasskey(t.Context(), d.user.ID, passkeys[1].ID, "keys"))
		}
		check(t, d.accounts.RemovePasskey(t.Context(), d.user.ID, passkeys[1].ID))
		if err := d.signIn(t, d.answer(t)); !errors.Is(err, waymark.ErrUnknownPasskey) {
			t.Errorf("the removed passkey: got %v", err)
		}
		if err := d.accounts.RemovePasskey(t.Context(), d.user.ID, passkeys[0].ID); !errors.Is(err, accounts.ErrLastWay) {
			t.Errorf("the last way to sign in: got %v", err)
		}
		check(t, d.store.Accounts.SetPasswordHash(t.Context(), d.user.ID, quickHash, ""))
		if err := d.accounts.RemovePasskey(t.Context(), d.user.ID, passkeys[0].ID); err != nil {
			t.Errorf("with a password: got %v", err)
		}
		wantAuditEvents(t, d.store, "user added|ada||", "passkey added|ada||phone", "passkey added|ada||key ring", "user added|ben||",
			"passkey renamed|ada||key ring to keys", "passkey removed|ada||keys", "password changed|ada||", "passkey removed|ada||phone")
	})
}
