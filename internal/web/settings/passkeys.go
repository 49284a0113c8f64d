package settings

import (
	"errors"
	"net/http"
	"strconv"

	"waymark/internal/accounts"
	"waymark/internal/auth"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// challengeCookie is the cookie of a browser that was asked for a passkey.
const challengeCookie = "waymark-challenge"

type passkeyView struct {
	waymark.Passkey
	Made   page.Moment
	Used   *page.Moment // nil for never
	Rename bool         // the form to rename it is open
	Keep   string       // why it cannot be removed, or ""
}

type newPasskeyForm struct {
	Options string // for the browser, JSON
	Name    string
	Text    string // what went wrong
}

// hasPasskeys reports whether browsers have passkeys for the URL of the server.
func hasPasskeys(r *page.Request) bool {
	_, ok := auth.NewPasskeySite(r.BaseURL())
	return ok
}

// AskPasskey asks the browser for any passkey. A script requests it.
func AskPasskey(r *page.Request) error {
	site, ok := auth.NewPasskeySite(r.BaseURL())
	if !ok {
		return waymark.ErrNotFound
	}
	options, token, err := r.Accounts.AskPasskey(r.Context(), site)
	if err != nil {
		return err
	}
	setChallenge(r, token)
	r.W.Header().Set("Cache-Control", "no-store")
	r.Send(http.StatusOK, "application/json", options)
	return nil
}

func setChallenge(r *page.Request, token string) {
	r.SetCookie(challengeCookie, token, int(waymark.ChallengeLifetime.Seconds()))
}

// passkeyAnswer returns the answer in a field of the form, with an empty Response if there is none.
func passkeyAnswer(r *page.Request, field string) accounts.PasskeyAnswer {
	site, ok := auth.NewPasskeySite(r.BaseURL())
	if !ok {
		return accounts.PasskeyAnswer{}
	}
	return accounts.PasskeyAnswer{Site: site, Token: r.CookieValue(challengeCookie), Response: r.Field(field)}
}

// SignInWithPasskey signs in the user of a passkey.
func SignInWithPasskey(r *page.Request) error {
	answer := passkeyAnswer(r, "passkey")
	if answer.Response == "" {
		return r.Redirect("/signin")
	}
	form := newSignInForm(r)
	form.Keep = r.Field("keep") != ""
	secret, err := r.Accounts.SignInWithPasskey(r.Context(), answer, form.Keep, clientOf(r))
	r.SetCookie(challengeCookie, "", -1)
	var step *accounts.SecondStep
	switch {
	case errors.As(err, &step):
		return askSecondStep(r, step, form.Back)
	case errors.Is(err, waymark.ErrUnknownPasskey), errors.Is(err, waymark.ErrNotFound), errors.Is(err, accounts.ErrUnverifiedPasskey):
		form.Problem = passkeyProblem(r, err)
		return r.RenderStatus(http.StatusUnprocessableEntity, "signin", form)
	case err != nil:
		return err
	}
	return enter(r, secret, form.Keep, r.Back("/"))
}

// passkeyProblem says what is wrong with the answer of a passkey.
func passkeyProblem(r *page.Request, err error) string {
	switch {
	case errors.Is(err, waymark.ErrNotFound):
		return r.T("passkeys.too-late")
	case errors.Is(err, accounts.ErrUnverifiedPasskey):
		return r.T("passkeys.unverified")
	}
	return r.T("passkeys.unknown")
}

func passkeysOf(r *page.Request) ([]passkeyView, error) {
	passkeys, err := r.Store.Accounts.Passkeys(r.Context(), r.User.ID)
	if err != nil || len(passkeys) == 0 {
		return nil, err
	}
	left, err := r.Store.Accounts.SignInWays(r.Context(), r.User.ID)
	left.Passkeys--
	keep := keepFactor(r, left.Factors)
	if !r.Accounts.CanSignIn(left) {
		keep = r.T("passkeys.only-way")
	}
	rename, _ := strconv.ParseInt(r.Parameters.Get("rename"), 10, 64) // 0 for none
	views := make([]passkeyView, len(passkeys))
	for i, p := range passkeys {
		views[i] = passkeyView{p, r.Moment(p.CreatedAt), r.MomentOrNever(p.LastUsedAt), int64(p.ID) == rename, keep}
	}
	return views, err
}

// AddPasskey shows the form with which the browser makes a passkey, and adds the passkey when the form comes
// with it.
func AddPasskey(r *page.Request) error {
	form, status, err := addPasskey(r)
	if err != nil {
		return err
	}
	if form == nil {
		return passkeyAdded(r, securityPath)
	}
	return renderAgain(r, status, "security", newSecurityPage, func(p *securityPage) { p.NewPasskey = form })
}

func passkeyAdded(r *page.Request, path string) error {
	return r.Changed(path, page.Toast{Text: r.T("passkeys.added", "name", r.Field("name"))})
}

// addPasskey adds a passkey if the request has one. Otherwise it returns the form for it, and the status of
// its page.
func addPasskey(r *page.Request) (form *newPasskeyForm, status int, err error) {
	answer := passkeyAnswer(r, "passkey")
	if answer.Response == "" {
		form, err = newPasskey(r, browserName(r, r.HTTP.UserAgent()), "")
		return form, http.StatusOK, err
	}
	name := r.Field("name")
	err = r.Accounts.AddPasskey(r.Context(), r.Visitor, answer, name)
	problems, unexpected := r.ProblemsOf(err)
	var text string
	switch {
	case err == nil:
		return nil, 0, nil
	case errors.Is(err, waymark.ErrConflict):
		text = r.T("passkeys.known")
	case errors.Is(err, waymark.ErrUnknownPasskey), errors.Is(err, waymark.ErrNotFound):
		text = r.T("passkeys.not-added")
	case len(problems) > 0:
		text = problems[0].Text
	default:
		return nil, 0, unexpected
	}
	form, err = newPasskey(r, name, text)
	return form, http.StatusUnprocessableEntity, err
}

func newPasskey(r *page.Request, name, text string) (*newPasskeyForm, error) {
	site, ok := auth.NewPasskeySite(r.BaseURL())
	if !ok {
		return nil, waymark.ErrNotFound // the page has no button for it
	}
	options, token, err := r.Accounts.AskNewPasskey(r.Context(), r.User, site)
	if err != nil {
		return nil, err
	}
	setChallenge(r, token)
	r.W.Header().Set("Cache-Control", "no-store")
	return &newPasskeyForm{Options: string(options), Name: name, Text: text}, nil
}

// RenamePasskey changes the name of a passkey.
func RenamePasskey(r *page.Request, id waymark.PasskeyID) error {
	err := r.Accounts.RenamePasskey(r.Context(), r.User.ID, id, r.Field("name"))
	if err != nil {
		return r.NotChanged(securityPath, err)
	}
	return saved(r, securityPath)
}

// RemovePasskey removes a passkey.
func RemovePasskey(r *page.Request, id waymark.PasskeyID) error {
	if err := r.Accounts.RemovePasskey(r.Context(), r.User.ID, id); err != nil {
		return noButton(err)
	}
	return r.Changed(securityPath, page.Toast{Text: r.T("passkeys.removed")})
}
