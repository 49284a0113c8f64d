package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"waymark/internal/auth"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// requireFactor makes a second factor required of everyone.
func (s *testSite) requireFactor(t *testing.T) {
	t.Helper()
	check(t, s.store.Accounts.SetFactorRule(t.Context(), waymark.FactorForAll, "root"))
}

func TestWithoutTheRequiredFactorThereIsOnlyItsSetUp(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	ada.makeAdmin()
	entities := ada.addPrivateEntities()
	check(t, s.store.Accounts.RemoveFactors(t.Context(), ada.user.ID))
	s.requireFactor(t)
	before := everythingOf(t, s, ada.user)
	for _, r := range routes {
		if r.Access == page.ForNewcomers || r.Access == page.SameForAll || r.Access == page.ForCatalog { // whose key is no session
			continue
		}
		body := ""
		if r.Method == http.MethodPost {
			body = hostileForm(entities)
		}
		p := ada.do(r.Method, entities.path(t, r), body, "Content-Type", formType)
		if p.status != http.StatusSeeOther || !strings.HasPrefix(p.location, page.FactorPath) {
			t.Errorf("%s %s: got %d %s, want the set-up", r.Method, r.Path, p.status, p.location)
		}
	}
	if after := everythingOf(t, s, ada.user); after != before {
		t.Errorf("%s became %s", before, after)
	}
	setUp := ada.get(page.FactorPath).wantStatus(http.StatusOK)
	wrong := ada.post(page.FactorPath, "secret", "AAAA").wantStatus(http.StatusBadRequest)
	if strings.Contains(setUp.body+wrong.body, "alert(1)") {
		t.Error("the set-up shows what the user has")
	}
	ada.post("/signout").wantStatus(http.StatusSeeOther).wantRedirect("/signin")
}

func TestPeopleSetUpTheRequiredFactor(t *testing.T) {
	clock := newSiteClock()
	eachSiteAt(t, clock, func(t *testing.T, s *testSite) {
		ben := s.user(t, "ben")
		token, err := s.accounts.NewFeedToken(t.Context(), ben.user.ID)
		check(t, err)
		ben.get(page.FactorPath + "?back=%2Flists").wantStatus(http.StatusSeeOther).wantRedirect("/lists")
		s.requireFactor(t)
		s.guest(t).get("/links/feed?token=" + token).wantStatus(http.StatusOK)
		moved := ben.get("/lists").wantStatus(http.StatusSeeOther)
		setUp := ben.follow(moved).wantStatus(http.StatusOK)
		secret, back := setUp.attr("[name=secret]", "value"), setUp.attr("[name=back]", "value")
		if back != "/lists" || setUp.Find("form[action='/signout'] button").Length() != 1 || setUp.Find("aside, nav").Length() != 0 {
			t.Errorf("got %s", setUp.body)
		}
		form := []string{"secret", secret, "back", back, "code"}
		if p := ben.post(page.FactorPath, append(form, "12345")...).wantStatus(http.StatusUnprocessableEntity); p.attr("[name=secret]", "value") != secret || p.attr("[name=back]", "value") != back {
			t.Errorf("a wrong code: got %s", p.body)
		}
		ben.get("/links").wantStatus(http.StatusSeeOther)

		// Another person may have come to the browser.
		clock.endConfirmation()
		ask := ben.get(page.FactorPath + "?back=%2Flists").wantStatus(http.StatusForbidden)
		ask.wantCount("form[action='/signout'] button", 1)
		ask.wantCount("main ~ footer a", 0)
		ben.post(page.FactorPath, append(form, appCode(t, secret, clock.Now()))...).wantStatus(http.StatusForbidden)
		ben.confirm(ask, password).wantAttr("[name=back]", "value", back)
		done := ben.post(page.FactorPath, append(form, appCode(t, secret, clock.Now()))...).wantStatus(http.StatusOK)
		if n := done.Find(".codes code").Length(); n != waymark.RecoveryCodes || done.attr("main a", "href") != back || done.header.Get("Cache-Control") != "no-store" {
			t.Errorf("got %d codes: %s", n, done.body)
		}
		ben.get(back).wantStatus(http.StatusOK)
		p := ben.get("/settings/signin").wantStatus(http.StatusOK)
		if got := p.text("#devices li .how"); got != "Password and code" || p.Find("form[action$='/app/remove']").Length() != 0 || !strings.Contains(p.text("#app"), "required here") {
			t.Errorf("got %q and %s", got, p.text("#app"))
		}
		ben.post("/settings/signin/app/remove").wantStatus(http.StatusNotFound)
	})
}

func TestAdministratorsRequireASecondFactor(t *testing.T) {
	clock := newSiteClock()
	eachSiteAt(t, clock, func(t *testing.T, s *testSite) {
		root := s.admin(t, "root")
		ben := s.user(t, "ben")
		const path = "/settings/people/second-factor"
		root.get("/settings/people").wantAttr("[name=rule]:checked", "value", "")
		p := root.post(path, "rule", "all").wantStatus(http.StatusUnprocessableEntity)
		if p.attr("[name=rule]:checked", "value") != "all" || !strings.Contains(p.text("#second-factor .wrong"), "your own second factor") {
			t.Errorf("got %s", p.text("#second-factor"))
		}
		ben.get("/links").wantStatus(http.StatusOK)
		root.setUpApp(clock)
		root.post(path, "rule", "some").wantStatus(http.StatusNotFound)
		ben.post(path, "rule", "all").wantStatus(http.StatusNotFound)
		for rule, want := range map[string]int{"administrators": http.StatusOK, "all": http.StatusSeeOther, "": http.StatusOK} {
			root.follow(root.post(path, "rule", rule)).wantAttr("[name=rule]:checked", "value", rule)
			ben.get("/links").wantStatus(want)
		}
		clock.endConfirmation()
		root.post(path, "rule", "all").wantStatus(http.StatusForbidden)
	})
}

func TestDevicesNamePasskeysAndTrust(t *testing.T) {
	clock := newSiteClock()
	eachSiteAt(t, clock, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		check(t, s.store.Accounts.AddPasskey(t.Context(), waymark.Passkey{UserID: ada.user.ID, Name: "MacBook"}, 0))
		passkeys, err := s.store.Accounts.Passkeys(t.Context(), ada.user.ID)
		check(t, err)
		_, hash := auth.NewToken()
		now := clock.Now()
		session := waymark.Session{
			UserID: ada.user.ID, CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(waymark.TrustLifetime),
			Method: waymark.ByPasskey, PasskeyID: passkeys[0].ID, Browser: "Firefox/140 (Linux)",
		}
		if _, err := s.store.Accounts.CreateSession(t.Context(), session, hash, "", []byte("trust")); err != nil {
			t.Fatal(err)
		}
		line := ada.get("/settings/signin").text("#devices li:has(form)")
		until := ada.get("/settings/signin").text("#devices li:has(form) small")
		if !strings.Contains(line, "Passkey “MacBook”") || !strings.Contains(until, ", trusted until ") {
			t.Errorf("got %q and %q", line, until)
		}
		ada.follow(ada.post(fmt.Sprintf("/settings/signin/passkeys/%d", passkeys[0].ID), "name", "Laptop"))
		ada.post("/settings/signin/trust/end")
		line = ada.get("/settings/signin").text("#devices li:has(form)")
		if !strings.Contains(line, "Passkey “Laptop”") || strings.Contains(line, "trusted") {
			t.Errorf("got %q", line)
		}
	})
}
