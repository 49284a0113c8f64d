package settings

import (
	"errors"
	"net/http"

	"waymark/internal/accounts"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// joinForm is the data of the pages on which an invited person creates an account, and a
// user sets a new password.
type joinForm struct {
	Name     string
	Revoke   bool // whether the box to revoke API keys and feeds is ticked
	Problems page.Problems

	ProviderForm providerForm
	Passwords    bool // people can sign in with a password
}

// WithoutShell returns true: a person who is signed in may open the URL of another.
func (joinForm) WithoutShell() bool { return true }

// oneTimeToken returns what the token in the path is for, or waymark.ErrNotFound if that is
// not purpose.
func oneTimeToken(r *page.Request, purpose waymark.Purpose) (waymark.OneTimeToken, error) {
	found, err := r.Accounts.OneTimeToken(r.Context(), r.PathValue("token"))
	if err == nil && found.Purpose != purpose {
		err = waymark.ErrNotFound
	}
	return found, err
}

// newJoinForm returns the data of the page of an invitation.
func newJoinForm(r *page.Request) joinForm {
	return joinForm{ProviderForm: newProviderForm(r, "/join/"), Passwords: r.Config.SignIn.Passwords()}
}

// ShowJoin shows the form of an invitation.
func ShowJoin(r *page.Request) error {
	found, err := oneTimeToken(r, waymark.PurposeInvitation)
	if err != nil {
		return err
	}
	form := newJoinForm(r)
	form.Name = found.Name
	return r.Render("join", form)
}

// Join creates the account of an invited person.
func Join(r *page.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	form := newJoinForm(r)
	form.Name = r.Field("name")
	secret, err := r.Accounts.UseInvitation(r.Context(), r.PathValue("token"), form.Name, r.Field("password"), clientOf(r))
	if err != nil {
		if form.Problems, err = accountProblems(r, err); err != nil {
			return err
		}
		return r.RenderStatus(http.StatusUnprocessableEntity, "join", form)
	}
	if err := startSession(r, secret, true); err != nil {
		return err
	}
	return r.Redirect(r.LinksPath())
}

// ShowNewPassword shows the form for a new password.
func ShowNewPassword(r *page.Request) error {
	found, err := oneTimeToken(r, waymark.PurposePassword)
	if err != nil {
		return err
	}
	return r.Render("password", joinForm{Name: found.Name, Revoke: true})
}

// SetNewPassword sets the password with a one-time token.
func SetNewPassword(r *page.Request) error {
	found, err := oneTimeToken(r, waymark.PurposePassword)
	if err != nil {
		return err
	}
	if err := r.ParseForm(); err != nil {
		return err
	}
	form := joinForm{Name: found.Name, Revoke: r.Field("revoke") != ""}
	secret, err := r.Accounts.UsePasswordReset(r.Context(), r.PathValue("token"), r.Field("password"), form.Revoke, clientOf(r))
	var step *accounts.SecondStep
	if errors.As(err, &step) { // the password is set
		return askSecondStep(r, step, "")
	}
	if err != nil {
		if form.Problems, err = accountProblems(r, err); err != nil {
			return err
		}
		return r.RenderStatus(http.StatusUnprocessableEntity, "password", form)
	}
	if err := startSession(r, secret, true); err != nil {
		return err
	}
	return r.Redirect(r.LinksPath())
}
