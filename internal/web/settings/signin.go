package settings

import (
	"errors"
	"net/http"
	"strconv"

	"waymark/internal/accounts"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// ShowStart redirects to the first page of users or of guests, to the sign-in page, or to the page
// about the first account.
func ShowStart(r *page.Request) error {
	if r.SignedIn() {
		return r.Redirect(r.LinksPath())
	}
	some, err := r.Store.Accounts.HasUsers(r.Context())
	switch {
	case err != nil:
		return err
	case !some:
		return r.Redirect("/setup")
	case r.Config.GuestPages:
		return r.Redirect("/guest/links")
	}
	return r.Redirect("/signin")
}

type signInForm struct {
	Name string
	Keep bool
	Back string // the path to go to after the sign-in
	Text string // what went wrong

	Unsaved string // what becomes of a change that was sent without a session, "" if none was

	Provider  string // the name of the provider, "" if there is none
	Problem   string // what went wrong with another way than the password
	Passwords bool   // people can sign in with a password
	Passkeys  bool   // browsers have passkeys for the URL of the server
}

func newSignInForm(r *page.Request) signInForm {
	form := signInForm{
		Keep: true, Back: r.Back(""), Passkeys: hasPasskeys(r),
		Provider: r.Config.SignIn.OIDC.Provider(), Problem: problemText(r, r.Parameters.Get("problem")), Passwords: r.Config.SignIn.Passwords(),
	}
	if key := "signin.unsaved-" + r.Parameters.Get("unsaved"); r.Locale.Has(key) {
		form.Unsaved = r.T(key)
	}
	return form
}

// ShowSignIn shows the form to sign in.
func ShowSignIn(r *page.Request) error {
	if r.SignedIn() {
		return r.Redirect(r.Back("/"))
	}
	some, err := r.Store.Accounts.HasUsers(r.Context())
	if err != nil {
		return err
	}
	if !some {
		return r.Redirect(page.JoinQuery("/setup", page.QueryOf("problem", r.Parameters.Get("problem"))))
	}
	return r.Render("signin", newSignInForm(r))
}

// SignIn signs a user in.
func SignIn(r *page.Request) error {
	form := newSignInForm(r)
	form.Name, form.Keep, form.Problem = r.Field("name"), r.Field("keep") != "", ""
	secret, err := r.Accounts.SignIn(r.Context(), form.Name, r.Field("password"), form.Keep, clientOf(r))
	var attempts *waymark.TooManyAttempts
	var step *accounts.SecondStep
	switch {
	case errors.As(err, &step):
		return askSecondStep(r, step, form.Back)
	case errors.Is(err, waymark.ErrWrongPassword):
		form.Text = r.T("signin.wrong")
		return r.RenderStatus(http.StatusUnprocessableEntity, "signin", form)
	case errors.As(err, &attempts):
		form.Text = tooMany(r, attempts)
		return r.RenderStatus(http.StatusTooManyRequests, "signin", form)
	case err != nil:
		return err
	}
	return enter(r, secret, form.Keep, r.Back("/"))
}

func tooMany(r *page.Request, attempts *waymark.TooManyAttempts) string {
	r.W.Header().Set("Retry-After", strconv.Itoa(attempts.Seconds()))
	return r.T("signin.too-many", "n", attempts.Seconds())
}

// persistentCookieAge is how long browsers keep the cookie of a session at the most, in seconds. The server
// ends the session earlier.
const persistentCookieAge = 400 * 24 * 60 * 60

// deviceCookie is the cookie of a browser in which a user has signed in before.
const deviceCookie = "waymark-device"

// startSession stores the secret of a new session in the browser, and that its user has signed in here. A
// session that is not persistent ends when the browser is closed. The session that the browser had before
// ends.
func startSession(r *page.Request, secret string, persistent bool) error {
	if r.SignedIn() {
		if err := r.Store.Accounts.DeleteSession(r.Context(), r.User.ID, r.Session.ID); err != nil && !errors.Is(err, waymark.ErrNotFound) {
			return err
		}
	}
	device, err := r.Accounts.Device(r.Context(), secret)
	if err != nil {
		return err
	}
	r.SetCookie(deviceCookie, device, persistentCookieAge)
	setSession(r, secret, persistent)
	return nil
}

func setSession(r *page.Request, secret string, persistent bool) {
	maxAge := 0 // until the browser is closed
	if persistent {
		maxAge = persistentCookieAge
	}
	r.SetSession(secret, maxAge)
}

func enter(r *page.Request, secret string, persistent bool, path string) error {
	if err := startSession(r, secret, persistent); err != nil {
		return err
	}
	return r.Redirect(path)
}

func clientOf(r *page.Request) accounts.Client {
	client := r.Client()
	client.Device, client.Trust = r.CookieValue(deviceCookie), r.CookieValue(trustCookie)
	return client
}

// SignOut signs the user out, also at the provider if they have signed in there.
func SignOut(r *page.Request) error {
	if err := r.Store.Accounts.DeleteSession(r.Context(), r.User.ID, r.Session.ID); err != nil {
		return err
	}
	r.ClearSession()
	r.W.Header().Set("Clear-Site-Data", `"cache"`)
	if url := r.Accounts.SignOutURL(r.Context(), r.Session, r.AbsoluteURL("/signin")); url != "" {
		return leave(r, url)
	}
	return r.Redirect("/signin")
}
