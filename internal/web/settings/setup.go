package settings

import (
	"net/http"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// setupForm is the data of the page on which the first administrator makes an account.
type setupForm struct {
	Name     string
	Problems page.Problems

	ProviderForm providerForm
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
	return r.Render("no-account", r.AbsoluteURL("/setup/…"))
}

// ShowSetup shows the form for the first account.
func ShowSetup(r *page.Request) error {
	if _, err := oneTimeToken(r, waymark.PurposeSetup); err != nil {
		return err
	}
	return r.Render("setup", setupForm{ProviderForm: newProviderForm(r, "/setup/")})
}

// SetUp creates the first account.
func SetUp(r *page.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	form := setupForm{Name: r.Field("name"), ProviderForm: newProviderForm(r, "/setup/")}
	secret, err := r.Accounts.UseSetup(r.Context(), r.PathValue("token"), form.Name, r.Field("password"), clientOf(r))
	if err != nil {
		if form.Problems, err = r.ProblemsOf(err, r.Field); err != nil {
			return err
		}
		return r.RenderStatus(http.StatusUnprocessableEntity, "setup", form)
	}
	if err := startSession(r, secret, true); err != nil {
		return err
	}
	return r.Redirect(r.LinksPath())
}
