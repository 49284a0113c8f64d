package web

import (
	"net/http"

	"waymark/internal/accounts"
)

// profilePage is the data of the page with the user's name and password.
type profilePage struct {
	Name             string // in the form
	Current          string // the user's name
	Since            moment
	NameProblems     problems
	PasswordProblems problems
}

func newProfilePage(v *visit) profilePage {
	return profilePage{Name: v.user.Name, Current: v.user.Name, Since: v.moment(v.user.CreatedAt)}
}

func showProfile(v *visit) error { return v.render("profile", newProfilePage(v)) }

func saveProfile(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	name := v.field("name")
	if _, err := v.Accounts.EditUser(v.ctx(), v.user.Name, accounts.UserEdit{Name: &name}); err != nil {
		page := newProfilePage(v)
		page.Name = name
		if page.NameProblems, err = accountProblems(v, err); err != nil {
			return err
		}
		return v.renderStatus(http.StatusUnprocessableEntity, "profile", page)
	}
	return saved(v, "/settings/profile")
}

func savePassword(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	if err := v.Accounts.ChangePassword(v.ctx(), visitorOf(v), v.field("current"), v.field("password"), clientOf(v)); err != nil {
		page := newProfilePage(v)
		if page.PasswordProblems, err = accountProblems(v, err); err != nil {
			return err
		}
		return v.renderStatus(http.StatusUnprocessableEntity, "profile", page)
	}
	return v.changed("/settings/profile", toast{Text: v.t("profile.password-saved")})
}
