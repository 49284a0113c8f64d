package settings

import (
	"errors"
	"slices"

	"waymark/internal/accounts"
	"waymark/internal/config"
	"waymark/internal/identity"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// providerCookie is the cookie of a browser whose user is at the provider.
const providerCookie = "waymark-provider"

type leavePage struct {
	page.Plain
	Provider string // its name
	URL      string
}

// leave sends the browser to the provider. A redirect would end at this site's Content-Security-Policy,
// which applies to everything that a form leads to, and the provider may redirect further.
func leave(r *page.Request, url string) error {
	r.W.Header().Set("Refresh", "0; url="+url)
	r.W.Header().Set("Cache-Control", "no-store")
	return r.Render("leave", leavePage{Provider: r.Config.SignIn.OIDC.Provider(), URL: url})
}

// goToProvider begins a request to the provider. A provider that does not answer leads to failed, a path, which then
// shows a sentence about it.
func goToProvider(r *page.Request, request waymark.ProviderRequest, invitation, failed string) error {
	request.UserID = r.User.ID
	url, secret, err := r.Accounts.BeginProvider(r.Context(), request, invitation)
	if problem := providerProblem(err); problem != "" {
		return r.Redirect(page.JoinQuery(failed, page.QueryOf("problem", problem)))
	}
	if err != nil {
		return err
	}
	r.SetCookie(providerCookie, secret, int(waymark.ProviderRequestLifetime.Seconds()))
	return leave(r, url)
}

// BeginSignIn sends a person to the provider, to sign in there.
func BeginSignIn(r *page.Request) error {
	request := waymark.ProviderRequest{Purpose: waymark.ToSignIn, Persistent: r.Field("keep") != "", Back: r.Back("/")}
	return goToProvider(r, request, "", page.JoinQuery("/signin", page.QueryOf("back", request.Back)))
}

// BeginJoin sends a person with an invitation, or the first one, to the provider.
func BeginJoin(r *page.Request) error {
	request := waymark.ProviderRequest{Purpose: waymark.ToJoin, Persistent: true, Back: "/"}
	return goToProvider(r, request, r.PathValue("token"), "/signin")
}

// BeginConnect sends a user to the provider, to connect their account there.
func BeginConnect(r *page.Request) error {
	return goToProvider(r, waymark.ProviderRequest{Purpose: waymark.ToConnect}, "", securityPath)
}

// BeginConfirm sends a user to the provider, to prove who they are.
func BeginConfirm(r *page.Request) error {
	return goToProvider(r, waymark.ProviderRequest{Purpose: waymark.ToConfirm, Back: r.Back(securityPath)}, "", securityPath)
}

// providerForm is the data of the form with which a person joins through the provider.
type providerForm struct {
	Name      string // of the provider, "" if there is none
	Path      string // of the form
	Passwords bool   // a form for a password follows
}

// newProviderForm returns the form for the one-time token in the path of the request.
func newProviderForm(r *page.Request, purpose waymark.Purpose) providerForm {
	form := providerForm{r.Config.SignIn.OIDC.Provider(), r.HTTP.URL.EscapedPath() + "/provider", r.Config.SignIn.Passwords()}
	if purpose == waymark.PurposeSetup {
		form.Passwords = true // for when the provider does not answer
	} else if r.Config.SignIn.NewUsers == config.NoUsers {
		form.Name = ""
	}
	return form
}

// FinishProvider takes what a browser brings back from the provider. It is a GET that changes something: the
// secret in the browser's cookie, and the state, say that the browser has asked for it. The redirect removes
// the code from its history.
func FinishProvider(r *page.Request) error {
	secret := r.CookieValue(providerCookie)
	r.SetCookie(providerCookie, "", -1)
	parameter := r.Parameters.Get
	request, session, err := r.Accounts.FinishProvider(r.Context(), secret, accounts.ProviderResponse{
		Response: identity.Response{Code: parameter("code"), Issuer: parameter("iss")},
		State:    parameter("state"), Error: parameter("error"),
	}, r.Visitor, clientOf(r))
	inSettings := request.Purpose == waymark.ToConnect || request.Purpose == waymark.ToConfirm
	if problem := providerProblem(err); problem != "" {
		path := "/signin"
		if inSettings {
			path = securityPath
		}
		return r.Redirect(page.JoinQuery(path, page.QueryOf("problem", problem, "back", request.Back)))
	}
	switch {
	case err != nil:
		return err
	case request.Purpose == waymark.ToConnect:
		return r.Changed(securityPath+"#accounts", page.Toast{Text: r.T("provider.connected", "name", r.Config.SignIn.OIDC.Provider())})
	case inSettings:
		setSession(r, session, r.Session.Persistent)
		return r.Redirect(request.Back)
	}
	return enter(r, session, request.Persistent, request.Back)
}

// problems are what can go wrong at the provider, and how the keys of their sentences end.
var problems = []struct {
	err error
	key string
}{
	{accounts.ErrRefused, "refused"},
	{accounts.ErrNoIdentity, "unknown"},
	{accounts.ErrIdentityTaken, "taken"},
	{accounts.ErrOtherIdentity, "other"},
	{accounts.ErrExpired, "expired"},
	{identity.ErrNoAnswer, "no-answer"},
	{identity.ErrInvalid, "invalid"},
}

// providerProblem returns the end of the key of the sentence about an error, or "" if it is another one.
func providerProblem(err error) string {
	for _, p := range problems {
		if errors.Is(err, p.err) {
			return p.key
		}
	}
	return ""
}

// problemText returns the sentence whose key ends so, or "" if there is none.
func problemText(r *page.Request, key string) string {
	text := "provider.problem-" + key
	if !r.Locale.Has(text) {
		return ""
	}
	return r.T(text, "name", r.Config.SignIn.OIDC.Provider())
}

// connections is the data of the part of the settings about accounts at providers.
type connections struct {
	Provider string // the name of the provider, "" if there is none
	Problem  string // what went wrong there
	Accounts []connection
	Connect  bool // the user has no account at the provider
}

type connection struct {
	Issuer  string
	Name    string // of the provider
	Account string // what the provider calls the person
	Since   page.Moment
	OnlyWay bool // the user could not sign in without it
}

// connectionsOf returns the user's accounts at providers.
func connectionsOf(r *page.Request) (connections, error) {
	provider := r.Config.SignIn.OIDC
	c := connections{Provider: provider.Provider(), Problem: problemText(r, r.Parameters.Get("problem")), Connect: provider.On()}
	identities, err := r.Store.Accounts.Identities(r.Context(), r.User.ID)
	if err != nil {
		return c, err
	}
	ways, err := r.Store.Accounts.SignInWays(r.Context(), r.User.ID)
	if err != nil {
		return c, err
	}
	for _, i := range identities {
		name, left := i.Issuer, ways
		if i.Issuer == string(provider.Issuer) {
			name, c.Connect = provider.Provider(), false
		}
		left.Issuers = slices.DeleteFunc(slices.Clone(ways.Issuers), func(issuer string) bool { return issuer == i.Issuer })
		c.Accounts = append(c.Accounts, connection{i.Issuer, name, i.Name, r.Moment(i.CreatedAt), !r.Accounts.CanSignIn(left)})
	}
	return c, nil
}

// Disconnect removes an account of the user at a provider.
func Disconnect(r *page.Request) error {
	if err := r.Accounts.Disconnect(r.Context(), r.User.ID, r.Field("issuer")); err != nil {
		return noButton(err)
	}
	return r.Changed(securityPath+"#accounts", page.Toast{Text: r.T("provider.disconnected")})
}
