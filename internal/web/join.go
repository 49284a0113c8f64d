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

// withoutShell implements plain: a person who is signed in may open the URL of another.
func (joinForm) withoutShell() bool { return true }

// oneTimeToken returns what the token in the path is for, or waymark.ErrNotFound if that is
// not purpose.
func oneTimeToken(v *visit, purpose waymark.Purpose) (waymark.OneTimeToken, error) {
	found, err := v.Accounts.OneTimeToken(v.ctx(), v.pathValue("token"))
	if err == nil && found.Purpose != purpose {
		err = waymark.ErrNotFound
	}
	return found, err
}

func showJoin(v *visit) error {
	found, err := oneTimeToken(v, waymark.PurposeInvitation)
	if err != nil {
		return err
	}
	return v.render("join", joinForm{Name: found.Name})
}

func join(v *visit) error {
	if err := v.parseForm(); err != nil {
		return err
	}
	form := joinForm{Name: v.field("name")}
	secret, err := v.Accounts.UseInvitation(v.ctx(), v.pathValue("token"), form.Name, v.field("password"), clientOf(v))
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
	found, err := oneTimeToken(v, waymark.PurposePassword)
	if err != nil {
		return err
	}
	return v.render("password", joinForm{Name: found.Name})
}

func setNewPassword(v *visit) error {
	found, err := oneTimeToken(v, waymark.PurposePassword)
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	form := joinForm{Name: found.Name}
	secret, err := v.Accounts.UsePasswordReset(v.ctx(), v.pathValue("token"), v.field("password"), clientOf(v))
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
