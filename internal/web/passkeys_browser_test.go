package web

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"waymark/internal/config"
	"waymark/internal/httpx/browsertest"
	"waymark/internal/store"
	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

// addAuthenticator gives a tab a device that makes passkeys, and on which somebody is who they are.
func addAuthenticator(tab *browsertest.Tab) {
	tab.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		if _, err := cdp.Call(ctx, target, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, target, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}})
		return err
	}))
}

// localhost returns the URL of the site with a name: browsers have no passkeys for an address.
func (s *testSite) localhost() string { return strings.Replace(s.URL, "127.0.0.1", "localhost", 1) }

// pressButton presses a button with the keyboard: on a page that has just arrived, a click can miss a button that
// still moves.
func pressButton(tab *browsertest.Tab, selector string) {
	button := "document.querySelector(" + strconv.Quote(selector) + ")"
	tab.Until(`document.readyState === "complete" && (` + button + `?.focus(), document.activeElement === ` + button + `)`)
	tab.Press(kb.Enter)
}

// formReady says that the form for a passkey is there, and that the script has seen it.
const formReady = `document.readyState === "complete" && document.activeElement.name === "name"`

func TestPasskeyInBrowser(t *testing.T) {
	chromium, s, ada := siteInBrowser(t)
	tab := chromium.Open(t, s.localhost())
	addAuthenticator(tab)
	signInTab(t, tab, "ada")

	tab.Go("/settings/signin")
	tab.Until(`!document.querySelector("#passkeys button").hidden`)
	pressButton(tab, "#passkeys button")
	tab.Until(formReady)
	if got := browsertest.Eval[string](tab, `document.activeElement.value`); !strings.HasPrefix(got, "Chrome") {
		t.Errorf("the name is %q, want that of the device", got)
	}
	tab.Press(kb.Enter)
	tab.UntilText("#passkeys .things", "This device only")
	pressButton(tab, "#passkeys header button") // the device has one already
	tab.Until(formReady)
	tab.Press(kb.Enter)
	tab.UntilText("#passkey-wrong", "This device has a passkey for you already.")

	tab.Go("/settings/signin")
	browsertest.Eval[bool](tab, `(document.querySelector("#account form").submit(), true)`)
	// The device answers as soon as the page asks which passkeys it could fill in.
	tab.UntilPath("/links")
	tab.Go("/settings/signin")
	tab.UntilText("#devices li:has(.badge)", "Passkey")

	passkeys, err := s.store.Accounts.Passkeys(t.Context(), ada.user.ID)
	if err != nil || len(passkeys) != 1 || passkeys[0].LastUsedAt == 0 || passkeys[0].Host != "localhost" {
		t.Errorf("got %+v, %v", passkeys, err)
	}
}

func TestPasskeyIsUsedWithItsButtonInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	clock := newSiteClock()
	s := newTestSite(t, storetest.OpenWith(t, store.Options{Now: clock.Now}), config.Default().API)
	ada := s.user(t, "ada")
	tab := chromium.Open(t, s.localhost())
	addAuthenticator(tab)
	signInTab(t, tab, "ada")
	tab.Go("/settings/signin")
	pressButton(tab, "#passkeys button")
	tab.Until(formReady)
	tab.Press(kb.Enter)
	tab.UntilText("#passkeys .things", "This device only")

	clock.endConfirmation()
	tab.Allow("status of 403")
	tab.Allow("status of 422")
	tab.Go("/settings/signin")
	pressButton(tab, "#app form button")
	tab.UntilText("h1", "Is it you?")
	tab.Until(`document.readyState === "complete" && (document.querySelector("[data-passkey]").focus(), true)`)
	tab.Press(kb.Enter)
	tab.Until(`!!document.querySelector("svg.qr")`)

	passkeys, err := s.store.Accounts.Passkeys(t.Context(), ada.user.ID)
	if err != nil || len(passkeys) != 1 {
		t.Fatalf("got %+v, %v", passkeys, err)
	}
	check(t, s.accounts.RemovePasskey(t.Context(), ada.user.ID, passkeys[0].ID))
	browsertest.Eval[bool](tab, `(document.querySelector("#account form").submit(), true)`)
	tab.UntilText(".note-box.bad", "This passkey is not known here.")
	if browsertest.Eval[bool](tab, `!!document.querySelector("[data-autofill]")`) {
		t.Error("the passkey that was removed answers again and again")
	}
	if path := tab.Path(); path != "/signin/passkey" {
		t.Errorf("got %s", path)
	}
}

func TestRequiredPasskeyInBrowser(t *testing.T) {
	chromium, s, _ := siteInBrowser(t)
	tab := chromium.Open(t, s.localhost())
	c := newPageChecks(t, tab)
	addAuthenticator(tab)
	signInTab(t, tab, "ada")
	s.requireFactor(t)
	tab.Go("/lists")
	tab.Until(`!!document.querySelector("svg.qr") && !document.querySelector("form[data-passkeys]").hidden`)
	c.state("enrol")
	pressButton(tab, "form[data-passkeys] button")
	tab.Until(formReady)
	c.state("enrol-passkey")
	tab.Press(kb.Enter)
	tab.UntilPath("/lists")

	browsertest.Eval[bool](tab, `(document.querySelector("#account form").submit(), true)`)
	tab.UntilPath("/links") // the device has answered
	tab.Go("/settings/signin")
	tab.UntilText("#devices li:has(.badge)", "Passkey “Chrome on")
	tab.UntilText("#passkeys .things", "a second factor is required here")

	stranger := chromium.Open(t, s.URL) // an address without passkeys
	stranger.Go("/signin")
	pressable := `(document.querySelector("#name").value = "ada", document.querySelector("#password").value = ` + strconv.Quote(password) + `, true)`
	browsertest.Eval[bool](stranger, pressable)
	pressButton(stranger, ".main-act")
	stranger.UntilText("main", "Use your passkey.")
	newPageChecks(t, stranger).state("second-step-passkey")
}

func TestPagesOfSigningInAreAccessibleInBrowser(t *testing.T) {
	chromium := browsertest.Start(t)
	clock := newSiteClock()
	s := newSite(t)
	ada := s.user(t, "ada")
	tab := openTab(t, chromium, s.localhost())
	c := newPageChecks(t, tab)
	check(t, s.store.Accounts.AddPasskey(t.Context(), waymark.Passkey{UserID: ada.user.ID, Credential: "1", Name: "YubiKey 5 on the key ring"}, 0))
	tab.Go("/settings/signin")
	c.state("security")
	pressButton(tab, "#app form button")
	tab.Until(`!!document.querySelector("svg.qr")`)
	c.state("security-setup")
	secret := browsertest.Eval[string](tab, `document.querySelector("[name=secret]").value`)
	browsertest.Eval[bool](tab, `document.querySelector("#code").focus() ?? true`)
	tab.Type(appCode(t, secret, clock.Now()))
	pressButton(tab, ".steps .main-act")
	tab.Until(`document.querySelectorAll(".codes li").length === 10`)
	c.state("security-codes")
	browsertest.Eval[bool](tab, `(document.querySelector("#account form").submit(), true)`)
	tab.Until(`document.activeElement.name === "name"`)
	c.state("signin")
	tab.Type("ada")
	browsertest.Eval[bool](tab, `document.querySelector("#password").focus() ?? true`)
	tab.Type(password)
	tab.Press(kb.Enter)
	tab.Until(`document.activeElement.name === "code"`)
	c.state("second-step")
}
