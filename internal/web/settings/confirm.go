package settings

import (
	"net/http"
	"strings"

	"waymark/internal/accounts"
	"waymark/internal/httpx"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// confirmPage is the data of the page on which users prove who they are.
type confirmPage struct {
	page.Plain
	waymark.SignInWays
	Name     string
	Passkey  bool              // the user can use a passkey
	Recovery bool              // asks for a recovery code
	Action   string            // the path of the request that waits for it
	Back     string            // the path of the page to go to instead, or "" if people can only sign out
	Fields   map[string]string // of the form that waits
	Problems page.Problems

	Provider     string // at which the user can prove it, "" for none
	ProviderBack string // the path to go to afterwards
}

// Here reports whether the user can prove it without the provider.
func (p confirmPage) Here() bool { return p.Password || p.App() || p.Passkey }

// proofPrefix is how the names of the fields begin with which users prove who they are.
const proofPrefix = "current"

// Confirmed returns a handler for what another person in the user's browser must not do. It calls handle
// if the user has recently proved who they are. Otherwise it shows a form that asks them to, and
// sends it to the same path as handle needs it, with the fields of the request. A page with this handler
// needs a route for POST too. A user who has nothing to prove it with is not asked.
func Confirmed(handle page.Handler) page.Handler {
	return func(r *page.Request) error {
		if r.Accounts.Confirmed(r.Session) {
			return handle(r)
		}
		form, err := newConfirmPage(r)
		if err != nil {
			return err
		}
		if !form.Here() && form.Provider == "" {
			return handle(r)
		}
		proof := proofOf(r)
		status := http.StatusForbidden
		if proof.Sent() && !r.HTTP.PostForm.Has("current-way") {
			secret, err := r.Accounts.Confirm(r.Context(), r.Visitor, proof, clientOf(r))
			if err == nil {
				setSession(r, secret, r.Session.Persistent)
				return handle(r)
			}
			if form.Problems, err = accountProblems(r, err); err != nil {
				return err
			}
			form.Recovery = proof.RecoveryCode != ""
			status = http.StatusUnprocessableEntity
		}
		return r.RenderStatus(status, "confirm", form)
	}
}

// proofOf returns what a user has sent to prove who they are.
func proofOf(r *page.Request) accounts.Proof {
	return accounts.Proof{
		Password: r.Field("current"), Code: r.Field("current-code"), RecoveryCode: r.Field("current-recovery"),
		Passkey: passkeyAnswer(r, "current-passkey"),
	}
}

func newConfirmPage(r *page.Request) (confirmPage, error) {
	ways, err := r.Store.Accounts.SignInWays(r.Context(), r.User.ID)
	form := confirmPage{
		SignInWays: ways, Name: r.User.Name, Fields: map[string]string{}, Action: r.HTTP.URL.RequestURI(), Back: "/settings",
		Recovery: r.Field("current-way") == recoveryWay, Passkey: ways.Passkeys > 0 && hasPasskeys(r),
	}
	if r.LacksFactor {
		form.Back = "" // there is nowhere to go
	} else if r.Accounts.AtProvider(ways) {
		form.Provider, form.ProviderBack = r.Config.SignIn.OIDC.Provider(), r.PageBefore()
	}
	for name := range r.HTTP.PostForm {
		if !strings.HasPrefix(name, proofPrefix) && name != "username" {
			form.Fields[httpx.ReplaceInvalid(name)] = r.Field(name)
		}
	}
	return form, err
}
