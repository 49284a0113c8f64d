package settings

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"waymark/internal/accounts"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

type profilePage struct {
	Name             string // in the form
	Current          string // the user's name
	NameByProxy      bool   // the name cannot be changed: a proxy signs people in by it
	Since            page.Moment
	NameProblems     page.Problems
	PasswordProblems page.Problems
	Revoke           bool // whether the box to revoke API keys and feeds is ticked
}

func newProfilePage(r *page.Request) profilePage {
	return profilePage{
		Name: r.User.Name, Current: r.User.Name, NameByProxy: r.Config.SignIn.AuthHeader != "", Since: r.Moment(r.User.CreatedAt),
	}
}

// ShowProfile shows the name of the user.
func ShowProfile(r *page.Request) error { return r.Render("profile", newProfilePage(r)) }

// SaveProfile changes the name of the user. If a proxy signs people in by their names, that is forbidden:
// somebody could take the name of a colleague, whom the proxy would then sign in to their account.
func SaveProfile(r *page.Request) error {
	if r.Config.SignIn.AuthHeader != "" {
		return waymark.ErrForbidden // the page has no button for it
	}
	name := r.Field("name")
	if _, err := r.Accounts.EditUser(r.Context(), r.User.Name, accounts.UserEdit{Name: &name}); err != nil {
		p := newProfilePage(r)
		p.Name = name
		return refused(r, "profile", &p, &p.NameProblems, err)
	}
	return saved(r, "/settings/profile")
}

// SavePassword changes the password of the user.
func SavePassword(r *page.Request) error {
	secret, err := r.Accounts.ChangePassword(r.Context(), r.Visitor, r.Field("current"), r.Field("password"), r.Field("revoke") != "", clientOf(r))
	if err != nil {
		p := newProfilePage(r)
		p.Revoke = r.Field("revoke") != ""
		return refused(r, "profile", &p, &p.PasswordProblems, err)
	}
	if err := startSession(r, secret, r.Session.Persistent); err != nil {
		return err
	}
	return r.Changed("/settings/profile", page.Toast{Text: r.T("profile.password-saved")})
}

// dataPage is the data of the page on which users export their data or delete their account.
type dataPage struct {
	Name     string
	Curl     string // the command that exports everything
	Problems page.Problems
}

func newDataPage(r *page.Request) dataPage {
	return dataPage{Name: r.User.Name, Curl: fmt.Sprintf("curl '%s/api/v2/export?format=archive' \\\n  -H 'Authorization: Bearer KEY' -o waymark.ndjson", r.BaseURL())}
}

// ShowData shows the page to export data and to delete the account.
func ShowData(r *page.Request) error { return r.Render("data", newDataPage(r)) }

// DeleteAccount deletes the account of the user, who has typed its name, and all its data.
func DeleteAccount(r *page.Request) error {
	problem := ""
	if waymark.Fold(strings.TrimSpace(r.Field("account"))) != waymark.Fold(r.User.Name) {
		problem = r.T("data.wrong-name", "name", r.User.Name)
	} else if err := r.Accounts.DeleteAccount(r.Context(), r.User.ID); errors.Is(err, waymark.ErrLastAdministrator) {
		problem = r.T("settings.last-administrator")
	} else if err != nil {
		return err
	}
	if problem != "" {
		p := newDataPage(r)
		p.Problems = page.Problems{{Field: "account", Text: problem}}
		return r.RenderStatus(http.StatusUnprocessableEntity, "data", p)
	}
	r.ClearSession()
	r.W.Header().Set("Clear-Site-Data", `"cache"`)
	return r.Changed("/signin", page.Toast{Text: r.T("data.deleted")})
}
