package web

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// siteClock is the clock of a site, which only the test moves on.
type siteClock struct{ now atomic.Int64 }

func newSiteClock() *siteClock {
	c := &siteClock{}
	c.now.Store(int64(waymark.FromTime(time.Now())))
	return c
}

func (c *siteClock) Now() waymark.Time { return waymark.Time(c.now.Load()) }

// endConfirmation moves the clock on until users are asked again for their password.
func (c *siteClock) endConfirmation() {
	c.now.Store(int64(c.Now().Add(waymark.ConfirmationLifetime)))
}

// eachSiteAt runs a test on a site with a clock on each database.
func eachSiteAt(t *testing.T, c *siteClock, test func(t *testing.T, s *testSite)) {
	t.Helper()
	storetest.EachWith(t, store.Options{Now: c.Now}, func(t *testing.T, db *store.Store) {
		test(t, newTestSite(t, db, config.Default().API))
	})
}

// confirm sends the form of the page that asks for the password.
func (b *browser) confirm(p response, password string) response {
	b.t.Helper()
	p.wantStatus(http.StatusForbidden)
	form := p.Find("main form")
	fields := []string{"current", password}
	for _, field := range form.Find("input:not([type=password])").EachIter() {
		fields = append(fields, field.AttrOr("name", ""), field.AttrOr("value", ""))
	}
	return b.post(form.AttrOr("action", ""), fields...)
}

func TestPagesAskForThePasswordBeforeTheyGiveAccess(t *testing.T) {
	clock := newSiteClock()
	eachSiteAt(t, clock, func(t *testing.T, s *testSite) {
		ada, ben := s.admin(t, "ada"), s.user(t, "ben")
		clock.endConfirmation()
		person := fmt.Sprintf("/settings/people/%d", ben.user.ID)
		for _, path := range []string{"/settings/profile", "/settings/devices/end-others", "/settings/signin/trust/end", "/settings/api-keys", "/settings/assistants", "/settings/feeds", "/settings/data/export?format=archive",
			"/settings/people/invite", person + "/admin", person + "/password", person + "/remove"} {
			p := ada.post(path, "name", "mei", "access", "full", "admin", "1", "transfer-to", "0", "confirm", "ben").wantStatus(http.StatusForbidden)
			if got := p.attr("main form", "action"); got != path || p.text("main h1") != "Is it you?" || p.attr("[autofocus]", "id") != "current" {
				t.Errorf("%s: got the page %q with a form for %s", path, p.text("main h1"), got)
			}
		}
		ada.get("/settings/data/export?format=archive").wantStatus(http.StatusForbidden)
		if keys, err := s.store.Accounts.APIKeys(t.Context(), ada.user.ID); err != nil || len(keys) != 0 {
			t.Errorf("got keys %v, %v, want none", keys, err)
		}
		if user, err := s.store.Accounts.UserByName(t.Context(), "ben"); err != nil || user.Admin {
			t.Errorf("got %+v, %v, want ben, no administrator", user, err)
		}
		ada.get("/settings/api-keys").wantStatus(http.StatusOK)
	})
}

func TestPasswordContinuesWhatWasAskedFor(t *testing.T) {
	clock := newSiteClock()
	eachSiteAt(t, clock, func(t *testing.T, s *testSite) {
		ada := s.user(t, "ada")
		clock.endConfirmation()
		ask := ada.post("/settings/api-keys", "name", "my <phone>", "access", "read", "days", "30")
		ada.confirm(ask, "wrong horse").wantProblem("current", "not your current password")
		p := ada.confirm(ask, password).wantStatus(http.StatusOK)
		if _, key, err := s.accounts.Authenticate(t.Context(), p.text(".secret .key code")); err != nil || key.Name != "my <phone>" || key.Access != waymark.AccessRead || key.ExpiresAt == 0 {
			t.Errorf("got the key %+v, %v, want what the form said", key, err)
		}
		ada.follow(ada.post("/settings/feeds")).wantStatus(http.StatusOK) // not asked again

		clock.endConfirmation()
		ada.addLink(waymark.LinkInput{URL: "https://go.dev/"})
		p = ada.confirm(ada.get("/settings/data/export?format=csv"), password).wantStatus(http.StatusOK)
		if !strings.Contains(p.body, "https://go.dev/") || !strings.HasPrefix(p.header.Get("Content-Disposition"), "attachment") {
			t.Errorf("got %q with %s, want the file", p.header.Get("Content-Disposition"), p.body)
		}

		clock.endConfirmation()
		ask = ada.post("/settings/feeds")
		for range 5 {
			ada.confirm(ask, "wrong horse").wantStatus(http.StatusUnprocessableEntity)
		}
		ada.confirm(ask, password).wantProblem("current", "Too many attempts")
	})
}

func TestPagesTellThatAUserHasTooManyKeys(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for i := range waymark.MaxAPIKeys {
		if _, _, err := s.accounts.AddAPIKey(t.Context(), "ada", fmt.Sprint("key ", i), waymark.AccessRead, 0); err != nil {
			t.Fatal(err)
		}
	}
	ada.post("/settings/api-keys", "name", "phone", "access", "read").wantProblem("api-keys", "You have 50 API keys")
}

func TestKeysHaveOnlyKnownAccessAndDays(t *testing.T) {
	s := newSite(t)
	ada := s.user(t, "ada")
	for _, wrong := range [][2]string{{"access", "all"}, {"access", ""}, {"days", "-1"}, {"days", "36501"}} {
		fields := map[string]string{"access": "read", "days": "30", wrong[0]: wrong[1]}
		ada.post("/settings/api-keys", "name", "phone", "access", fields["access"], "days", fields["days"]).wantStatus(http.StatusBadRequest)
	}
	keys, err := s.store.Accounts.APIKeys(t.Context(), ada.user.ID)
	if err != nil || len(keys) != 0 {
		t.Errorf("got the keys %v, %v, want none", keys, err)
	}
	ada.post("/settings/api-keys", "name", "phone", "access", "read", "days", "36500").wantStatus(http.StatusOK)
}
