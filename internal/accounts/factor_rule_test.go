package accounts_test

import (
	"errors"
	"testing"
	"time"

	"waymark/internal/accounts"
	"waymark/internal/auth"
	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// rule sets who must have a second factor. ada is the administrator.
func (p *phone) rule(t *testing.T, rule waymark.FactorRule) {
	t.Helper()
	check(t, p.accounts.SetFactorRule(t.Context(), p.user, rule))
}

// password signs a user in who needs no second step, and returns the secret of the session.
func (p *phone) password(t *testing.T, name string) string {
	t.Helper()
	secret, err := p.accounts.SignIn(t.Context(), name, password, true, from("192.0.2.1"))
	check(t, err)
	return secret
}

// addBen adds a user with a password and no other factor.
func (p *phone) addBen(t *testing.T) {
	t.Helper()
	addQuick(t, p.accounts, "ben")
}

// wantVisitor checks whether a session lacks a factor, on a server that has just started.
func (p *phone) wantVisitor(t *testing.T, what, secret string, lacks bool, want error) {
	t.Helper()
	visitor, err := accounts.New(p.store, accounts.Options{}).Visitor(t.Context(), secret)
	if visitor.LacksFactor != lacks || !errors.Is(err, want) {
		t.Errorf("%s: got LacksFactor %v, error %v, want %v and %v", what, visitor.LacksFactor, err, lacks, want)
	}
}

func TestRuleMakesPeopleSetUpASecondFactor(t *testing.T) {
	eachPhone(t, func(t *testing.T, p *phone) {
		p.addBen(t)
		key, _ := addKey(t, p.accounts, "ben", "phone")
		first, second := p.password(t, "ben"), p.password(t, "ben")
		p.wantVisitor(t, "without a rule", first, false, nil)
		p.rule(t, waymark.FactorForAdministrators)
		p.wantVisitor(t, "a rule for administrators", first, false, nil)
		admin := true
		ben, err := p.store.Accounts.UserByName(t.Context(), "ben")
		check(t, err)
		for _, admin = range []bool{true, false} {
			if _, err := p.accounts.SetUserState(t.Context(), p.user, ben.ID, &admin, nil); err != nil {
				t.Fatal(err)
			}
			p.wantVisitor(t, "an administrator or not", first, admin, nil)
		}
		p.rule(t, waymark.FactorForAll)
		p.wantVisitor(t, "a rule for all", first, true, nil)
		p.wantVisitor(t, "a new session", p.password(t, "ben"), true, nil)
		if _, _, err := p.accounts.Authenticate(t.Context(), key); err != nil {
			t.Errorf("the API key: got %v", err)
		}

		visitor, err := p.accounts.Visitor(t.Context(), first)
		check(t, err)
		secret := auth.NewTOTPSecret()
		codes, err := p.accounts.SetUpApp(t.Context(), visitor, secret, codeAt(t, secret, *p.now))
		if err != nil || len(codes) != waymark.RecoveryCodes {
			t.Fatalf("got %q, %v", codes, err)
		}
		p.wantVisitor(t, "with an app", first, false, nil)
		// Who knows the password may wait with a session until its user has set up a factor.
		p.wantVisitor(t, "another session with the password alone", second, false, waymark.ErrNotFound)
		if err := p.accounts.RemoveApp(t.Context(), ben.ID); !errors.Is(err, accounts.ErrFactorRequired) {
			t.Errorf("the last factor: got %v", err)
		}
		if err := p.store.Accounts.RemoveFactors(t.Context(), ben.ID); err != nil { // the command of the operator
			t.Fatal(err)
		}
		p.wantVisitor(t, "after the operator has removed the app", first, true, nil)
		p.rule(t, waymark.FactorOptional)
		p.wantVisitor(t, "without a rule again", first, false, nil)
	})
}

func TestWhoSetsTheRuleHasASecondFactor(t *testing.T) {
	eachPhone(t, func(t *testing.T, p *phone) {
		ben := addUser(t, p.accounts, "ben")
		for name, test := range map[string]struct {
			by   waymark.User
			rule waymark.FactorRule
			want error
		}{
			"not an administrator": {ben, waymark.FactorOptional, waymark.ErrForbidden},
			"without a factor":     {waymark.User{ID: ben.ID, Admin: true}, waymark.FactorForAdministrators, accounts.ErrFactorRequired},
			"no rule":              {p.user, "some", waymark.ErrForbidden},
			"turned off":           {waymark.User{ID: ben.ID, Name: "ben", Admin: true}, waymark.FactorOptional, nil},
		} {
			if err := p.accounts.SetFactorRule(t.Context(), test.by, test.rule); !errors.Is(err, test.want) {
				t.Errorf("%s: got %v, want %v", name, err, test.want)
			}
		}
		entered, err := p.accounts.FinishSignIn(t.Context(), p.step(t, from("192.0.2.1")), accounts.Proof{Code: p.code(t)}, true, from("192.0.2.1"))
		check(t, err)
		trusted := from("192.0.2.1")
		trusted.Trust = entered.Trust
		again, err := p.accounts.SignIn(t.Context(), "ada", password, true, trusted)
		check(t, err)
		p.rule(t, waymark.FactorForAll)
		p.rule(t, waymark.FactorForAll) // no event
		p.wantVisitor(t, "who has set it", entered.Secret, false, nil)
		p.wantVisitor(t, "in a browser that they trust", again, false, nil)
		wantAuditEvents(t, p.store, "user added|ada||", "authenticator app set up|ada||", "user added|ben||",
			"second factor required|ben||off", "browser trusted|ada||", "second factor required|ada||all")
	})
}

// A session with the password alone must not end when its administrator, who has just used a code, sets the
// rule.
func TestConfirmingWithACodeAddsItToTheSession(t *testing.T) {
	eachPhone(t, func(t *testing.T, p *phone) {
		p.addBen(t)
		old := p.password(t, "ben")
		visitor, err := p.accounts.Visitor(t.Context(), old)
		check(t, err)
		secret := auth.NewTOTPSecret()
		if _, err := p.accounts.SetUpApp(t.Context(), accounts.Visitor{User: visitor.User}, secret, codeAt(t, secret, *p.now)); err != nil {
			t.Fatal(err)
		}
		p.wait(time.Minute)
		old, err = p.accounts.Confirm(t.Context(), visitor, accounts.Proof{Code: codeAt(t, secret, *p.now)}, from("192.0.2.1"))
		check(t, err)
		p.rule(t, waymark.FactorForAll)
		p.wantVisitor(t, "confirmed with a code", old, false, nil)
	})
}

func TestRuleAsksForThePasskeyAfterThePassword(t *testing.T) {
	eachDevice(t, func(t *testing.T, d *device) {
		check(t, d.store.Accounts.SetPasswordHash(t.Context(), d.user.ID, quickHash, ""))
		unverified := *d
		unverified.virtual.Options.UserNotVerified = true
		if err := unverified.signIn(t, unverified.answer(t)); err != nil {
			t.Errorf("without a rule: got %v", err)
		}
		check(t, d.accounts.SetFactorRule(t.Context(), d.user, waymark.FactorForAll))
		if err := unverified.signIn(t, unverified.answer(t)); !errors.Is(err, accounts.ErrUnverifiedPasskey) {
			t.Errorf("a passkey that nobody has verified: got %v", err)
		}
		if err := d.signIn(t, d.answer(t)); err != nil {
			t.Errorf("verified: got %v", err)
		}
		_, err := d.accounts.SignIn(t.Context(), "ada", password, false, from("192.0.2.1"))
		step, ok := errors.AsType[*accounts.SecondStep](err)
		if !ok {
			t.Fatalf("the password: got %v, want a second step", err)
		}
		entered, err := d.accounts.FinishSignIn(t.Context(), step.Token, accounts.Proof{Passkey: unverified.answer(t)}, false, from("192.0.2.1"))
		check(t, err)
		sessions, err := d.store.Accounts.Sessions(t.Context(), d.user.ID)
		if err != nil || sessions[0].Passkey != "phone" || sessions[0].Method != waymark.ByPasskey || entered.Secret == "" {
			t.Errorf("got %+v, %v", sessions[0], err)
		}
		passkeys, err := d.store.Accounts.Passkeys(t.Context(), d.user.ID)
		check(t, err)
		if err := d.accounts.RemovePasskey(t.Context(), d.user.ID, passkeys[0].ID); !errors.Is(err, accounts.ErrFactorRequired) {
			t.Errorf("the last factor: got %v", err)
		}
	})
}

func TestRuleIsNotForPeopleKnownElsewhere(t *testing.T) {
	eachDatabase(t, func(t *testing.T, _ *accounts.Accounts, s *store.Store) {
		o := newOffice(t, s, createUsers)
		check(t, s.Accounts.SetFactorRule(t.Context(), waymark.FactorForAll, "ada"))
		if visitor := o.password(); !visitor.LacksFactor {
			t.Error("ada needs no factor with her password")
		}
		if user, err := o.signIn("7", "carol", nil); err != nil || user.Name != "carol" {
			t.Errorf("got %+v, %v", user, err)
		}
		session, err := o.do(waymark.ProviderRequest{Purpose: waymark.ToSignIn}, "", accounts.Visitor{})
		if err != nil || o.visitor(session).LacksFactor {
			t.Errorf("at the provider: got %v, want no other factor", err)
		}
		proxy := accounts.New(s, accounts.Options{SignIn: config.SignIn{AuthHeader: "Remote-User"}})
		if session, err = proxy.SignInByHeader(t.Context(), "ada", from("192.0.2.1")); err != nil {
			t.Fatal(err)
		}
		if o.visitor(session).LacksFactor {
			t.Error("through the proxy, another factor is asked for")
		}
	})
}
