package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"waymark/internal/waymark"
)

// appCode returns the code that an authenticator app shows.
func appCode(t *testing.T, secret string, now waymark.Time) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, now.Time())
	check(t, err)
	return code
}

// setUpApp sets up an authenticator app, and returns its secret and the recovery codes.
func (b *browser) setUpApp(c *siteClock) (secret string, codes []string) {
	b.t.Helper()
	form := b.post("/settings/signin/app").wantStatus(http.StatusOK)
	secret = form.attr("[name=secret]", "value")
	p := b.post("/settings/signin/app", "secret", secret, "code", appCode(b.t, secret, c.Now())).wantStatus(http.StatusOK)
	for _, code := range p.Find(".codes code").EachIter() {
		codes = append(codes, code.Text())
	}
	if len(codes) != waymark.RecoveryCodes || p.header.Get("Cache-Control") != "no-store" {
		b.t.Fatalf("got the codes %q with %s, want ten that no cache keeps", codes, p.header.Get("Cache-Control"))
	}
	c.pass(time.Minute)
	return secret, codes
}

// pass moves the clock on.
func (c *siteClock) pass(d time.Duration) { c.now.Store(int64(c.Now().Add(d))) }

func TestAppIsSetUpWithItsFirstCode(t *testing.T) {
	clock := newSiteClock()
	eachSiteAt(t, clock, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		ada.get("/settings/signin").wantStatus(http.StatusOK).wantText(".state", "Your password alone lets you in.")
		form := ada.post("/settings/signin/app").wantStatus(http.StatusOK)
		secret := form.attr("[name=secret]", "value")
		if got := strings.ReplaceAll(form.text(".key code"), " ", ""); got != secret || form.Find("svg.qr path").AttrOr("d", "") == "" {
			t.Errorf("got the key %q for the secret %q", got, secret)
		}
		p := ada.post("/settings/signin/app", "secret", secret, "code", "12345").wantStatus(http.StatusUnprocessableEntity)
		p.wantAttr("[name=secret]", "value", secret)
		p.wantAttr("#code", "aria-invalid", "true")
		ada.post("/settings/signin/app", "secret", "AAAA", "code", "123456").wantStatus(http.StatusBadRequest)
		old, _ := ada.setUpApp(clock)
		p = ada.get("/settings/signin")
		p.wantText(".state", "Two steps are asked when you use your password.")
		p.wantText("#codes .badge", "10 of 10 left")
		p.wantCount(".codes", 0) // otherwise the codes are shown again
		other := ada.post("/settings/signin/app").wantStatus(http.StatusOK).attr("[name=secret]", "value")
		if other == old {
			t.Error("another phone gets the same secret")
		}
		ada.follow(ada.post("/settings/signin/app", "secret", other, "code", appCode(t, other, clock.Now())))
		if factors, err := s.store.Accounts.Factors(t.Context(), ada.user.ID); err != nil || factors.RecoveryCodes != waymark.RecoveryCodes {
			t.Errorf("got %+v, %v, want the codes as before", factors, err)
		}
		ada.follow(ada.post("/settings/signin/app/remove")).wantText(".state", "Your password alone lets you in.")
	})
}

func TestSecondStepOfTheSignIn(t *testing.T) {
	clock := newSiteClock()
	eachSiteAt(t, clock, func(t *testing.T, s *testSite) {
		secret, codes := s.user(t, "ada").setUpApp(clock)
		guest := s.guest(t)
		guest.get("/signin/code?back=%2Flists").wantStatus(http.StatusSeeOther).wantRedirect("/signin?back=%2Flists")
		p := guest.post("/signin", "name", "ada", "password", password, "back", "/lists")
		if want := "/signin/code?back=%2Flists"; p.location != want {
			t.Fatalf("got %s, want %s", p.location, want)
		}
		// The cookie of the step opens nothing else.
		for _, path := range []string{"/links", "/settings", "/settings/signin", "/settings/data/export?format=csv"} {
			if got := guest.get(path).wantStatus(http.StatusSeeOther); !strings.HasPrefix(got.location, "/signin?") {
				t.Errorf("%s: got %s", path, got.location)
			}
		}
		if got := guest.get("/api/v2/links").status; got == http.StatusOK {
			t.Error("the API is open")
		}
		form := guest.follow(p).wantStatus(http.StatusOK)
		if !strings.Contains(form.text("main"), "Signing in as ada") || form.attr("[autocomplete=one-time-code]", "name") != "code" || form.attr("[name=back]", "value") != "/lists" {
			t.Errorf("got %s", form.body)
		}
		p = guest.post("/signin/code", "code", "000 000", "back", "/lists", "trust", "1").wantStatus(http.StatusUnprocessableEntity)
		if p.attr("#code", "aria-invalid") != "true" || p.Find("[name=trust]:checked").Length() != 1 || p.attr("[name=back]", "value") != "/lists" {
			t.Errorf("a wrong code: got %s", p.body)
		}
		code := appCode(t, secret, clock.Now())
		guest.post("/signin/code", "code", code[:3]+" "+code[3:], "back", "/lists").wantRedirect("/lists")
		guest.get("/settings/signin").wantStatus(http.StatusOK).wantText("li:has(.badge) .how", "Password and code")
		if p := s.guest(t).post("/signin", "name", "ada", "password", "wrong horse").wantStatus(http.StatusUnprocessableEntity); p.header.Get("Set-Cookie") != "" {
			t.Error("a wrong password gets a cookie")
		}

		lost := s.guest(t)
		form = lost.follow(lost.post("/signin", "name", "ada", "password", password))
		form = lost.get(form.attr(".other-ways a", "href")).wantStatus(http.StatusOK)
		form.wantCount("[name=recovery]", 1)
		form.wantCount("[name=code]", 0)
		lost.post("/signin/code", "way", "recovery", "recovery", "aaaa").wantStatus(http.StatusUnprocessableEntity)
		p = lost.post("/signin/code", "way", "recovery", "recovery", codes[0])
		if got := lost.get("/links").text(".toast"); p.location != "/" || !strings.HasPrefix(got, "9 recovery codes are left.") {
			t.Errorf("got %s and %q", p.location, got)
		}
	})
}

func TestTrustedBrowserAsksForNoCode(t *testing.T) {
	clock := newSiteClock()
	eachSiteAt(t, clock, func(t *testing.T, s *testSite) {
		secret, _ := s.user(t, "ada").setUpApp(clock)
		b := s.guest(t)
		b.post("/signin", "name", "ada", "password", password)
		b.post("/signin/code", "code", appCode(t, secret, clock.Now()), "trust", "1").wantStatus(http.StatusSeeOther)
		b.post("/signout").wantStatus(http.StatusSeeOther)
		b.post("/signin", "name", "ada", "password", password).wantRedirect("/")
		if got := b.get("/settings/signin").text("#app"); !strings.Contains(got, "1 browser is trusted") {
			t.Errorf("got %q", got)
		}
		b.follow(b.post("/settings/signin/trust/end"))
		b.post("/signout")
		if p := b.post("/signin", "name", "ada", "password", password); !strings.HasPrefix(p.location, "/signin/code") {
			t.Errorf("got %s, want a second step", p.location)
		}
	})
}

func TestPagesAskForACodeBeforeTheyGiveAccess(t *testing.T) {
	clock := newSiteClock()
	eachSiteAt(t, clock, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		secret, codes := ada.setUpApp(clock)
		clock.endConfirmation()
		fields := []string{"name", "phone", "access", "read"}
		ask := ada.post("/settings/api-keys", fields...).wantStatus(http.StatusForbidden)
		if ask.Find("[name=current]").Length() != 0 || ask.attr("[autofocus]", "name") != "current-code" || ask.attr("[name=name]", "value") != "phone" {
			t.Errorf("got %s", ask.body)
		}
		ada.post("/settings/api-keys", append(fields, "current", password)...).wantStatus(http.StatusUnprocessableEntity)
		other := ada.post("/settings/api-keys", append(fields, "current-way", "recovery")...).wantStatus(http.StatusForbidden)
		other.wantCount("[name=current-recovery]", 1)
		other.wantAttr("[name=name]", "value", "phone")
		p := ada.post("/settings/api-keys", append(fields, "current-code", appCode(t, secret, clock.Now()))...).wantStatus(http.StatusOK)
		if p.text(".secret .key code") == "" {
			t.Error("want a key")
		}
		for _, path := range []string{"/settings/signin/app", "/settings/signin/app/remove", "/settings/signin/codes"} {
			clock.endConfirmation()
			ada.post(path).wantStatus(http.StatusForbidden)
		}
		ada.post("/settings/signin/codes", "current-recovery", codes[0]).wantStatus(http.StatusOK)
	})
}
