package web

import (
	"errors"
	"net/http"
	"strconv"

	"waymark/internal/accounts"
	"waymark/internal/httpx"
	"waymark/internal/waymark"
)

// showStart redirects to the first page of users or of guests, to the sign-in page, or to the page
// about the first account.
func showStart(v *visit) error {
	if v.signedIn() {
		return v.redirect("/links")
	}
	some, err := v.Store.HasUsers(v.ctx())
	switch {
	case err != nil:
		return err
	case !some:
		return v.redirect("/setup")
	case v.Settings.GuestPages:
		return v.redirect("/guest/links")
	}
	return v.redirect("/signin")
}

// signInForm is the data of the sign-in page.
type signInForm struct {
	Name string
	Keep bool
	Back string // the path to go to after the sign-in
	Text string // what went wrong

	Unsaved string // what becomes of a change that was sent without a session, "" if none was
}

func showSignIn(v *visit) error {
	if v.signedIn() {
		return v.redirect(v.back("/"))
	}
	some, err := v.Store.HasUsers(v.ctx())
	if err != nil {
		return err
	}
	if !some {
		return v.redirect("/setup")
	}
	return v.render("signin", signInForm{Keep: true, Back: v.back(""), Unsaved: unsavedSentence(v)})
}

// unsavedSentence returns the sentence about a change that was sent without a session, "" if none was.
func unsavedSentence(v *visit) string {
	switch v.r.URL.Query().Get("unsaved") {
	case unsavedChange:
		return v.t("signin.unsaved-change")
	case unsavedForm:
		return v.t("signin.unsaved-form")
	case unsavedText:
		return v.t("signin.unsaved-text")
	}
	return ""
}

func signIn(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	form := signInForm{Name: v.field("name"), Keep: v.field("keep") != "", Back: v.back("")}
	secret, err := v.Accounts.SignIn(v.ctx(), form.Name, v.field("password"), form.Keep, clientOf(v))
	var attempts *waymark.TooManyAttempts
	switch {
	case errors.Is(err, waymark.ErrWrongPassword):
		form.Text = v.t("signin.wrong")
		return v.renderStatus(http.StatusUnprocessableEntity, "signin", form)
	case errors.As(err, &attempts):
		form.Text = v.t("signin.too-many", "n", attempts.Seconds())
		v.w.Header().Set("Retry-After", strconv.Itoa(attempts.Seconds()))
		return v.renderStatus(http.StatusTooManyRequests, "signin", form)
	case err != nil:
		return err
	}
	maxAge := 0 // until the browser is closed
	if form.Keep {
		maxAge = persistentCookieAge
	}
	if err := startSession(v, secret, maxAge); err != nil {
		return err
	}
	return v.redirect(v.back("/"))
}

// persistentCookieAge is how long browsers keep the cookie of a session at the most, in seconds. The server
// ends the session earlier.
const persistentCookieAge = 400 * 24 * 60 * 60

// startSession stores the secret of a new session in the browser, for maxAge seconds or until the
// browser is closed, and that its user has signed in here. The session that the browser had before
// ends.
func startSession(v *visit, secret string, maxAge int) error {
	if v.signedIn() {
		if err := v.Store.DeleteSession(v.ctx(), v.user.ID, v.session.ID); err != nil && !errors.Is(err, waymark.ErrNotFound) {
			return err
		}
	}
	device, err := v.Accounts.Device(v.ctx(), secret)
	if err != nil {
		return err
	}
	http.SetCookie(v.w, v.cookie(deviceCookie, device, persistentCookieAge))
	http.SetCookie(v.w, v.cookie(v.sessionCookieName(), secret, maxAge))
	return nil
}

// clientOf describes the browser of the request.
func clientOf(v *visit) accounts.Client {
	client := accounts.Client{Address: httpx.ClientAddress(v.r, v.Settings.TrustedProxies), Browser: v.r.UserAgent()}
	if cookie, err := v.r.Cookie(deviceCookie); err == nil {
		client.Device = cookie.Value
	}
	return client
}

func signOut(v *visit) error {
	if err := v.Store.DeleteSession(v.ctx(), v.user.ID, v.session.ID); err != nil {
		return err
	}
	v.clearSession()
	v.w.Header().Set("Clear-Site-Data", `"cache"`)
	return v.redirect("/signin")
}

// setupForm is the data of the page on which the first administrator makes an account.
type setupForm struct {
	Name     string
	Problems problems
}

// showNoAccount says where to find the address at which the first account is created. Only the
// operator of the server may create it.
func showNoAccount(v *visit) error {
	some, err := v.Store.HasUsers(v.ctx())
	if err != nil {
		return err
	}
	if some {
		return v.redirect("/")
	}
	return v.render("no-account", v.address("/setup/…"))
}

func showSetup(v *visit) error {
	if _, err := oneTimeToken(v, waymark.PurposeSetup); err != nil {
		return err
	}
	return v.render("setup", setupForm{})
}

func setUp(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	form := setupForm{Name: v.field("name")}
	secret, err := v.Accounts.UseSetup(v.ctx(), v.pathValue("token"), form.Name, v.field("password"), clientOf(v))
	if err != nil {
		if form.Problems, err = v.problemsOf(err, v.field); err != nil {
			return err
		}
		return v.renderStatus(http.StatusUnprocessableEntity, "setup", form)
	}
	if err := startSession(v, secret, persistentCookieAge); err != nil {
		return err
	}
	return v.redirect("/links")
}
