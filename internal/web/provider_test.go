package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"waymark/internal/config"
	"waymark/internal/identity/identitytest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// providerSite is a site below a path, whose people sign in at a provider.
type providerSite struct {
	*testSite
	there *identitytest.Provider
}

const siteBase = "http://links.example.org/below"

// newProviderSite serves a store. edit changes the settings.
func newProviderSite(t *testing.T, db *store.Store, edit func(*config.SignIn)) *providerSite {
	t.Helper()
	there := identitytest.New(t)
	settings := config.Default().API
	check(t, settings.BaseURL.UnmarshalText([]byte(siteBase)))
	settings.SignIn.OIDC = there.Settings()
	if edit != nil {
		edit(&settings.SignIn)
	}
	return &providerSite{newTestSite(t, db, settings), there}
}

// eachProviderSite runs a test on such a site on each database.
func eachProviderSite(t *testing.T, edit func(*config.SignIn), test func(t *testing.T, s *providerSite)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.Store) { test(t, newProviderSite(t, db, edit)) })
}

// callback returns the path with which the provider sends a browser back that was sent to it.
func (s *providerSite) callback(p response) string {
	p.t.Helper()
	location, ok := strings.CutPrefix(p.wantStatus(http.StatusOK).header.Get("Refresh"), "0; url=")
	if link := p.attr("main a", "href"); !ok || link != location {
		p.t.Fatalf("got Refresh %q and a link to %q, want both to the provider", p.header.Get("Refresh"), link)
	}
	path, ok := strings.CutPrefix(s.there.Authorize(location), siteBase)
	if !ok {
		p.t.Fatalf("got a callback to %s, want one below %s", s.there.Authorize(location), siteBase)
	}
	return path
}

// followBelow requests the page to which a response redirects, below the path of the base URL.
func (b *browser) followBelow(p response) response {
	b.t.Helper()
	p.wantStatus(http.StatusSeeOther)
	return b.get(strings.TrimPrefix(p.location, "/below"))
}

func createUsers(s *config.SignIn) { s.NewUsers = config.CreateUsers }

func TestProviderSignsPeopleIn(t *testing.T) {
	eachProviderSite(t, createUsers, func(t *testing.T, s *providerSite) {
		s.user(t, "ada")
		b := s.guest(t)
		page := b.get("/signin?back=/lists")
		page.wantText(".ways button", "Sign in with Company")
		page.wantAttr("form button", "tabindex", "-1")
		callback := s.callback(b.post("/signin/provider", "back", page.attr("[name=back]", "value"), "keep", "1"))
		p := b.get(callback)
		if p.wantStatus(http.StatusSeeOther).location != "/below/lists" {
			t.Errorf("got %s, want the page that was asked for", p.location)
		}
		lists := b.followBelow(p).wantStatus(http.StatusOK)
		if !strings.Contains(lists.body, "ada2") {
			t.Errorf("got %s, want the page of ada2", lists.text("body"))
		}
		b.get("/settings/signin").wantText("#devices .how", "Company")
		b.get(callback).wantRedirect("/below/signin?problem=expired")
		out := b.post("/signout")
		at, err := url.Parse(strings.TrimPrefix(out.header.Get("Refresh"), "0; url="))
		check(t, err)
		query := at.Query()
		if !strings.HasPrefix(at.String(), s.there.URL+"/signout?") || query.Get("post_logout_redirect_uri") != siteBase+"/signin" || strings.Count(query.Get("id_token_hint"), ".") != 2 {
			t.Errorf("sign out: got %s", at)
		}
		b.get("/links").wantStatus(http.StatusSeeOther)
		long := "/" + strings.Repeat("x", 10_000) // guests could fill the disk
		b.get(s.callback(b.post("/signin/provider", "back", long))).wantRedirect("/below/")
	})
}

func TestProblemsAtTheProviderAreExplained(t *testing.T) {
	s := newProviderSite(t, storetest.Open(t), nil)
	ada := s.user(t, "ada")
	b := s.guest(t)
	begin := func() string { return s.callback(b.post("/signin/provider", "back", "https://evil.example/")) }
	says := func(what, path, want string) {
		t.Helper()
		p := b.get(path)
		if strings.Contains(p.location, "evil") || strings.Contains(p.location, "code") {
			t.Errorf("%s: got %s", what, p.location)
		}
		b.followBelow(p).wantText(".note-box.bad", want)
	}
	unknown := "Nobody here is connected to this account at Company. Sign in another way, then connect it under Settings, Sign-in."
	says("unknown", begin(), unknown)
	path, query, _ := strings.Cut(begin(), "?")
	says("refused", path+"?"+query+"&error=access_denied", "Company did not let you in.")
	says("login CSRF", begin()+"x", "This sign-in at Company is too old, or began in another browser. Begin again.")
	stranger := begin()
	b = s.guest(t)
	says("another browser", stranger, "This sign-in at Company is too old, or began in another browser. Begin again.")
	s.there.SetHostile(identitytest.Hostile{Claims: func(claims map[string]any) { claims["aud"] = "x" }})
	says("invalid", begin(), "The answer of Company is not valid. Try again. If it happens again, tell the person who runs this server.")
	b.get("/signin?problem=<b>").wantCount(".note-box", 0) // otherwise got a sentence about no known problem
	if sessions, err := s.store.Accounts.Sessions(t.Context(), ada.user.ID); err != nil || len(sessions) != 1 {
		t.Errorf("got sessions %v, %v, want only that with the password", sessions, err)
	}
}

func TestProviderThatIsDownLocksNobodyOut(t *testing.T) {
	s := newProviderSite(t, storetest.Open(t), nil)
	s.there.SetDown(true)
	setup, err := s.accounts.SetupToken(t.Context())
	check(t, err)
	guest := s.guest(t)
	p := guest.followBelow(guest.followBelow(guest.post("/setup/" + setup + "/provider")))
	p.wantText(".note-box.bad", "Company does not answer. Try again in a moment.") // and where the form with a password is
	s.user(t, "ada")                                                               // signs in with a password
	p = guest.followBelow(guest.post("/signin/provider", "back", "/lists", "keep", "1"))
	if got := p.text(".note-box.bad"); got != "Company does not answer. Try again in a moment." || p.attr("[name=back]", "value") != "/lists" || p.attr("#password", "type") != "password" {
		t.Errorf("got %q, want the form with a sentence", got)
	}
}

func TestAccountIsConnectedInTheSettings(t *testing.T) {
	eachProviderSite(t, nil, func(t *testing.T, s *providerSite) {
		ada := s.user(t, "ada")
		page := ada.get("/settings/signin")
		page.wantText("#accounts button", "Connect with Company")
		done := ada.followBelow(ada.get(s.callback(ada.post("/settings/signin/connect"))))
		if got := done.text("#accounts li"); !strings.HasPrefix(got, "Company ada, connected") || !strings.HasSuffix(got, "Disconnect") {
			t.Errorf("got %q, want the account", got)
		}
		again := ada.followBelow(ada.get(s.callback(ada.post("/settings/signin/connect"))))
		again.wantText(".note-box.bad", "This account at Company is connected to somebody here already.")
		b := s.guest(t)
		b.get(s.callback(b.post("/signin/provider"))).wantRedirect("/below/")
		ada.followBelow(ada.post("/settings/signin/disconnect", "issuer", s.there.URL)).wantCount("#accounts li", 0) // otherwise the account is still connected
	})
}

func TestOnlyWayInStays(t *testing.T) {
	eachProviderSite(t, func(s *config.SignIn) { s.NewUsers, s.PasswordSignIn = config.CreateUsers, "off" }, func(t *testing.T, s *providerSite) {
		if _, err := s.accounts.AddAdmin(t.Context(), "admin", password); err != nil {
			t.Fatal(err)
		}
		b := s.guest(t)
		page := b.get("/signin")
		if page.Find("input[type=password], #name, .or").Length() != 0 || page.Find("main button").Length() != 1 || page.Find("[name=keep]").Length() != 1 {
			t.Errorf("got %s, want one button and no password", page.text("main"))
		}
		b.post("/signin", "name", "admin", "password", password).wantStatus(http.StatusNotFound)
		b.get(s.callback(b.post("/signin/provider"))).wantStatus(http.StatusSeeOther)
		if got := b.get("/settings/signin").text("#accounts li"); !strings.HasSuffix(got, "your only way in") {
			t.Errorf("got %q, want no button", got)
		}
		b.post("/settings/signin/disconnect", "issuer", s.there.URL).wantStatus(http.StatusNotFound)
	})
}

func TestInvitedPersonJoinsThroughTheProvider(t *testing.T) {
	eachProviderSite(t, nil, func(t *testing.T, s *providerSite) {
		setup, err := s.accounts.SetupToken(t.Context())
		check(t, err)
		first := s.guest(t)
		form := first.get("/setup/" + setup)
		first.get(s.callback(first.post(strings.TrimPrefix(form.attr("form.ways", "action"), "/below")))).wantStatus(http.StatusSeeOther)
		ada, err := s.store.Accounts.UserByName(t.Context(), "ada")
		if err != nil || !ada.Admin {
			t.Fatalf("got %+v, %v, want ada, an administrator", ada, err)
		}
		token, _, err := s.accounts.NewInvitation(t.Context(), ada, "", false)
		check(t, err)
		s.there.SetPerson(identitytest.Person{Subject: "2", Username: "ben"})
		ben := s.guest(t)
		form = ben.get("/join/" + token)
		form.wantText("form.ways button", "Continue with Company")
		ben.get(s.callback(ben.post("/join/" + token + "/provider"))).wantStatus(http.StatusSeeOther)
		if user, err := s.store.Accounts.UserByName(t.Context(), "ben"); err != nil || user.Admin {
			t.Errorf("got %+v, %v, want ben", user, err)
		}
		ben.post("/join/" + token + "/provider").wantStatus(http.StatusNotFound)
	})
}

func TestProviderConfirmsWhoAUserIs(t *testing.T) {
	clock := newSiteClock()
	s := newProviderSite(t, storetest.OpenWith(t, store.Options{Now: clock.Now}), createUsers)
	s.user(t, "ada")
	b := s.guest(t)
	b.get(s.callback(b.post("/signin/provider")))
	clock.endConfirmation()
	add := func() response { return b.post("/settings/api-keys", "name", "phone", "access", "full") }
	p := add().wantStatus(http.StatusForbidden)
	p.wantText("main form", "Ask Company again")
	sent := b.post("/settings/signin/confirm", "back", "/settings/api-keys")
	if at := sent.header.Get("Refresh"); !strings.Contains(at, "max_age=60") || !strings.Contains(at, "prompt=login") {
		t.Errorf("got %s, want the provider to ask again", at)
	}
	b.get(s.callback(sent)).wantRedirect("/below/settings/api-keys")
	add().wantStatus(http.StatusOK)
}

func TestProxySignsPeopleIn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.Store) {
		settings := config.Default().API
		settings.SignIn.AuthHeader = "Remote-User"
		check(t, settings.TrustedProxies.UnmarshalText([]byte("127.0.0.1")))
		s := newTestSite(t, db, settings)
		ada, ben := s.user(t, "ada"), s.user(t, "ben")
		b := s.guest(t)
		b.get("/links", "Remote-User", "Ada").wantStatus(http.StatusOK)
		b.get("/links", "Remote-User", "ada").wantStatus(http.StatusOK)
		sessions, err := db.Accounts.Sessions(t.Context(), ada.user.ID)
		if err != nil || len(sessions) != 2 || sessions[0].Method != waymark.ByHeader && sessions[1].Method != waymark.ByHeader {
			t.Errorf("got sessions %+v, %v, want one that the proxy began", sessions, err)
		}
		b.get("/settings/profile", "Remote-User", "ben").wantAttr("#name", "value", "ben")
		ben.post("/settings/profile", "name", "newcomer").wantStatus(http.StatusNotFound) // whom the proxy may name next
		b.get("/links").wantStatus(http.StatusSeeOther)                                   // the proxy no longer names anyone
		for _, header := range map[string][]string{"nobody": {"Remote-User", ""}, "unknown": {"Remote-User", "eve"}} {
			s.guest(t).get("/links", header...).wantStatus(http.StatusSeeOther)
		}
		ben.get("/settings/profile", "Remote-User", "ada").wantAttr("#name", "value", "ada")
		eve := s.user(t, "eve")
		s.requireFactor(t)
		eve.get("/links").wantStatus(http.StatusSeeOther)
		eve.get("/links", "Remote-User", "eve").wantStatus(http.StatusOK)
	})
}

func TestHeaderOfAStrangerIsIgnored(t *testing.T) {
	settings := config.Default().API
	settings.SignIn.AuthHeader = "Remote-User"
	check(t, settings.TrustedProxies.UnmarshalText([]byte("192.0.2.1")))
	s := newTestSite(t, storetest.Open(t), settings)
	ada := s.user(t, "ada")
	s.guest(t).get("/links", "Remote-User", "ada", "X-Forwarded-For", "192.0.2.1").wantStatus(http.StatusSeeOther)
	ada.get("/links", "Remote-User", "eve").wantStatus(http.StatusOK)
}
