package settings

import (
	"errors"
	"net/http"

	"waymark/internal/accounts"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

const (
	// stepCookie is the cookie of a browser whose sign-in waits for its second step.
	stepCookie = "waymark-step"
	// trustCookie is the cookie of a browser that its user trusts.
	trustCookie = "waymark-trust"
	// recoveryWay is the value of the field or parameter with which people ask to use a recovery code.
	recoveryWay = "recovery"
)

// secondStepPage is the data of the page for the second step of the sign-in.
type secondStepPage struct {
	Name     string // of the user
	Back     string // the path to go to after the sign-in
	App      bool   // the user has an authenticator app; otherwise only a passkey helps
	Trust    bool   // whether the box to trust the browser is ticked
	Recovery bool   // asks for a recovery code
	Passkeys bool   // the user can use a passkey instead
	OtherWay string // the path that asks for a code of the app instead, or for a recovery code
	Text     string // what went wrong
}

// askSecondStep leads to the second step of a sign-in. Until then there is no session.
func askSecondStep(r *page.Request, step *accounts.SecondStep, back string) error {
	r.SetCookie(stepCookie, step.Token, int(accounts.SecondStepLifetime.Seconds()))
	return r.Redirect(page.JoinQuery("/signin/code", page.QueryOf("back", back)))
}

// newSecondStepPage returns the page, or waymark.ErrNotFound if no sign-in waits for its second step.
func newSecondStepPage(r *page.Request) (secondStepPage, error) {
	user, err := r.Accounts.SignInUser(r.Context(), r.CookieValue(stepCookie))
	if err != nil {
		return secondStepPage{}, err
	}
	factors, err := r.Store.Accounts.Factors(r.Context(), user.ID)
	p := secondStepPage{Name: user.Name, App: factors.App(), Back: r.Back(""), Trust: r.Field("trust") != ""}
	p.Recovery = p.App && r.FieldOrParameter("way") == recoveryWay
	other := recoveryWay
	if p.Recovery {
		other = ""
	}
	p.Passkeys = factors.Passkeys > 0 && hasPasskeys(r)
	p.OtherWay = page.JoinQuery("/signin/code", page.QueryOf("way", other, "back", p.Back))
	return p, err
}

// signInAgain leads to the sign-in page when the second step comes too late, which err says. It returns err if that is
// another error.
func signInAgain(r *page.Request, err error) error {
	if !errors.Is(err, waymark.ErrNotFound) {
		return err
	}
	r.SetCookie(stepCookie, "", -1)
	return r.Redirect(page.JoinQuery("/signin", page.QueryOf("back", r.Back(""))))
}

// ShowSecondStep asks for the second step of the sign-in.
func ShowSecondStep(r *page.Request) error {
	if r.SignedIn() {
		return r.Redirect(r.Back("/"))
	}
	p, err := newSecondStepPage(r)
	if err != nil {
		return signInAgain(r, err)
	}
	return r.Render("second-step", p)
}

// FinishSignIn is the second step of the sign-in.
func FinishSignIn(r *page.Request) error {
	p, err := newSecondStepPage(r)
	if err != nil {
		return signInAgain(r, err)
	}
	proof := accounts.Proof{Code: r.Field("code"), RecoveryCode: r.Field("recovery"), Passkey: passkeyAnswer(r, "passkey")}
	entered, err := r.Accounts.FinishSignIn(r.Context(), r.CookieValue(stepCookie), proof, p.Trust, clientOf(r))
	var attempts *waymark.TooManyAttempts
	switch {
	case errors.Is(err, waymark.ErrWrongCode):
		p.Text = wrongProof(r, proof)
		return r.RenderStatus(http.StatusUnprocessableEntity, "second-step", p)
	case errors.As(err, &attempts):
		p.Text = tooMany(r, attempts)
		return r.RenderStatus(http.StatusTooManyRequests, "second-step", p)
	case err != nil:
		return signInAgain(r, err)
	}
	r.SetCookie(stepCookie, "", -1)
	if entered.Trust != "" {
		r.SetCookie(trustCookie, entered.Trust, int(waymark.TrustLifetime.Seconds()))
	}
	if p.Recovery || entered.CodesLeft <= waymark.FewRecoveryCodes {
		if err := startSession(r, entered.Secret, entered.Keep); err != nil {
			return err
		}
		return r.Changed(r.Back("/"), page.Toast{Text: r.T("second-step.codes-left", "n", entered.CodesLeft)})
	}
	return enter(r, entered.Secret, entered.Keep, r.Back("/"))
}

func wrongProof(r *page.Request, proof accounts.Proof) string {
	switch {
	case proof.Passkey.Response != "":
		return r.T("passkeys.unknown")
	case proof.RecoveryCode != "":
		return r.T("second-step.wrong-recovery")
	}
	return r.T("second-step.wrong")
}
