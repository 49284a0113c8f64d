package web

import (
	"net/http"

	"waymark/internal/service"
)

// profilePage is the data of the page with the user's name and password.
type profilePage struct {
	Name             string // in the form
	Current          string // the user's name
	Since            moment
	NameProblems     problems
	PasswordProblems problems
}

func (v *visit) profilePage() profilePage {
	return profilePage{Name: v.user.Name, Current: v.user.Name, Since: v.moment(v.user.CreatedAt)}
}

func (v *visit) showProfile() error { return v.render("profile", v.profilePage()) }

func (v *visit) saveProfile() error {
	if err := v.parseForm(); err != nil {
		return err
	}
	name := v.field("name")
	if _, err := v.Service.EditUser(v.ctx(), v.user.Name, service.UserEdit{Name: &name}); err != nil {
		page := v.profilePage()
		page.Name = name
		if page.NameProblems, err = v.accountProblems(err); err != nil {
			return err
		}
		return v.renderStatus(http.StatusUnprocessableEntity, "profile", page)
	}
	return v.saved("/settings/profile")
}

func (v *visit) savePassword() error {
	if err := v.parseForm(); err != nil {
		return err
	}
	if err := v.Service.ChangePassword(v.ctx(), v.visitor(), v.field("current"), v.field("password"), v.client()); err != nil {
		page := v.profilePage()
		if page.PasswordProblems, err = v.accountProblems(err); err != nil {
			return err
		}
		return v.renderStatus(http.StatusUnprocessableEntity, "profile", page)
	}
	return v.changed("/settings/profile", toast{Text: v.t("profile.password-saved")})
}
