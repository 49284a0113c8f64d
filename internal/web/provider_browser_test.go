package web

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"waymark/internal/config"
	"waymark/internal/httpx/browsertest"
	"waymark/internal/identity/identitytest"
	"waymark/internal/store/storetest"
)

// openAtProvider opens a site whose people sign in at a provider, in a browser.
func openAtProvider(t *testing.T) (*browsertest.Tab, *identitytest.Provider) {
	t.Helper()
	chromium := browsertest.Start(t)
	there := identitytest.New(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	settings := config.Default().API
	check(t, settings.BaseURL.UnmarshalText([]byte("http://"+listener.Addr().String())))
	settings.SignIn.OIDC, settings.SignIn.NewUsers = there.Settings(), config.CreateUsers
	s := newTestSite(t, storetest.Open(t), settings)
	s.admin(t, "ada")
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: s.site}}
	server.Start()
	t.Cleanup(server.Close)
	tab := chromium.Open(t, server.URL)
	tab.Allow("request to another host: " + there.URL)
	return tab, there
}

// A browser refuses a redirect that the policy of a form does not allow, which no other client does.
func TestSignInAndOutAtTheProviderInBrowser(t *testing.T) {
	tab, there := openAtProvider(t)
	tab.Go("/signin?back=/lists")
	pressButton(tab, ".ways button")
	tab.UntilPath("/lists")
	tab.Go("/settings/signin")
	tab.UntilText("#accounts", "your only way in")
	browsertest.Eval[bool](tab, `document.querySelector("form[action$='/signout']").requestSubmit() === undefined`)
	tab.UntilPath("/signin")
	if n := there.Calls("/signout"); n != 1 {
		t.Errorf("the browser came to the provider %d times to sign out, want once", n)
	}
}

func TestPagesWithAProviderAreAccessibleInBrowser(t *testing.T) {
	tab, _ := openAtProvider(t)
	c := newPageChecks(t, tab)
	tab.Resize(390, 900)
	tab.Go("/signin?back=/lists&problem=unknown")
	c.now("sign-in with a provider", allRules)
	pressButton(tab, ".ways button")
	tab.UntilPath("/lists")
	tab.Resize(1280, 900)
	tab.Go("/settings/signin")
	c.now("a connected account", allRules)
}
