package settings

import (
	"errors"

	"waymark/internal/accounts"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// joinForm is the data of the pages on which the first administrator and invited people create their accounts, and a
// user sets a new password. It has no sidebar: a person who is signed in may open the URL of another.
type joinForm struct {
	page.Plain
	Name     string
	Revoke   bool // whether the box to revoke API keys and feeds is ticked
	Problems page.Problems

	ProviderForm providerForm
	Passwords    bool // people can sign in with a password
}

// oneTimeToken returns what the token in the path is for, or waymark.ErrNotFound if that is
// not purpose.
func oneTimeToken(r *page.Request, purpose waymark.Purpose) (waymark.OneTimeToken, error) {
	found, err := r.Accounts.OneTimeToken(r.Context(), r.PathValue("token"))
	if err == nil && found.Purpose != purpose {
		err = waymark.ErrNotFound
	}
	return found, err
}

func newJoinForm(r *page.Request, purpose waymark.Purpose, name string) *joinForm {
	return &joinForm{Name: name, ProviderForm: newProviderForm(r, purpose), Passwords: r.Config.SignIn.Passwords()}
}

// noAccountPage is the data of the page about the first account.
type noAccountPage struct {
	URL     string // at which it is created, without the token
	Problem string // what went wrong at the provider
}

// ShowNoAccount says where to find the URL at which the first account is created. Only the
// operator of the server may create it.
func ShowNoAccount(r *page.Request) error {
	some, err := r.Store.Accounts.HasUsers(r.Context())
	if err != nil {
		return err
	}
	if some {
		return r.Redirect("/")
	}
	return r.Render("no-account", noAccountPage{r.AbsoluteURL("/setup/…"), problemText(r, r.Parameters.Get("problem"))})
}

// ShowSetup shows the form for the first account.
func ShowSetup(r *page.Request) error {
	if _, err := oneTimeToken(r, waymark.PurposeSetup); err != nil {
		return err
	}
	return r.Render("setup", newJoinForm(r, waymark.PurposeSetup, ""))
}

// SetUp creates the first account.
func SetUp(r *page.Request) error {
	form := newJoinForm(r, waymark.PurposeSetup, r.Field("name"))
	secret, err := r.Accounts.UseSetup(r.Context(), r.PathValue("token"), form.Name, r.Field("password"), clientOf(r))
	if err != nil {
		return refused(r, "setup", form, &form.Problems, err)
	}
	return enter(r, secret, true, r.LinksPath())
}

// ShowJoin shows the form of an invitation.
func ShowJoin(r *page.Request) error {
	found, err := oneTimeToken(r, waymark.PurposeInvitation)
	if err != nil {
		return err
	}
	return r.Render("join", newJoinForm(r, waymark.PurposeInvitation, found.Name))
}

// JoinWithPassword creates the account of an invited person. BeginJoin is for the provider.
func JoinWithPassword(r *page.Request) error {
	form := newJoinForm(r, waymark.PurposeInvitation, r.Field("name"))
	secret, err := r.Accounts.UseInvitation(r.Context(), r.PathValue("token"), form.Name, r.Field("password"), clientOf(r))
	if err != nil {
		return refused(r, "join", form, &form.Problems, err)
	}
	return enter(r, secret, true, r.LinksPath())
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
	form := &joinForm{Name: found.Name, Revoke: r.Field("revoke") != ""}
	secret, err := r.Accounts.UsePasswordReset(r.Context(), r.PathValue("token"), r.Field("password"), form.Revoke, clientOf(r))
	var step *accounts.SecondStep
	if errors.As(err, &step) { // the password is set
		return askSecondStep(r, step, "")
	}
	if err != nil {
		return refused(r, "password", form, &form.Problems, err)
	}
	return enter(r, secret, true, r.LinksPath())
}
