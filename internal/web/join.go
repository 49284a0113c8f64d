package web

import (
	"net/http"

	"waymark/internal/waymark"
)

// joinForm is the data of the pages on which an invited person creates an account, and a
// user sets a new password.
type joinForm struct {
	Name     string
	Problems problems
}

// withoutShell implements plain: a person who is signed in may open the link of another.
func (joinForm) withoutShell() bool { return true }

// oneTimeLink returns what the token in the path is for, or waymark.ErrNotFound if that is
// not purpose.
func oneTimeLink(v *visit, purpose waymark.Purpose) (waymark.OneTimeLink, error) {
	link, err := v.Service.OneTimeLink(v.ctx(), v.pathValue("token"))
	if err == nil && link.Purpose != purpose {
		err = waymark.ErrNotFound
	}
	return link, err
}

func showJoin(v *visit) error {
	link, err := oneTimeLink(v, waymark.PurposeInvitation)
	if err != nil {
		return err
	}
	return v.render("join", joinForm{Name: link.Name})
}

func join(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	form := joinForm{Name: v.field("name")}
	secret, err := v.Service.UseInvitation(v.ctx(), v.pathValue("token"), form.Name, v.field("password"), clientOf(v))
	if err != nil {
		if form.Problems, err = accountProblems(v, err); err != nil {
			return err
		}
		return v.renderStatus(http.StatusUnprocessableEntity, "join", form)
	}
	if err := startSession(v, secret, persistentCookieAge); err != nil {
		return err
	}
	return v.redirect("/links")
}

func showNewPassword(v *visit) error {
	link, err := oneTimeLink(v, waymark.PurposePassword)
	if err != nil {
		return err
	}
	return v.render("password", joinForm{Name: link.Name})
}

func setNewPassword(v *visit) error {
	link, err := oneTimeLink(v, waymark.PurposePassword)
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	form := joinForm{Name: link.Name}
	secret, err := v.Service.UsePasswordReset(v.ctx(), v.pathValue("token"), v.field("password"), clientOf(v))
	if err != nil {
		if form.Problems, err = accountProblems(v, err); err != nil {
			return err
		}
		return v.renderStatus(http.StatusUnprocessableEntity, "password", form)
	}
	if err := startSession(v, secret, persistentCookieAge); err != nil {
		return err
	}
	return v.redirect("/links")
}
