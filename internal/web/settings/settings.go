// Package settings has the pages where people sign in and change their settings, and where
// administrators invite people and look at the server.
package settings

import (
	"errors"
	"net/http"

	"waymark/internal/accounts"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// ShowSettings shows the menu of the settings.
func ShowSettings(r *page.Request) error { return r.Render("settings", nil) }

// saved responds to a change of the settings that needs no other sentence.
func saved(r *page.Request, path string) error {
	return r.Changed(path, page.Toast{Text: r.T("settings.saved")})
}

// accountProblems words what is wrong with a form about an account: with its fields, with a
// name that is in use, or with the current password. The second result is nil if err is only
// that, and err otherwise.
func accountProblems(r *page.Request, err error) (page.Problems, error) {
	var attempts *waymark.TooManyAttempts
	switch {
	case errors.Is(err, waymark.ErrConflict):
		return page.Problems{{Field: "name", Text: r.T("problem.unique", "value", page.Quoted(r.Field("name")))}}, nil
	case errors.Is(err, waymark.ErrWrongPassword):
		wrong := page.Problems{{Field: "current", Text: r.T("settings.wrong-password")}}
		others, _ := r.ProblemsOf(err) // such as a new password that is too short
		return append(wrong, others...), nil
	case errors.Is(err, waymark.ErrWrongCode):
		return page.Problems{{Field: "current", Text: wrongProof(r, proofOf(r))}}, nil
	case errors.As(err, &attempts):
		return page.Problems{{Field: "current", Text: r.T("signin.too-many", "n", attempts.Seconds())}}, nil
	case errors.Is(err, waymark.ErrLastAdministrator):
		return page.Problems{{Field: "current", Text: r.T("settings.last-administrator")}}, nil
	}
	return r.ProblemsOf(err)
}

// noButton returns waymark.ErrForbidden for a way to sign in that must be kept: its page has no button that removes it.
func noButton(err error) error {
	if errors.Is(err, accounts.ErrLastWay) || errors.Is(err, accounts.ErrFactorRequired) {
		return waymark.ErrForbidden
	}
	return err
}

// renderAgain reads a page anew, changes it and sends it with a status.
func renderAgain[T any](r *page.Request, status int, name string, read func(*page.Request) (T, error), change func(*T)) error {
	p, err := read(r)
	if err != nil {
		return err
	}
	change(&p)
	return r.RenderStatus(status, name, p)
}

// refused shows the page of a form again, with what is wrong with it in problems, which is a part of data.
func refused(r *page.Request, name string, data any, problems *page.Problems, err error) error {
	if *problems, err = accountProblems(r, err); err != nil {
		return err
	}
	return r.RenderStatus(http.StatusUnprocessableEntity, name, data)
}
