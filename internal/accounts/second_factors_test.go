package accounts_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"waymark/internal/accounts"
	"waymark/internal/auth"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// codeAt returns the code that an authenticator app shows.
func codeAt(t *testing.T, secret string, now waymark.Time) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, now.Time())
	check(t, err)
	return code
}

// phone is a user with an authenticator app.
type phone struct {
	accounts *accounts.Accounts
	store    *store.Store
	user     waymark.User
	secret   string
	codes    []string // for recovery
	now      *waymark.Time
}

// eachPhone runs a test on each database with ada, who has an authenticator app, a minute after she has set
// it up.
func eachPhone(t *testing.T, test func(t *testing.T, p *phone)) {
	t.Helper()
	t.Parallel()
	now := waymark.Time(1e15)
	storetest.EachWith(t, store.Options{Now: func() waymark.Time { return now }}, func(t *testing.T, s *store.Store) {
		a := withAda(t, s, accounts.Options{})
		user, err := s.Accounts.UserByName(t.Context(), "ada")
		check(t, err)
		p := &phone{accounts: a, store: s, user: user, secret: auth.NewTOTPSecret(), now: &now}
		if p.codes, err = a.SetUpApp(t.Context(), accounts.Visitor{User: user}, p.secret, p.code(t)); err != nil {
			t.Fatal(err)
		}
		p.wait(time.Minute)
		test(t, p)
	})
}

func (p *phone) code(t *testing.T) string { return codeAt(t, p.secret, *p.now) }

func (p *phone) wait(d time.Duration) { *p.now = p.now.Add(d) }

// step sends the password, and returns the token of the second step.
func (p *phone) step(t *testing.T, client accounts.Client) string {
	t.Helper()
	secret, err := p.accounts.SignIn(t.Context(), "ada", password, true, client)
	step, ok := errors.AsType[*accounts.SecondStep](err)
	if !ok || secret != "" {
		t.Fatalf("got %q, %v, want a second step", secret, err)
	}
	return step.Token
}

func (p *phone) finish(t *testing.T, token string, proof accounts.Proof) error {
	t.Helper()
	_, err := p.accounts.FinishSignIn(t.Context(), token, proof, false, from("192.0.2.1"))
	return err
}

func TestPasswordAloneIsNotEnoughWithAnApp(t *testing.T) {
	eachPhone(t, func(t *testing.T, p *phone) {
		token := p.step(t, from("192.0.2.1"))
		if _, err := p.accounts.Visitor(t.Context(), token); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("the token of the step is a session: %v", err)
		}
		if sessions, err := p.store.Accounts.Sessions(t.Context(), p.user.ID); err != nil || len(sessions) != 0 {
			t.Errorf("got sessions %v, %v before the second step", sessions, err)
		}
		for _, wrong := range []accounts.Proof{{}, {Password: password}, {Code: "000000"}, {RecoveryCode: "aaaa-aaaa-aaaa-aaaa"}} {
			if err := p.finish(t, token, wrong); !errors.Is(err, waymark.ErrWrongCode) {
				t.Errorf("%+v: got %v, want ErrWrongCode", wrong, err)
			}
		}
		entered, err := p.accounts.FinishSignIn(t.Context(), token, accounts.Proof{Code: p.code(t)}, false, from("192.0.2.1"))
		if err != nil || !entered.Keep || entered.Trust != "" || entered.CodesLeft != waymark.RecoveryCodes {
			t.Fatalf("got %+v, %v, want a session", entered, err)
		}
		visitor, err := p.accounts.Visitor(t.Context(), entered.Secret)
		if err != nil || visitor.User.ID != p.user.ID || visitor.Session.Method != waymark.ByPasswordAndCode {
			t.Errorf("got %+v, %v, want ada, who has used a code", visitor, err)
		}
	})
}

func TestCodesAreAcceptedOnce(t *testing.T) {
	eachPhone(t, func(t *testing.T, p *phone) {
		code := p.code(t)
		for i, want := range []error{nil, waymark.ErrWrongCode} {
			if err := p.finish(t, p.step(t, from("192.0.2.1")), accounts.Proof{Code: code}); !errors.Is(err, want) {
				t.Errorf("time %d: got %v, want %v", i, err, want)
			}
		}
		if err := p.finish(t, p.step(t, from("192.0.2.1")), accounts.Proof{Code: codeAt(t, p.secret, p.now.Add(-30*time.Second))}); !errors.Is(err, waymark.ErrWrongCode) {
			t.Errorf("an older code: got %v", err)
		}
		if err := p.finish(t, p.step(t, from("192.0.2.1")), accounts.Proof{Code: codeAt(t, p.secret, p.now.Add(30*time.Second))}); err != nil {
			t.Errorf("the next code: got %v", err)
		}
	})
}

// Each server counts attempts in its own memory, so only the database decides.
func TestTwoServersAcceptOneCodeOnce(t *testing.T) {
	eachPhone(t, func(t *testing.T, p *phone) {
		for _, proof := range []accounts.Proof{{Code: p.code(t)}, {RecoveryCode: p.codes[3]}} {
			token := p.step(t, from("192.0.2.1"))
			var wait sync.WaitGroup
			results := make([]error, 8)
			for i := range results {
				server := accounts.New(p.store, accounts.Options{})
				wait.Go(func() {
					_, results[i] = server.FinishSignIn(t.Context(), token, proof, false, from("192.0.2.1"))
				})
			}
			wait.Wait()
			accepted := 0
			for _, err := range results {
				if err == nil {
					accepted++
				} else if !errors.Is(err, waymark.ErrWrongCode) {
					t.Errorf("%+v: got %v, want ErrWrongCode", proof, err)
				}
			}
			if accepted != 1 {
				t.Errorf("%+v was accepted %d times: %v", proof, accepted, results)
			}
		}
	})
}

func TestSecondStepEnds(t *testing.T) {
	eachPhone(t, func(t *testing.T, p *phone) {
		root := addQuick(t, p.accounts, "root") // ada may then be disabled
		for name, end := range map[string]func() error{
			"time": func() error { p.wait(accounts.SecondStepLifetime); return nil },
			"another password": func() error {
				return p.store.Accounts.SetPasswordHash(t.Context(), p.user.ID, anotherHash, "")
			},
			"disabled": func() error { return p.accounts.SetUserDisabled(t.Context(), "ada", true) },
		} {
			check(t, p.accounts.SetUserDisabled(t.Context(), "ada", false))
			token := p.step(t, from("192.0.2.1"))
			check(t, end())
			if err := p.finish(t, token, accounts.Proof{Code: p.code(t)}); !errors.Is(err, waymark.ErrNotFound) {
				t.Errorf("%s: got %v, want ErrNotFound", name, err)
			}
		}
		check(t, p.accounts.SetUserDisabled(t.Context(), "ada", false))
		reset, _, err := p.accounts.NewPasswordReset(t.Context(), root, p.user.ID)
		check(t, err)
		_, err = p.accounts.UsePasswordReset(t.Context(), reset, "battery staple", false, from("192.0.2.1"))
		if step, ok := errors.AsType[*accounts.SecondStep](err); !ok || p.finish(t, step.Token, accounts.Proof{Code: p.code(t)}) != nil {
			t.Errorf("with the URL for a new password: got %v, want a second step", err)
		}
	})
}

// A right password must not allow more attempts at the code.
func TestCodesCannotBeGuessed(t *testing.T) {
	eachPhone(t, func(t *testing.T, p *phone) {
		var err error
		for i := range 6 {
			err = p.finish(t, p.step(t, from("192.0.2.1")), accounts.Proof{Code: "00000" + string(rune('0'+i))})
		}
		if _, ok := errors.AsType[*waymark.TooManyAttempts](err); !ok {
			t.Errorf("got %v, want TooManyAttempts", err)
		}
		if _, ok := errors.AsType[*waymark.TooManyAttempts](p.finish(t, p.step(t, from("192.0.2.1")), accounts.Proof{Code: p.code(t)})); !ok {
			t.Error("the right code was not throttled")
		}
		p.wait(time.Minute)
		if err := p.finish(t, p.step(t, from("192.0.2.1")), accounts.Proof{Code: p.code(t)}); err != nil {
			t.Errorf("after the pause: got %v", err)
		}
	})
}

func TestTrustedBrowsersAreNotAskedForACode(t *testing.T) {
	eachPhone(t, func(t *testing.T, p *phone) {
		client := from("192.0.2.1")
		trust := func() {
			t.Helper()
			p.wait(time.Minute)
			entered, err := p.accounts.FinishSignIn(t.Context(), p.step(t, from("192.0.2.1")), accounts.Proof{Code: p.code(t)}, true, client)
			check(t, err)
			client.Trust = entered.Trust
			if _, err := p.accounts.SignIn(t.Context(), "ada", password, false, client); err != nil {
				t.Errorf("the trusted browser: got %v", err)
			}
		}
		other := auth.NewTOTPSecret()
		for name, end := range map[string]func() error{
			"time":     func() error { p.wait(waymark.TrustLifetime); return nil },
			"ended":    func() error { return p.store.Accounts.EndTrust(t.Context(), p.user.ID) },
			"password": func() error { return p.store.Accounts.SetPasswordHash(t.Context(), p.user.ID, anotherHash, "") },
			"new phone": func() error {
				_, err := p.accounts.SetUpApp(t.Context(), accounts.Visitor{User: p.user}, other, codeAt(t, other, *p.now))
				p.secret = other
				return err
			},
		} {
			trust()
			check(t, end())
			if _, err := p.accounts.SignIn(t.Context(), "ada", password, false, client); !strings.Contains(err.Error(), "second step") {
				t.Errorf("%s: got %v, want a second step", name, err)
			}
		}
		p.addBen(t)
		ben, err := p.accounts.Visitor(t.Context(), p.password(t, "ben"))
		check(t, err)
		if _, err := p.accounts.SetUpApp(t.Context(), ben, p.secret, p.code(t)); err != nil {
			t.Fatal(err)
		}
		trust()
		if _, err := p.accounts.SignIn(t.Context(), "ben", password, false, client); err == nil {
			t.Error("ben needs no code in a browser that ada trusts")
		}
	})
}

func TestRecoveryCodesAreReplacedTogether(t *testing.T) {
	eachPhone(t, func(t *testing.T, p *phone) {
		if len(p.codes) != waymark.RecoveryCodes || len(slices.Compact(slices.Sorted(slices.Values(p.codes)))) != waymark.RecoveryCodes {
			t.Errorf("got the codes %q", p.codes)
		}
		codes, err := p.accounts.NewRecoveryCodes(t.Context(), p.user.ID)
		check(t, err)
		if err := p.finish(t, p.step(t, from("192.0.2.1")), accounts.Proof{RecoveryCode: p.codes[0]}); !errors.Is(err, waymark.ErrWrongCode) {
			t.Errorf("an old code: got %v", err)
		}
		if err := p.finish(t, p.step(t, from("192.0.2.1")), accounts.Proof{RecoveryCode: strings.ToUpper(codes[0])}); err != nil {
			t.Errorf("a new code: got %v", err)
		}
		check(t, p.accounts.RemoveApp(t.Context(), p.user.ID))
		if factors, err := p.store.Accounts.Factors(t.Context(), p.user.ID); err != nil || factors != (waymark.Factors{Password: true}) {
			t.Errorf("got %+v, %v, want the password alone", factors, err)
		}
		if _, err := p.accounts.NewRecoveryCodes(t.Context(), p.user.ID); !errors.Is(err, waymark.ErrNotFound) {
			t.Errorf("codes without an app: got %v", err)
		}
		if _, err := p.accounts.SignIn(t.Context(), "ada", password, false, from("192.0.2.1")); err != nil {
			t.Errorf("without an app: got %v", err)
		}
	})
}

func TestConfirmingNeedsTheSecondFactor(t *testing.T) {
	eachPhone(t, func(t *testing.T, p *phone) {
		entered, err := p.accounts.FinishSignIn(t.Context(), p.step(t, from("192.0.2.1")), accounts.Proof{Code: p.code(t)}, false, from("192.0.2.1"))
		check(t, err)
		visitor, err := p.accounts.Visitor(t.Context(), entered.Secret)
		check(t, err)
		p.wait(waymark.ConfirmationLifetime)
		for _, test := range []struct {
			proof accounts.Proof
			want  error
		}{
			{accounts.Proof{Password: password}, waymark.ErrWrongCode},
			{accounts.Proof{Code: p.code(t)}, nil},
			{accounts.Proof{Code: p.code(t)}, waymark.ErrWrongCode},
			{accounts.Proof{RecoveryCode: p.codes[0]}, nil},
		} {
			if _, err := p.accounts.Confirm(t.Context(), visitor, test.proof, from("192.0.2.1")); !errors.Is(err, test.want) {
				t.Errorf("%+v: got %v, want %v", test.proof, err, test.want)
			}
		}
	})
}

func TestChangesOfFactorsAreAuditEvents(t *testing.T) {
	eachPhone(t, func(t *testing.T, p *phone) {
		ctx, id := t.Context(), p.user.ID
		_, err := p.accounts.FinishSignIn(ctx, p.step(t, from("192.0.2.1")), accounts.Proof{RecoveryCode: p.codes[0]}, true, from("192.0.2.1"))
		check(t, err)
		if _, err := p.accounts.NewRecoveryCodes(ctx, id); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{p.store.Accounts.EndTrust(ctx, id), p.accounts.RemoveApp(ctx, id), p.store.Accounts.RemoveFactors(ctx, id)} {
			check(t, err)
		}
		wantAuditEvents(t, p.store, "user added|ada||", "authenticator app set up|ada||", "recovery code used|ada||", "browser trusted|ada||",
			"recovery codes made|ada||", "trust in browsers ended|ada||", "authenticator app removed|ada||", "second factors removed|ada||")
	})
}
