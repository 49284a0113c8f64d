// Package settings has the pages where people sign in and change their settings, and where
// administrators invite people and look at the server.
package settings

import (
	"errors"
	"strings"

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

// visitorOf returns the user of the request for the service.
func visitorOf(r *page.Request) accounts.Visitor {
	return accounts.Visitor{User: r.User, Session: r.Session, Settings: r.Settings}
}

// accountProblems words what is wrong with a form about an account: with its fields, with a
// name that is in use, or with the current password. The second result is nil if err is only
// that, and err otherwise.
func accountProblems(r *page.Request, err error) (page.Problems, error) {
	var attempts *waymark.TooManyAttempts
	switch {
	case errors.Is(err, waymark.ErrConflict):
		return page.Problems{{Field: "name", Text: r.T("problem.unique", "value", r.Field("name"))}}, nil
	case errors.Is(err, waymark.ErrWrongPassword):
		wrong := page.Problems{{Field: "current", Text: r.T("settings.wrong-password")}}
		others, _ := r.ProblemsOf(err, r.Field) // such as a new password that is too short
		return append(wrong, others...), nil
	case errors.Is(err, waymark.ErrWrongCode):
		return page.Problems{{Field: "current", Text: wrongProof(r, proofOf(r))}}, nil
	case errors.As(err, &attempts):
		return page.Problems{{Field: "current", Text: r.T("signin.too-many", "n", attempts.Seconds())}}, nil
	case errors.Is(err, waymark.ErrLastAdministrator):
		return page.Problems{{Field: "current", Text: r.T("settings.last-administrator")}}, nil
	}
	inForm := func(field string) string { return strings.ReplaceAll(field, " ", "-") }
	found, err := r.ProblemsOf(err, func(field string) string { return r.Field(inForm(field)) })
	for i := range found {
		found[i].Field = inForm(found[i].Field)
	}
	return found, err
}
